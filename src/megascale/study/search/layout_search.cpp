#include "megascale/study/search/layout_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "megascale/config/derived.h"
#include "megascale/config/load.h"

namespace megascale::study {
namespace {

// The fraction of its peaks that a device reaches, for estimates.
constexpr double kReached = 0.7;
// The fraction of a dimension's communication that stays exposed where its overlap is on.
constexpr double kExposed = 0.3;

double number(std::int64_t value) { return static_cast<double>(value); }

// Elements of the matrices of one layer.
double layer_elements(const ModelConfig& m) {
  const double h = number(m.hidden_size), f = number(m.ffn_hidden_size);
  const double query = number(m.num_attention_heads * m.head_dim),
               key = number(m.num_query_groups * m.head_dim);
  const double matrices = m.activation == Activation::swiglu ? 3 : 2;
  return 2 * h * query + 2 * h * key + matrices * h * f;
}

// The FLOPs of a micro-batch over those without recomputation.
double recompute_factor(RecomputeGranularity granularity) {
  return granularity == RecomputeGranularity::full ? 4.0 / 3 : 1.0;
}

// The fraction of a large product's rate that a product of `rows` x `columns` reaches:
// multiprocessors work on tiles of 128 x 128, in rounds.
double tile_efficiency(double rows, double columns, double multiprocessors) {
  constexpr double kTile = 128;
  const double tiles = std::ceil(rows / kTile) * std::ceil(columns / kTile);
  return rows * columns / (kTile * kTile) / (std::ceil(tiles / multiprocessors) * multiprocessors);
}

// The parts of a step and of a rank's memory that depend on the layout most.
void estimate(const simulate::Cluster& cluster, Candidate& candidate) {
  const Config& c = candidate.config;
  const ModelConfig& m = c.model;
  const bool half = m.dtype == DType::bfloat16;
  const double element = half ? 2 : 4;
  const double t = number(c.parallel.tensor_model_parallel_size),
               p = number(c.parallel.pipeline_model_parallel_size),
               v = number(c.parallel.virtual_pipeline_size), d = number(data_parallel_size(c)),
               micro_batches = number(num_micro_batches(c)), layers = number(m.num_layers);
  const double h = number(m.hidden_size), tokens = number(c.train.micro_batch_size * m.seq_length) /
                                                   number(c.parallel.context_parallel_size);
  const double embedding = number(padded_vocab_size(c)) * h;
  const double elements = layers * layer_elements(m) + embedding;
  const auto exposed = [](bool overlaps) { return overlaps ? kExposed : 1.0; };
  const double near = 1e9 * kReached * cluster.node.gb_per_s,
               far = 1e9 * kReached * cluster.network.gb_per_s;

  const double peak =
      1e12 * (half ? cluster.device.bfloat16_tflops : cluster.device.float32_tflops);
  const double window = number(m.sliding_window == 0 ? m.seq_length : m.sliding_window);
  const double attention = 6 * layers * number(m.num_attention_heads * m.head_dim) * window;
  const bool cut = c.overlap.tensor && t > 1 && c.overlap.tensor_pieces > 0;
  const double pieces = cut ? t * number(c.overlap.tensor_pieces) : 1.0;  // of a product's rows
  const double reached = kReached * tile_efficiency(tokens / pieces, number(m.ffn_hidden_size) / t,
                                                    cluster.device.multiprocessors);
  const double micro_batch = recompute_factor(c.recompute.granularity) * tokens *
                             (6 * elements + attention) / (t * p * peak * reached);
  const double tensor =
      exposed(c.overlap.tensor) * 6 * (t - 1) / t * tokens * h * element * layers / p / near;
  const double pipeline =
      p == 1 ? 0 : exposed(c.overlap.pipeline) * 2 * v * tokens * h * element / t / far;
  const double data =
      exposed(c.overlap.data) * (4 + element) * elements / (t * p) * (d - 1) / d / far;
  candidate.estimated_seconds =
      (micro_batch + tensor) * (micro_batches + (p - 1) / v) + pipeline * micro_batches + data;

  const double state = element + 4 + (half ? 12.0 : 8.0) / (c.parallel.zero_stage > 0 ? d : 1.0);
  const bool full = c.recompute.granularity == RecomputeGranularity::full;
  const double in_flight = std::min(micro_batches, p + (v > 1 ? (p - 1) / v : 0.0));
  candidate.estimated_nbytes = elements / (t * p) * state + tokens * h * layers / p * in_flight *
                                                                element * (full ? 1.0 : 17.0) / t;
}

class Search {
 public:
  Search(const Config& job, const simulate::Cluster& cluster) : job_(job), cluster_(cluster) {}

  std::vector<Candidate> run() {
    const std::int64_t ranks = world_size(job_) / job_.parallel.context_parallel_size;
    for (std::int64_t t = 1; t <= std::min(cluster_.devices_per_node, ranks); ++t) {
      for (std::int64_t p = 1; p <= std::min(ranks / t, job_.model.num_layers); ++p) {
        if (ranks % (t * p) == 0 && job_.model.num_layers % p == 0) chunks(t, p);
      }
    }
    std::stable_sort(found_.begin(), found_.end(), [](const Candidate& a, const Candidate& b) {
      return a.estimated_seconds < b.estimated_seconds;
    });
    return std::move(found_);
  }

 private:
  void chunks(std::int64_t t, std::int64_t p) {
    const std::int64_t layers = job_.model.num_layers / p;
    for (std::int64_t v = 1; v <= (p == 1 ? 1 : layers); ++v) {
      if (layers % v != 0) continue;
      for (std::int64_t micro = 1; micro <= job_.train.global_batch_size; micro *= 2) {
        for (const char* recompute : {"none", "selective", "full"}) add(t, p, v, micro, recompute);
      }
    }
  }

  void add(std::int64_t t, std::int64_t p, std::int64_t v, std::int64_t micro,
           const char* recompute) {
    Candidate candidate{
        .config = {},
        .overrides = {fmt::format("parallel.world_size={}", world_size(job_)),
                      fmt::format("parallel.tensor_model_parallel_size={}", t),
                      fmt::format("parallel.pipeline_model_parallel_size={}", p),
                      fmt::format("parallel.virtual_pipeline_size={}", v),
                      fmt::format("parallel.pipeline_schedule={}", v > 1 ? "interleaved" : "1f1b"),
                      fmt::format("train.micro_batch_size={}", micro),
                      fmt::format("train.global_batch_size={}", job_.train.global_batch_size),
                      fmt::format("recompute.granularity={}", recompute)}};
    try {
      candidate.config = parse_config(to_toml(job_), "the job", candidate.overrides);
    } catch (const Error&) {
      return;  // the rules forbid it: heads that do not divide, micro-batches that do not fit ...
    }
    estimate(cluster_, candidate);
    found_.push_back(std::move(candidate));
  }

  const Config& job_;
  const simulate::Cluster& cluster_;
  std::vector<Candidate> found_;
};

}  // namespace

std::vector<Candidate> candidates_of(const Config& job, const simulate::Cluster& cluster) {
  return Search(job, cluster).run();
}

}  // namespace megascale::study
