#include "megascale/plan/placement.h"

#include <gtest/gtest.h>

#include <map>
#include <numeric>

#include "megascale/config/load.h"
#include "megascale/model/gpt.h"
#include "megascale/plan/model_state.h"
#include "megascale/plan/passes/recompute.h"
#include "megascale/plan/passes/split_tensor.h"
#include "support/random_program.h"

namespace megascale::plan {
namespace {

using megascale::testing::RandomProgram;

TEST(PackTest, LifetimesThatOverlapInTimeDoNotInMemory) {
  std::mt19937_64 engine(5);
  const auto below = [&](std::uint64_t n) { return engine() % n; };
  std::uint64_t packed = 0, live = 0;
  for (int round = 0; round < 2000; ++round) {
    std::vector<Lifetime> lifetimes(below(25));
    for (Lifetime& lifetime : lifetimes) {
      lifetime.nbytes = below(4) == 0 ? 256 : below(3000);
      lifetime.first = static_cast<std::uint32_t>(below(30));
      lifetime.last = lifetime.first + static_cast<std::uint32_t>(below(10));
    }
    const Packing packing = pack(lifetimes);
    ASSERT_EQ(packing.offsets.size(), lifetimes.size());
    for (std::size_t a = 0; a < lifetimes.size(); ++a) {
      EXPECT_EQ(packing.offsets[a] % kBufferAlignment, 0U);
      EXPECT_LE(packing.offsets[a] + lifetimes[a].nbytes, packing.nbytes);
      for (std::size_t b = 0; b < a; ++b) {
        const bool in_time =
            lifetimes[a].first <= lifetimes[b].last && lifetimes[b].first <= lifetimes[a].last;
        const bool in_memory =
            overlap({packing.offsets[a], packing.offsets[a] + lifetimes[a].nbytes},
                    {packing.offsets[b], packing.offsets[b] + lifetimes[b].nbytes});
        ASSERT_FALSE(in_time && in_memory)
            << "round " << round << " lifetimes " << b << " and " << a;
      }
    }
    // The peak by hand, at every place of the timeline.
    std::uint64_t peak = 0;
    for (std::uint32_t place = 0; place < 50; ++place) {
      std::uint64_t now = 0;
      for (const Lifetime& l : lifetimes) now += l.first <= place && place <= l.last ? l.nbytes : 0;
      peak = std::max(peak, now);
    }
    EXPECT_EQ(peak_live_bytes(lifetimes), peak);
    EXPECT_GE(packing.nbytes, peak);
    packed += packing.nbytes;
    live += peak;
  }
  EXPECT_LT(static_cast<double>(packed), 1.5 * static_cast<double>(live)) << "bytes are reused";
}

// The rule of pack() without blocks.
std::vector<std::uint64_t> packed_one_by_one(const std::vector<Lifetime>& lifetimes) {
  std::vector<std::uint32_t> order(lifetimes.size()), placed;
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return lifetimes[a].nbytes > lifetimes[b].nbytes;
  });
  std::vector<std::uint64_t> offsets(lifetimes.size());
  for (const std::uint32_t i : order) {
    std::vector<ByteRange> used;
    for (const std::uint32_t other : placed) {
      if (lifetimes[i].first <= lifetimes[other].last &&
          lifetimes[other].first <= lifetimes[i].last)
        used.push_back({offsets[other], offsets[other] + align_buffer(lifetimes[other].nbytes)});
    }
    std::sort(used.begin(), used.end(),
              [](const ByteRange& a, const ByteRange& b) { return a.begin < b.begin; });
    for (const ByteRange& range : used) {
      if (range.begin >= offsets[i] + lifetimes[i].nbytes) break;
      offsets[i] = std::max(offsets[i], range.end);
    }
    placed.push_back(i);
  }
  return offsets;
}

// Enough lifetimes for several blocks: most alive in the middle of the timeline, as activations
// are, and some for a short time.
TEST(PackTest, ManyLifetimesLieWhereTheRuleSays) {
  std::mt19937_64 engine(9);
  const auto below = [&](std::uint64_t n) { return static_cast<std::uint32_t>(engine() % n); };
  for (const std::uint32_t share_of_short : {0U, 10U, 60U}) {
    std::vector<Lifetime> lifetimes(2500);
    for (Lifetime& lifetime : lifetimes) {
      lifetime.nbytes = 256 * (1 + below(9));
      const bool is_short = below(100) < share_of_short;
      lifetime.first = is_short ? below(2000) : below(1000);
      lifetime.last = is_short ? lifetime.first + below(50) : 1000 + below(1000);
    }
    EXPECT_EQ(pack(lifetimes).offsets, packed_one_by_one(lifetimes)) << share_of_short;
  }
}

std::uint64_t planned_nbytes(const ActivationPlacement& placement) {
  return std::accumulate(placement.slot_nbytes.begin(), placement.slot_nbytes.end(),
                         placement.transient_nbytes);
}

// Every two tensors that share bytes are never alive together, apart from an output that takes over
// an input which dies there, where its kind allows it.
void expect_legal(const graph::Program& program, const ActivationPlacement& placement,
                  const PlacementRules& rules = {}) {
  const auto ops = timeline(program, rules.split_weight_gradients);
  std::map<std::uint32_t, std::pair<std::uint32_t, std::uint32_t>>
      life;  // tensor -> first, last op
  for (std::uint32_t place = 0; place < ops.size(); ++place) {
    for (const graph::TensorId operand : ops[place]->operands) {
      if (operand == graph::kNoTensor) continue;
      const auto tensor = static_cast<std::uint32_t>(graph::index(operand));
      EXPECT_EQ(placement.places[tensor].placed,
                program.tensors[tensor].role == graph::Role::activation);
      if (!placement.places[tensor].placed) continue;
      life.try_emplace(tensor, place, place).first->second.second = place;
    }
  }
  const auto segment_of = [&](std::uint32_t place) {
    std::size_t s = 0;
    while (placement.segments[s].end <= place) ++s;
    return s;
  };
  const auto takes_over = [&](std::uint32_t input, std::uint32_t output, std::uint32_t place) {
    const graph::Op& op = *ops[place];
    return std::any_of(op.def->in_place.begin(), op.def->in_place.end(),
                       [&](const graph::InPlace& pair) {
                         return op.operands[pair.output] == graph::TensorId{output} &&
                                op.operands[pair.input] == graph::TensorId{input};
                       });
  };
  for (const auto& [a, life_a] : life) {
    const ActivationPlace& p = placement.places[a];
    const ByteRange bytes_a{p.offset,
                            p.offset + static_cast<std::uint64_t>(program.tensors[a].nbytes())};
    EXPECT_LE(bytes_a.end, p.slot == SlotUse::none
                               ? placement.transient_nbytes
                               : placement.slot_nbytes[static_cast<std::size_t>(p.slot)]);
    const std::size_t first = segment_of(life_a.first), last = segment_of(life_a.second);
    EXPECT_TRUE(p.slot != SlotUse::none || first == last ||
                (rules.transients_by_kind &&
                 placement.segments[first].kind == placement.segments[last].kind))
        << "a transient dies in its segment, or in its piece of work";
    for (const auto& [b, life_b] : life) {
      const ActivationPlace& q = placement.places[b];
      const ByteRange bytes_b{q.offset,
                              q.offset + static_cast<std::uint64_t>(program.tensors[b].nbytes())};
      if (a == b || p.slot != q.slot || !overlap(bytes_a, bytes_b)) continue;
      if (life_a.second < life_b.first || life_b.second < life_a.first) continue;
      EXPECT_TRUE((life_a.second == life_b.first && takes_over(a, b, life_b.first)) ||
                  (life_b.second == life_a.first && takes_over(b, a, life_a.first)))
          << program.tensors[a].name << " and " << program.tensors[b].name;
    }
  }
  EXPECT_GE(planned_nbytes(placement), placement.peak_live_nbytes);
}

std::uint32_t by_scope(std::map<std::string, std::uint32_t>& scopes, const graph::Op& op) {
  return scopes.try_emplace(op.scope, static_cast<std::uint32_t>(scopes.size())).first->second;
}

TEST(PlacementTest, RandomProgramsShareBytesLegally) {
  int shared = 0;
  for (int seed = 0; seed < 300; ++seed) {
    const graph::Program program = RandomProgram(seed).write();
    std::map<std::string, std::uint32_t> scopes;
    const bool one_bucket = seed % 2 == 0;
    const PlacementRules rules{.split_weight_gradients = seed % 5 == 0,
                               .transients_by_kind = seed % 3 == 0};
    const ActivationPlacement placement = place_activations(
        program, [&](const graph::Op& op) { return one_bucket ? 0 : by_scope(scopes, op); }, rules);
    SCOPED_TRACE(seed);
    ASSERT_NO_FATAL_FAILURE(expect_legal(program, placement, rules));
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < program.tensors.size(); ++i) {
      if (placement.places[i].placed)
        sum += align_buffer(static_cast<std::uint64_t>(program.tensors[i].nbytes()));
    }
    shared += planned_nbytes(placement) < sum;
  }
  EXPECT_GT(shared, 250);
}

Config three_layers(const std::vector<std::string>& overrides) {
  std::vector<std::string> all{"model.num_layers=3", "model.hidden_size=32",
                               "model.num_attention_heads=4", "model.seq_length=16"};
  all.insert(all.end(), overrides.begin(), overrides.end());
  return parse_config("", "test", all);
}

const std::vector<std::vector<std::string>>& models() {
  static const std::vector<std::vector<std::string>> kModels{
      {},
      {"model.type=llama", "model.num_query_groups=2"},
      {"model.parallel_block=true"},
      {"data.packed_documents=true"},
      {"model.untie_embeddings_and_output_weights=true"}};
  return kModels;
}

using Kind = RecomputePolicy::Kind;
const std::vector<RecomputePolicy>& policies() {
  static const std::vector<RecomputePolicy> kPolicies{
      {Kind::none, {}},
      {Kind::selective, {}},
      {Kind::full, {}},
      {Kind::list, {"gelu", "swiglu", "layer_norm", "rms_norm"}}};
  return kPolicies;
}

TEST(PlacementTest, ModelsShareBytesLegallyUnderEveryRecomputation) {
  for (const auto& model : models()) {
    const Config config = three_layers(model);
    for (const RecomputePolicy& policy : policies()) {
      graph::Program program = model::build_gpt(
          config, {.micro_batch_size = 2, .packed_documents = config.data.packed_documents});
      recompute(program, policy);
      std::map<std::string, std::uint32_t> scopes;
      const auto placement =
          place_activations(program, [&](const graph::Op& op) { return by_scope(scopes, op); });
      SCOPED_TRACE(::testing::Message() << (model.empty() ? "gpt2" : model[0]) << " recompute "
                                        << static_cast<int>(policy.kind));
      expect_legal(program, placement);
    }
  }
}

// Two chunks of one stage: what the first one's layers start from lies where the other receives, so
// that the slots of both are of the size of the other's.
TEST(PlacementTest, SlotsOfAFirstChunkAreNoLargerThanThoseOfTheOthers) {
  const auto retained = static_cast<std::size_t>(SlotUse::retained);
  const auto received = static_cast<std::size_t>(SlotUse::receive_forward);
  for (const auto& model : models()) {
    const Config config = three_layers(model);
    const auto place_chunk = [&](std::int64_t chunk, const PlacementRules& rules) {
      const graph::Program program = model::build_gpt(config, {.chunk = chunk, .chunks = 3});
      std::map<std::string, std::uint32_t> scopes;
      auto placement = place_activations(
          program, [&](const graph::Op& op) { return by_scope(scopes, op); }, rules);
      expect_legal(program, placement);
      return placement.slot_nbytes;
    };
    const auto alone = place_chunk(0, {});
    const auto beside = place_chunk(0, {.input_as_received = true});
    const auto other = place_chunk(1, {.input_as_received = true});
    EXPECT_EQ(alone[received], 0U);
    EXPECT_EQ(beside[received], other[received]);
    EXPECT_EQ(beside[retained] + other[received], alone[retained]);
    EXPECT_EQ(beside[retained], other[retained]);
  }
}

// The gradient of the head's gathered input crosses from the segment of the head to that of the
// last norm, while all activations are alive. It must not take room in every slot.
TEST(PlacementTest, AGradientOfOnePieceOfWorkTakesNoRoomInSlots) {
  const auto retained = static_cast<std::size_t>(SlotUse::retained);
  graph::AxisSizes axes;
  axes[graph::Axis::tensor] = 2;
  for (const auto& model : models()) {
    graph::Program program =
        model::build_gpt(three_layers(model), {.micro_batch_size = 4, .axes = axes});
    recompute(program, {});
    const auto place_with = [&](bool by_kind) {
      const PlacementRules rules{.transients_by_kind = by_kind};
      std::map<std::string, std::uint32_t> scopes;
      const auto placement = place_activations(
          program, [&](const graph::Op& op) { return by_scope(scopes, op); }, rules);
      expect_legal(program, placement, rules);
      return placement.slot_nbytes[retained];
    };
    const std::uint64_t gathered = std::uint64_t{4} * 16 * 32 * sizeof(float);
    EXPECT_EQ(place_with(true) + gathered, place_with(false)) << (model.empty() ? "" : model[0]);
  }
}

// Weight gradients may be deferred, and what is recomputed for them; no reader may come before what
// it reads, pieces of tensors included.
TEST(TimelineTest, DeferringMovesNoWriterBehindItsReader) {
  const Config config =
      parse_config("", "test",
                   std::vector<std::string>{"model.num_layers=2", "model.hidden_size=24",
                                            "model.num_attention_heads=4", "model.seq_length=24",
                                            "model.parallel_block=true"});
  int deferred = 0;
  for (const Kind kind : {Kind::none, Kind::selective, Kind::full}) {
    for (const bool overlap : {true, false}) {
      graph::AxisSizes axes;
      axes[graph::Axis::tensor] = axes[graph::Axis::context] = 2;
      graph::Program program = model::build_gpt(config, {.axes = axes});
      recompute(program, {.kind = kind});
      split_tensor(program, {.ranks = 2, .pieces = 2, .overlap = overlap});
      const auto whole = timeline(program), split = timeline(program, true);
      ASSERT_EQ(whole.size(), split.size());
      std::map<const graph::Op*, std::size_t> place;
      for (std::size_t i = 0; i < split.size(); ++i) place[split[i]] = i;
      std::map<graph::TensorId, std::vector<const graph::Op*>> writers;  // so far, by owner
      for (std::size_t i = 0; i < whole.size(); ++i) {
        const graph::Op& op = *whole[i];
        deferred += split[i] != &op;
        for (std::size_t o = 0; o < op.operands.size(); ++o) {
          if (op.operands[o] == graph::kNoTensor) continue;
          const graph::TensorId owner = program.owner(op.operands[o]);
          if (op.def->operands[o].access == graph::Access::read) {
            for (const graph::Op* writer : writers[owner]) {
              ASSERT_LT(place[writer], place[&op])
                  << op.scope << '/' << op.path << " reads what " << writer->scope << '/'
                  << writer->path << " writes";
            }
          } else {
            writers[owner].push_back(&op);
          }
        }
      }
    }
  }
  EXPECT_GT(deferred, 0);
}

TEST(RecomputeTest, RetainedBytesFall) {
  for (const auto& model : models()) {
    const Config config = three_layers(model);
    std::vector<std::uint64_t> retained;
    for (const RecomputePolicy& policy : policies()) {
      graph::Program program = model::build_gpt(
          config, {.micro_batch_size = 2, .packed_documents = config.data.packed_documents});
      recompute(program, policy);
      std::map<std::string, std::uint32_t> scopes;
      retained.push_back(place_activations(program, [&](const graph::Op& op) {
                           return by_scope(scopes, op);
                         }).slot_nbytes[static_cast<std::size_t>(SlotUse::retained)]);
    }
    EXPECT_LT(retained[1], retained[0]) << "selective";
    EXPECT_LT(retained[2], retained[1] / 2) << "full";
    EXPECT_LT(retained[3], retained[0]) << "list";
  }
}

// What the backward reads of a dropped op comes from its twin, emitted once and before; the twin is
// not credited.
TEST(RecomputeTest, TwinsComeOnceAndBeforeTheirReaders) {
  graph::Program program = model::build_gpt(three_layers({}), {.micro_batch_size = 2});
  recompute(program, {Kind::list, {"gelu", "attention"}});
  std::map<std::string, int> twins;
  std::map<graph::TensorId, const graph::Op*> written;
  for (const graph::Op& op : program.forward) {
    for (std::size_t i = 0; i < op.operands.size(); ++i) {
      if (op.def->operands[i].access != graph::Access::read) written[op.operands[i]] = &op;
    }
  }
  for (const graph::Op& op : program.backward) {
    for (std::size_t i = 0; i < op.operands.size(); ++i) {
      if (op.operands[i] == graph::kNoTensor) continue;
      if (op.def->operands[i].access != graph::Access::read) {
        written[op.operands[i]] = &op;
        continue;
      }
      const auto writer = written.find(op.operands[i]);
      if (program.tensor(op.operands[i]).role == graph::Role::activation) {
        ASSERT_NE(writer, written.end()) << op.path << " reads what nobody wrote";
        const auto& by = *writer->second;
        EXPECT_FALSE(by.phase == graph::Phase::forward &&
                     (by.def->name == "gelu" || by.def->name == "attention"))
            << op.path << " reads a dropped tensor";
      }
    }
    if (op.phase == graph::Phase::recompute) ++twins[op.scope + "/" + op.path];
  }
  EXPECT_EQ(twins.size(), 6U);
  for (const auto& [name, count] : twins) EXPECT_EQ(count, 1) << name;
}

ModelState place(const graph::Program& program, const ModelStateOptions& options) {
  const graph::Program* const chunk = &program;
  return place_model_state({&chunk, 1}, number_parameters({&chunk, 1}), options);
}

TEST(ModelStateTest, EveryTensorAndBucketOnMultiplesOf4096) {
  for (const auto& model : models()) {
    const graph::Program program = model::build_gpt(three_layers(model), {.micro_batch_size = 1});
    const bool tied = model.empty() || model[0] != "model.untie_embeddings_and_output_weights=true";
    const bool llama = !model.empty() && model[0] == "model.type=llama";
    for (const std::uint32_t most : {1U, 2U, 3U, 5U, 8U, 100U}) {
      const ModelState state = place(program, {.buckets = most, .staging_nbytes = 1000});
      // Scopes with parameters: embedding, three layers, final norm, and an untied head.
      const std::size_t scopes = 5 + (tied && !llama ? 0 : 1);
      // The table that embedding and head share has a bucket of its own.
      const bool twice = tied && !llama;
      EXPECT_EQ(state.buckets.size(), std::min<std::size_t>(most, scopes) + (twice ? 1 : 0));
      std::vector<std::uint64_t> filled(state.buckets.size(), 0);
      ASSERT_EQ(state.parameters.size(), program.parameters.size());
      std::uint32_t bucket = 0;
      for (std::uint32_t i = 0; i < state.parameters.size(); ++i) {
        const ParameterPlace& place = state.parameters[i];
        EXPECT_EQ(place.global, i);
        EXPECT_EQ(place.in_chunk, i);
        EXPECT_EQ(place.begin % 4096, 0U) << place.parameter.name;
        EXPECT_EQ(place.begin, filled[place.bucket]) << "parameters of a bucket follow each other";
        EXPECT_GE(place.bucket, bucket) << "in global order";
        bucket = place.bucket;
        filled[place.bucket] += (place.count + 4095) / 4096 * 4096;
        EXPECT_EQ(place.count, static_cast<std::uint64_t>(
                                   graph::numel(program.tensor(place.parameter.tensor).shape)));
      }
      for (std::size_t b = 0; b < state.buckets.size(); ++b) {
        EXPECT_EQ(state.buckets[b].numel, filled[b]);
        for (const BufferId id :
             {state.buckets[b].parameters, state.buckets[b].masters, state.buckets[b].gradients,
              state.buckets[b].first_moment, state.buckets[b].second_moment}) {
          EXPECT_EQ(state.buffers[index(id)].nbytes, filled[b] * sizeof(float));
        }
      }
      std::uint64_t end = 0;
      for (const Buffer& buffer : state.buffers) {
        EXPECT_GE(buffer.offset, end) << buffer.name;
        EXPECT_EQ(buffer.offset % kBufferAlignment, 0U);
        end = buffer.offset + buffer.nbytes;
      }
      EXPECT_LE(end, state.nbytes);
      EXPECT_EQ(state.buffers[index(state.staging)].nbytes, 1000U);
      // Such a table has a gradient per use, of equal size.
      for (std::uint32_t b = 0; b < state.buckets.size(); ++b) {
        const bool of_table = twice && b == state.parameters[0].bucket;
        ASSERT_EQ(state.buckets[b].second_use_gradients != kNoBuffer, of_table);
        if (!of_table) continue;
        EXPECT_EQ(state.parameters[0].parameter.name, "embedding.word.weight");
        EXPECT_EQ(state.parameters[0].parameter.main_gradients.size(), 2U);
        EXPECT_EQ(state.buffers[index(state.buckets[b].second_use_gradients)].nbytes,
                  filled[b] * sizeof(float));
        for (std::size_t i = 1; i < state.parameters.size(); ++i) {
          EXPECT_NE(state.parameters[i].bucket, b) << state.parameters[i].parameter.name;
        }
      }
    }
  }
}

TEST(ModelStateTest, ScopesAreNotTornApartAndMixedPrecisionHasMasters) {
  const graph::Program program =
      model::build_gpt(three_layers({"model.dtype=bfloat16"}), {.micro_batch_size = 1});
  const ModelState state = place(program, {.buckets = 3});
  std::map<std::string, std::uint32_t> bucket_of;
  for (const ParameterPlace& place : state.parameters) {
    if (place.parameter.main_gradients.size() > 1) continue;  // has a bucket of its own
    const std::string scope =
        place.parameter.name.substr(0, place.parameter.name.find('.', 7));  // "layers.N"
    EXPECT_EQ(bucket_of.try_emplace(scope, place.bucket).first->second, place.bucket)
        << place.parameter.name;
  }
  for (const FlatBucket& bucket : state.buckets) {
    EXPECT_NE(bucket.masters, bucket.parameters);
    EXPECT_EQ(state.buffers[index(bucket.parameters)].nbytes, bucket.numel * 2);
    EXPECT_EQ(state.buffers[index(bucket.masters)].nbytes, bucket.numel * 4);
    EXPECT_EQ(state.buffers[index(bucket.gradients)].nbytes, bucket.numel * 4);
  }
  const ModelState inference = place(program, {.training = false, .buckets = 3});
  for (const FlatBucket& bucket : inference.buckets) {
    EXPECT_EQ(bucket.second_use_gradients, kNoBuffer);
  }
  EXPECT_LT(inference.nbytes, state.nbytes / 7) << "2 bytes of 18";
}

}  // namespace
}  // namespace megascale::plan
