// ZeRO stage 3 (arXiv 1910.02054): a rank keeps its shard of the parameters and of the main gradients.
// The whole of a bucket exists only while ops use it. Runs of layers take turns in two pieces of
// memory, by the parity of their number. So the next run is gathered while this one computes,
// and the gradients of the one before are reduced. Waits follow from the bytes that tasks touch: a gather
// starts once the last reader of the run that had the same place has ended.
//
// Every micro-batch gathers parameters in its forward and in its backward, unless they are still there, and
// reduces its gradients. The first micro-batch's sums go to the shard of main gradients directly; those of
// the others are added to it. Gradients that travel in bfloat16 are packed before, and summed after.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "megascale/base/error.h"
#include "megascale/graph/ops/ops.h"
#include "megascale/plan/stage_builder.h"

namespace megascale::plan {

namespace collective = graph::collective;
using graph::Access;
using graph::Phase;

namespace {

constexpr std::uint32_t kPlaces = 2;  // in which runs take turns
constexpr std::uint32_t kNoRun = ~0U;

std::uint32_t place_of(const FlatBucket& bucket) { return bucket.run % kPlaces; }

void insert_once(std::vector<std::uint32_t>& buckets, std::uint32_t bucket) {
  if (std::find(buckets.begin(), buckets.end(), bucket) == buckets.end()) buckets.push_back(bucket);
}

}  // namespace

// Writes the items of a template anew, with the tasks of divided buckets between the segments.
class DividedItems {
 public:
  explicit DividedItems(StageBuilder& builder)
      : builder_(&builder),
        buckets_(builder.state_->buckets),
        is_gathered_(buckets_.size(), false) {
    run_of_place_.fill(kNoRun);
    find_uses();
  }

  void write() {
    items_ = std::exchange(builder_->template_.items, {});
    for (std::size_t i = 0; i < items_.size(); ++i) {
      if (const auto* instance = std::get_if<Instance>(&items_[i])) {
        gather_for(*instance);
        gather_ahead(i);
        for (const std::uint32_t b : uses_[instance->segment].writes) make_room_for(b);
        put(items_[i]);
        reduce_behind(*instance);
      } else {
        put(items_[i]);
      }
    }
    for (std::uint32_t place = 0; place < kPlaces; ++place) {
      MEGASCALE_CHECK(unreduced_[place].empty(), "gradients of divided buckets are not reduced");
      add_sums(place, [](std::uint32_t) { return true; });
    }
    clear_padding();
  }

 private:
  // The divided buckets that a segment uses, in the order of its ops.
  struct Uses {
    std::vector<std::uint32_t> reads;   // their parameters
    std::vector<std::uint32_t> writes;  // their gradients
  };
  struct Sum {
    std::uint32_t bucket = 0;
    std::uint16_t micro_batch = 0;
    bool first = false;  // of the step's sums
  };
  // How often a bucket was gathered for segments of a kind in one micro-batch.
  struct Gathered {
    std::uint16_t micro_batch = 0;
    std::uint32_t times = 0;
  };

  void find_uses() {
    std::map<BufferId, std::uint32_t> parameters, gradients;
    for (std::uint32_t b = 0; b < buckets_.size(); ++b) {
      if (!buckets_[b].divided) continue;
      ++missing_;
      parameters[whole(b).parameters] = b;
      if (whole(b).gradients != kNoBuffer) gradients[whole(b).gradients] = b;
    }
    for (const ActivationPlacement& placement : builder_->placements_)
      for (const SegmentRange& range : placement.segments) kinds_.push_back(range.kind);
    PlanTemplate& all = builder_->template_;
    last_writer_.assign(buckets_.size(), ~0U);
    for (std::uint32_t s = 0; s < all.segments.size(); ++s) {
      Uses& uses = uses_.emplace_back();
      const Segment& segment = all.segments[s];
      for (std::uint32_t o = segment.first_op; o < segment.first_op + segment.op_count; ++o) {
        PlanOp& op = all.ops[o];
        for (const Operand& operand : op.operands) {
          if (const auto read = parameters.find(operand.buffer); read != parameters.end())
            insert_once(uses.reads, read->second);
          const auto written = gradients.find(operand.buffer);
          if (written == gradients.end()) continue;
          insert_once(uses.writes, written->second);
          last_writer_[written->second] = s;
          op.writes_anew = op.writes_anew || operand.access == Access::first_writes;
        }
        check_sums(op, gradients);
      }
      check_places(uses.reads);
    }
  }

  // One mark tells an op whether it writes or adds to all of its sums.
  static void check_sums(const PlanOp& op, const std::map<BufferId, std::uint32_t>& gradients) {
    for (const Operand& operand : op.operands) {
      MEGASCALE_CHECK(!op.writes_anew || operand.access != Access::first_writes ||
                          gradients.contains(operand.buffer),
                      op.path);
    }
  }

  void check_places(const std::vector<std::uint32_t>& used) const {
    for (const std::uint32_t a : used) {
      for (const std::uint32_t b : used) {
        MEGASCALE_CHECK(
            buckets_[a].run == buckets_[b].run || place_of(buckets_[a]) != place_of(buckets_[b]),
            fmt::format("buckets {} and {} are used together and share their bytes", a, b));
      }
    }
  }

  // Gathers what the instance reads and what is not there.
  void gather_for(const Instance& instance) {
    for (const std::uint32_t b : uses_[instance.segment].reads) {
      if (is_gathered_[b]) continue;
      const std::uint32_t place = place_of(buckets_[b]);
      if (run_of_place_[place] != buckets_[b].run) {
        for (std::uint32_t other = 0; other < buckets_.size(); ++other) {
          if (!is_gathered_[other] || place_of(buckets_[other]) != place) continue;
          is_gathered_[other] = false;
          ++missing_;
        }
        run_of_place_[place] = buckets_[b].run;
      }
      is_gathered_[b] = true;
      --missing_;
      put_task(gather_op(b, kinds_[instance.segment], instance.micro_batch), instance.micro_batch);
    }
  }

  // Gathers for the next instance that lacks parameters, if their place is free: no instance from number `now` on
  // to that one reads what is there.
  void gather_ahead(std::size_t now) {
    if (missing_ == 0) return;
    std::array<bool, kPlaces> used{};
    for (std::size_t i = now; i < items_.size(); ++i) {
      const auto* instance = std::get_if<Instance>(&items_[i]);
      if (instance == nullptr) continue;
      const std::vector<std::uint32_t>& reads = uses_[instance->segment].reads;
      const auto lacks = [&](std::uint32_t b) { return !is_gathered_[b]; };
      const auto is_free = [&](std::uint32_t b) {
        return is_gathered_[b] || !used[place_of(buckets_[b])];
      };
      if (std::any_of(reads.begin(), reads.end(), lacks)) {
        if (std::all_of(reads.begin(), reads.end(), is_free)) gather_for(*instance);
        return;
      }
      for (const std::uint32_t b : reads) used[place_of(buckets_[b])] = true;
    }
  }

  // Comes before gradients of the bucket are written: what lies in their place must not be needed any more.
  void make_room_for(std::uint32_t b) {
    const std::uint32_t place = place_of(buckets_[b]), run = buckets_[b].run;
    add_sums(place, [&](std::uint32_t other) { return other == b || buckets_[other].run != run; });
    for (const std::uint32_t other : unreduced_[place]) {
      MEGASCALE_CHECK(
          buckets_[other].run == run,
          fmt::format(
              "gradients of bucket {} are written over those of bucket {}, which are not reduced",
              b, other));
    }
    insert_once(unreduced_[place], b);
  }

  void reduce_behind(const Instance& instance) {
    for (const std::uint32_t b : uses_[instance.segment].writes) {
      if (last_writer_[b] != instance.segment) continue;
      const std::uint32_t place = place_of(buckets_[b]);
      std::erase(unreduced_[place], b);
      const bool packed = builder_->exchanges_bfloat16(buckets_[b]);
      if (packed) put_task(pack_op(b), instance.micro_batch);
      put_task(packed ? exchange_op(b) : reduce_op(b, instance.first), instance.micro_batch);
      if (packed || !instance.first)
        sums_[place].push_back({b, instance.micro_batch, instance.first});
    }
  }

  // Adds reduced gradients that lie at a place to the main gradients: those that `is_due` says, as late as possible.
  template <class IsDue>
  void add_sums(std::uint32_t place, const IsDue& is_due) {
    std::vector<Sum> later;
    for (const Sum& sum : std::exchange(sums_[place], {})) {
      if (!is_due(sum.bucket)) {
        later.push_back(sum);
        continue;
      }
      if (builder_->exchanges_bfloat16(buckets_[sum.bucket]))
        put_task(sum_op(sum.bucket, sum.first), sum.micro_batch);
      if (!sum.first) put_task(add_op(sum.bucket), sum.micro_batch);
    }
    sums_[place] = std::move(later);
  }

  // Clears what lies between the gradients of a bucket: there are values of other buckets that had the same place.
  void clear_padding() {
    if (!builder_->training_) return;
    for (std::uint32_t b = 0; b < buckets_.size(); ++b) {
      if (!buckets_[b].divided || !buckets_[b].is_trained()) continue;
      builder_
          ->step_task(graph::clear_padding_op(), fmt::format("data/clear/bucket{}", b),
                      {{graph::clear_padding::values,
                        builder_->whole(buckets_[b].gradients, Access::accumulate)}},
                      StageBuilder::of_shard(buckets_[b]))
          .segments = builder_->segments_of(b);
    }
  }

  // Returns an operand for the place of a micro-batch's sums: the main gradients, or where they wait to be
  // added. Packed gradients leave the first half of their buffer, others the place of the own shard.
  [[nodiscard]] Operand sums(std::uint32_t b, bool first, Access access) const {
    if (first) return builder_->whole(buckets_[b].gradients, access);
    Operand own = builder_->shard(buckets_[b], whole(b).gradients, access);
    if (builder_->exchanges_bfloat16(buckets_[b])) own.term = {};
    return own;
  }

  // Returns the op with this key; the first call makes it.
  template <class Key, class Make>
  static OpIndex once(std::map<Key, OpIndex>& ops, const Key& key, const Make& make) {
    const auto [entry, is_new] = ops.try_emplace(key);
    if (is_new) entry->second = make();
    return entry->second;
  }

  // Recomputation may come back to a run within one micro-batch. Then the name counts.
  OpIndex gather_op(std::uint32_t b, SegmentKind kind, std::uint16_t micro_batch) {
    Gathered& before = gathered_[{b, kind}];
    if (before.micro_batch != micro_batch) before = {micro_batch, 0};
    const std::uint32_t number = before.times++;
    return once(gathers_, std::tuple{b, kind, number}, [&] {
      std::string path =
          kind == SegmentKind::weight_gradient ? "gather_for_weight_gradients" : "gather";
      if (number > 0) path += fmt::format("_again{}", number);
      return builder_->add_divided_op(
          b, graph::all_gather_op(), "parameters",
          kind == SegmentKind::forward ? Phase::forward : Phase::backward, path,
          {{collective::send, builder_->whole(buckets_[b].parameters, Access::read)},
           {collective::receive, builder_->whole(whole(b).parameters, Access::write)}},
          buckets_[b].dtype);
    });
  }

  OpIndex reduce_op(std::uint32_t b, bool first) {
    return once(reductions_, std::pair{b, first}, [&] {
      return gradient_op(b, graph::reduce_scatter_op(), "reduce",
                         {{collective::send, builder_->whole(whole(b).gradients, Access::read)},
                          {collective::receive, sums(b, first, Access::write)}});
    });
  }

  OpIndex pack_op(std::uint32_t b) {
    return once(packings_, b, [&] {
      return gradient_op(b, graph::pack_bfloat16_op(), "pack",
                         {{graph::pack_bfloat16::values,
                           builder_->whole(whole(b).gradients, Access::accumulate)}});
    });
  }

  OpIndex exchange_op(std::uint32_t b) {
    return once(exchanges_, b, [&] {
      const BufferId all = whole(b).gradients;
      return gradient_op(
          b, graph::all_to_all_op(), "exchange",
          {{collective::send, builder_->packed(buckets_[b], all, 0, Access::read)},
           {collective::receive, builder_->packed(buckets_[b], all, 1, Access::write)}},
          DType::bfloat16);
    });
  }

  OpIndex sum_op(std::uint32_t b, bool first) {
    return once(exchanged_sums_, std::pair{b, first}, [&] {
      return gradient_op(b, graph::add_bfloat16_blocks_op(), "sum",
                         {{graph::add_bfloat16_blocks::blocks,
                           builder_->packed(buckets_[b], whole(b).gradients, 1, Access::read)},
                          {graph::add_bfloat16_blocks::sum, sums(b, first, Access::write)}});
    });
  }

  OpIndex add_op(std::uint32_t b) {
    return once(additions_, b, [&] {
      return gradient_op(
          b, graph::add_main_gradient_op(), "add",
          {{graph::add_main_gradient::sum,
            builder_->whole(buckets_[b].gradients, Access::accumulate)},
           {graph::add_main_gradient::addend, sums(b, /*first=*/false, Access::read)}});
    });
  }

  template <class Name>
  OpIndex gradient_op(std::uint32_t b, const graph::OpKind<Name>& kind, const char* path,
                      std::initializer_list<graph::Given<Name, Operand>> operands,
                      DType dtype = DType::float32) {
    return builder_->add_divided_op(b, kind, "gradients", Phase::backward, path, operands, dtype);
  }

  [[nodiscard]] const StageBuilder::WholeBuffers& whole(std::uint32_t b) const {
    return builder_->whole_buckets_[b];
  }
  void put(const std::variant<Instance, StepTask>& item) {
    builder_->template_.items.push_back(item);
  }
  void put_task(OpIndex op, std::uint16_t micro_batch) {
    put(StepTask{.op = op, .micro_batch = micro_batch});
  }

  StageBuilder* builder_;
  const std::vector<FlatBucket>& buckets_;
  std::vector<std::variant<Instance, StepTask>> items_;  // as they were
  std::vector<Uses> uses_;                               // by segment
  std::vector<SegmentKind> kinds_;                       // by segment
  std::vector<std::uint32_t> last_writer_;               // by bucket: its last segment
  std::vector<bool> is_gathered_;                        // by bucket
  std::uint32_t missing_ = 0;                            // divided buckets that are not gathered
  std::array<std::uint32_t, kPlaces> run_of_place_{};    // whose parameters are there
  std::array<std::vector<std::uint32_t>, kPlaces> unreduced_;  // buckets whose gradients are there
  std::array<std::vector<Sum>, kPlaces> sums_;                 // that were reduced and not added
  std::map<std::pair<std::uint32_t, SegmentKind>, Gathered> gathered_;
  std::map<std::tuple<std::uint32_t, SegmentKind, std::uint32_t>, OpIndex> gathers_;
  std::map<std::pair<std::uint32_t, bool>, OpIndex> reductions_, exchanged_sums_;
  std::map<std::uint32_t, OpIndex> packings_, exchanges_, additions_;
};

OpIndex StageBuilder::append_divided_op(std::uint32_t number, const graph::OpDef& def,
                                        const char* scope, Phase phase, const std::string& path,
                                        std::vector<Operand> operands, DType dtype) {
  const FlatBucket& bucket = state_->buckets[number];
  PlanOp op{.def = &def,
            .scope = scope,
            .path = fmt::format("{}/bucket{}", path, number),
            .phase = phase,
            .chunk = static_cast<std::uint16_t>(bucket.chunk),
            .lane = def.lane,
            .operands = std::move(operands)};
  op.tensors.resize(def.operands.size());
  if (def.transfer != nullptr) {
    op.attributes.set(graph::attribute::dtype, static_cast<std::int64_t>(dtype));
    op.lane = graph::Lane::data;
    op.communicator = template_.group(bucket.summed_over, op.lane);
  }
  return template_.add(std::move(op));
}

void StageBuilder::place_whole_buckets() {
  whole_buckets_.resize(state_->buckets.size());
  const auto place_all = [&](const char* name, Category category, BufferId WholeBuffers::*buffer,
                             const auto& is_wanted, const auto& nbytes_of) {
    std::map<std::uint32_t, std::uint64_t> nbytes_of_run;
    std::vector<std::uint64_t> begin(state_->buckets.size());
    for (std::uint32_t b = 0; b < state_->buckets.size(); ++b) {
      const FlatBucket& bucket = state_->buckets[b];
      if (!is_wanted(bucket)) continue;
      begin[b] = nbytes_of_run[bucket.run];
      nbytes_of_run[bucket.run] += align_buffer(nbytes_of(bucket));
    }
    for (std::uint32_t place = 0; place < kPlaces; ++place) {
      std::uint64_t nbytes = 0;
      for (const auto& [run, of_run] : nbytes_of_run)
        if (run % kPlaces == place) nbytes = std::max(nbytes, of_run);
      if (nbytes == 0) continue;
      const BufferId all = region(fmt::format("{}/place{}", name, place), category, nbytes);
      for (std::uint32_t b = 0; b < state_->buckets.size(); ++b) {
        const FlatBucket& bucket = state_->buckets[b];
        if (!is_wanted(bucket) || place_of(bucket) != place) continue;
        whole_buckets_[b].*buffer =
            template_.add(Buffer{.name = fmt::format("{}/bucket{}", name, b),
                                 .category = category,
                                 .nbytes = nbytes_of(bucket),
                                 .offset = template_.buffers[index(all)].offset + begin[b],
                                 .view_of = all});
      }
    }
  };
  place_all(
      "whole_parameters", Category::parameters, &WholeBuffers::parameters,
      [](const FlatBucket& bucket) { return bucket.divided; },
      [](const FlatBucket& bucket) { return bucket.numel * itemsize(bucket.dtype); });
  if (!training_) return;
  place_all(
      "whole_gradients", Category::main_gradients, &WholeBuffers::gradients,
      [](const FlatBucket& bucket) { return bucket.divided && bucket.is_trained(); },
      [](const FlatBucket& bucket) { return bucket.numel * sizeof(float); });
}

void StageBuilder::gather_and_reduce_divided() {
  const bool any = std::any_of(state_->buckets.begin(), state_->buckets.end(),
                               [](const FlatBucket& bucket) { return bucket.divided; });
  if (any) DividedItems(*this).write();
}

}  // namespace megascale::plan
