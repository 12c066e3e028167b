#include "train/lattice.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "megascale/config/load.h"
#include "support/job.h"

namespace megascale::testing {
namespace {

constexpr std::array kAllAspects{
    Aspect::model,    Aspect::optimizer,        Aspect::tensor,   Aspect::context,
    Aspect::data,     Aspect::micro_batch_size, Aspect::pipeline, Aspect::virtual_pipeline,
    Aspect::schedule, Aspect::pieces,           Aspect::zero,     Aspect::recompute,
    Aspect::overlap,  Aspect::buckets,          Aspect::loading,  Aspect::delays};
static_assert(kAllAspects.size() == kAspects);
// Their values go with any layout.
constexpr std::size_t kLayoutAspects = 9;
constexpr std::array kAspectsOfBits{Aspect::model,   Aspect::optimizer, Aspect::tensor,
                                    Aspect::context, Aspect::data,      Aspect::micro_batch_size,
                                    Aspect::pieces};

Settings overlap(bool tensor, bool pipeline, bool data) {
  return {fmt::format("overlap.tensor={}", tensor), fmt::format("overlap.pipeline={}", pipeline),
          fmt::format("overlap.data={}", data)};
}

std::vector<Value> sizes(const char* prefix, const char* key, std::initializer_list<int> numbers) {
  std::vector<Value> values;
  for (const int n : numbers) {
    values.push_back({fmt::format("{}{}", prefix, n), {}, n});
    if (*key != '\0') values.back().settings.push_back(fmt::format("{}={}", key, n));
  }
  return values;
}

std::vector<Value> words(const char* key, std::initializer_list<const char*> names) {
  std::vector<Value> values;
  for (const char* n : names) values.push_back({n, {fmt::format("{}={}", key, n)}});
  return values;
}

std::vector<std::vector<Value>> table() {
  return {
      {// A tied head, learned positions, biases.
       {"gpt2", {"model.num_layers=4", "model.hidden_size=24", "model.num_attention_heads=12"}},
       // Two key-value heads, fewer than most layouts have ranks; rotary positions.
       {"llama",
        {"model.type=llama", "model.num_layers=6", "model.hidden_size=24",
         "model.num_attention_heads=4", "model.num_query_groups=2", "model.ffn_hidden_size=48"}},
       {"block",
        {"model.num_layers=6", "model.hidden_size=24", "model.num_attention_heads=12",
         "model.parallel_block=true", "model.sliding_window=5", "data.packed_documents=true"}},
       // Norms of heads, biases of queries, keys and values only, scaled rotary frequencies, and a
       // window in the last layers.
       {"qwen",
        {"model.type=qwen3", "model.add_qkv_bias=true", "model.num_layers=6",
         "model.hidden_size=24", "model.head_dim=8", "model.num_attention_heads=12",
         "model.num_query_groups=6", "model.ffn_hidden_size=48", "model.use_rope_scaling=true",
         "model.original_max_position_embeddings=16", "model.sliding_window=5",
         "model.full_attention_layers=2"}}},
      words("optimizer.name", {"adamw", "lamb"}),
      sizes("tensor", "parallel.tensor_model_parallel_size", {1, 2, 3, 4}),
      sizes("context", "parallel.context_parallel_size", {1, 2, 3, 4}),
      sizes("data", "", {1, 2, 3, 4, 6}),
      sizes("batch", "train.micro_batch_size", {1, 2}),
      sizes("pipeline", "parallel.pipeline_model_parallel_size", {1, 2, 3, 4, 6}),
      sizes("virtual", "parallel.virtual_pipeline_size", {1, 2, 3}),
      words("parallel.pipeline_schedule",
            {"1f1b", "gpipe", "interleaved", "zb-h1", Laboratory::kDrawnSchedule}),
      sizes("pieces", "overlap.tensor_pieces", {0, 2}),
      sizes("zero", "parallel.zero_stage", {0, 1, 2, 3}),
      {{"keep", {}},
       {"selective", {"recompute.granularity=selective"}},
       {"full", {"recompute.granularity=full"}},
       {"list", {"recompute.granularity=list", "recompute.ops=gelu,swiglu,rms_norm,layer_norm"}}},
      {{"overlap", overlap(true, true, true)},
       {"no-overlap", overlap(false, false, false)},
       {"serial-tensor", overlap(false, true, true)},
       {"serial-pipeline", overlap(true, false, true)},
       {"serial-data", overlap(true, true, false)}},
      sizes("buckets", "parallel.data_parallel_buckets", {8, 1, 3}),
      {{"prefetch", {}}, {"no-prefetch", {"data.prefetch=false"}}},
      {{"undisturbed", {}}, {"delays", {}}},
  };
}

bool is_valid(const Laboratory& laboratory, const Point& point) {
  const std::set<int> numbers{1, 2, 3, 4, 6, 8};
  if (!numbers.contains(ranks(point))) return false;
  try {
    (void)laboratory.config(settings(point));
    return true;
  } catch (const Error&) {
    return false;
  }
}

using Pair = std::array<std::uint8_t, 4>;  // aspect, value, aspect, value
std::vector<Pair> pairs_of(const Point& point, std::size_t aspects = kAspects) {
  std::vector<Pair> pairs;
  for (std::uint8_t a = 0; std::size_t{a} < aspects; ++a) {
    for (std::uint8_t b = 0; b < a; ++b) pairs.push_back({b, point[b], a, point[a]});
  }
  return pairs;
}

// All pairs of which some valid point has both values.
std::set<Pair> possible_pairs(const std::vector<Point>& all_layouts) {
  std::set<Pair> pairs;
  for (Point point : all_layouts) {
    // Free aspects in turn: a value of one goes with every value of another.
    for (std::size_t a = kLayoutAspects; a < kAspects; ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        for (std::uint8_t x = 0; x < values_of(kAllAspects[a]).size(); ++x) {
          const std::size_t choices = b < kLayoutAspects ? 1 : values_of(kAllAspects[b]).size();
          for (std::uint8_t y = 0; y < choices; ++y) {
            const std::uint8_t other = b < kLayoutAspects ? point[b] : y;
            pairs.insert({static_cast<std::uint8_t>(b), other, static_cast<std::uint8_t>(a), x});
          }
        }
      }
    }
    for (const Pair& pair : pairs_of(point, kLayoutAspects)) pairs.insert(pair);
  }
  return pairs;
}

class Drawer {
 public:
  explicit Drawer(std::uint64_t seed) : engine_(seed) {}
  std::size_t below(std::size_t n) { return engine_() % n; }
  void free_aspects(Point& point) {
    for (std::size_t a = kLayoutAspects; a < kAspects; ++a) {
      point[a] = static_cast<std::uint8_t>(below(values_of(kAllAspects[a]).size()));
    }
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace

std::span<const Value> values_of(Aspect aspect) {
  static const std::vector<std::vector<Value>> kTable = table();
  return kTable[static_cast<std::size_t>(aspect)];
}

const Value& value(const Point& point, Aspect aspect) {
  return values_of(aspect)[at(point, aspect)];
}

std::string name(const Point& point) {
  std::string text;
  for (const Aspect aspect : kAllAspects) {
    if (!text.empty()) text += ' ';
    text += value(point, aspect).label;
  }
  return text;
}

int ranks(const Point& point) {
  return value(point, Aspect::tensor).number * value(point, Aspect::context).number *
         value(point, Aspect::data).number * value(point, Aspect::pipeline).number;
}

Settings settings(const Point& point) {
  Settings all{fmt::format("parallel.world_size={}", ranks(point))};
  for (const Aspect aspect : kAllAspects) {
    const Settings& more = value(point, aspect).settings;
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

Outcome run(Laboratory& laboratory, const Point& point, std::int64_t steps) {
  RunOptions options{.most_steps = steps};
  if (at(point, Aspect::delays) != 0) {
    const std::uint64_t seed = std::hash<std::string>{}(name(point));
    options.before_task = [seed](std::uint32_t rank, std::uint32_t task) {
      random_delay(seed, rank, task);
    };
  }
  return laboratory.run(settings(point), std::move(options));
}

Point plainest(const Point& point) {
  Point plain{};
  for (const Aspect aspect : kAspectsOfBits) {
    plain[static_cast<std::size_t>(aspect)] = at(point, aspect);
  }
  // Stage 3 reduces the gradients of each micro-batch, so the sums are rounded in another order.
  if (value(point, Aspect::zero).number == 3)
    plain[static_cast<std::size_t>(Aspect::zero)] = at(point, Aspect::zero);
  return plain;
}

Point on_one_rank(const Point& point) {
  Point plain{};
  std::copy_n(point.begin(), 2, plain.begin());
  return plain;
}

const std::vector<Point>& layouts(const Laboratory& laboratory) {
  static const std::vector<Point> kLayouts = [&] {
    std::vector<Point> points{Point{}};
    for (std::size_t a = 0; a < kLayoutAspects; ++a) {
      std::vector<Point> longer;
      for (Point point : points) {
        for (std::size_t v = 0; v < values_of(kAllAspects[a]).size(); ++v) {
          point[a] = static_cast<std::uint8_t>(v);
          longer.push_back(point);
        }
      }
      points = std::move(longer);
    }
    std::erase_if(points, [&](const Point& point) { return !is_valid(laboratory, point); });
    return points;
  }();
  return kLayouts;
}

std::vector<Point> pairwise_cover(const Laboratory& laboratory, std::size_t least,
                                  std::uint64_t seed) {
  constexpr int kCandidates = 50;
  const std::vector<Point>& all = layouts(laboratory);
  std::set<Pair> missing = possible_pairs(all);
  std::set<Point> chosen, plain;
  std::vector<Point> points;
  Drawer drawer(seed);
  while (!missing.empty() || points.size() < least) {
    std::vector<Point> fitting = all;
    if (!missing.empty()) {
      const Pair wanted =
          *std::next(missing.begin(), static_cast<std::ptrdiff_t>(drawer.below(missing.size())));
      std::erase_if(fitting, [&](const Point& point) {
        return (wanted[0] < kLayoutAspects && point[wanted[0]] != wanted[1]) ||
               (wanted[2] < kLayoutAspects && point[wanted[2]] != wanted[3]);
      });
    }
    Point best{};
    std::size_t best_score = 0;
    for (int i = 0; i < kCandidates; ++i) {
      Point point = fitting[drawer.below(fitting.size())];
      drawer.free_aspects(point);
      const auto pairs = pairs_of(point);
      // Points that share a plainest one cost one run less.
      const std::size_t score =
          1 + (plain.contains(plainest(point)) ? 2 : 0) +
          2 * static_cast<std::size_t>(std::count_if(
                  pairs.begin(), pairs.end(), [&](const Pair& p) { return missing.contains(p); }));
      if (score > best_score) {
        best = point;
        best_score = score;
      }
    }
    for (const Pair& pair : pairs_of(best)) missing.erase(pair);
    plain.insert(plainest(best));
    if (chosen.insert(best).second) points.push_back(best);
  }
  return points;
}

std::vector<Point> whole_lattice(const Laboratory& laboratory, std::uint64_t seed) {
  std::vector<Point> points;
  Drawer drawer(seed);
  for (Point point : layouts(laboratory)) {
    const bool shards =
        value(point, Aspect::data).number * value(point, Aspect::context).number > 1;
    const std::uint8_t stages = shards ? 4 : 1;  // of ZeRO
    for (std::uint8_t zero = 0; zero < stages; ++zero) {
      drawer.free_aspects(point);
      point[static_cast<std::size_t>(Aspect::zero)] = zero;
      points.push_back(point);
    }
  }
  return points;
}

}  // namespace megascale::testing
