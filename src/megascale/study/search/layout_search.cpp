// Lists the layouts that `megascale tune` may simulate. The search goes through all tensor-parallel
// sizes, pipeline sizes, numbers of chunks, micro-batch sizes and kinds of recomputation. The
// configuration's own checks reject the combinations that are not allowed. A simulation of every
// layout would take too long, so each gets a rough closed-form estimate of its step time and
// memory. The estimates only order the layouts; tuning.cpp plans and simulates the best ones.
#include "megascale/study/search/layout_search.h"

#include <fmt/format.h>

#include <algorithm>

#include "megascale/config/derived.h"
#include "megascale/config/load.h"
#include "megascale/graph/sliding_window.h"
#include "megascale/simulate/product_tiles.h"

namespace megascale::study {
namespace {

// The share of a device's or link's peak rate that estimates assume.
constexpr double kReached = 0.7;
// The share of communication that estimates assume to stay exposed if its overlap is on.
constexpr double kExposed = 0.3;

double number(std::int64_t value) { return static_cast<double>(value); }

// Returns the number of elements of one layer's weight matrices.
double layer_elements(const ModelConfig& m) {
  const double h = number(m.hidden_size), f = number(m.ffn_hidden_size);
  const double query = number(m.num_attention_heads * m.head_dim),
               key = number(m.num_query_groups * m.head_dim);
  const double matrices = m.activation == Activation::swiglu ? 3 : 2;
  return 2 * h * query + 2 * h * key + matrices * h * f;
}

// Returns the FLOPs of a micro-batch relative to those without recomputation. Full recomputation
// adds a second forward, a third of forward and backward together.
double recompute_factor(RecomputeGranularity granularity) {
  return granularity == RecomputeGranularity::full ? 4.0 / 3 : 1.0;
}

// Fills in estimated_seconds and estimated_nbytes. It counts only the parts of a step and of a
// rank's memory that depend most on the layout. t, p, v, d: tensor size, pipeline size, chunks per
// stage, data size.
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
  // FLOPs of attention per token: two products forward and four backward, over the visible keys.
  const double visible_keys = graph::visible_pairs(static_cast<std::size_t>(m.seq_length),
                                                   static_cast<std::size_t>(m.sliding_window)) /
                              number(m.seq_length);
  const double attention = 12 * layers * number(m.num_attention_heads * m.head_dim) * visible_keys;
  const bool cut = c.overlap.tensor && t > 1 && c.overlap.tensor_pieces > 0;
  // Number of pieces into which overlap cuts the rows of a product.
  const double pieces = cut ? t * number(c.overlap.tensor_pieces) : 1.0;
  const double reached =
      kReached / simulate::tile_factor(tokens / pieces, number(m.ffn_hidden_size) / t,
                                       cluster.device.multiprocessors);
  // Seconds of one micro-batch on one stage: computation, then exposed tensor-parallel
  // communication.
  const double micro_batch = recompute_factor(c.recompute.granularity) * tokens *
                             (6 * elements + attention) / (t * p * peak * reached);
  const double tensor =
      exposed(c.overlap.tensor) * 6 * (t - 1) / t * tokens * h * element * layers / p / near;
  // Seconds of one micro-batch: activations forward and gradients backward through v chunks.
  const double pipeline =
      p == 1 ? 0 : exposed(c.overlap.pipeline) * 2 * v * tokens * h * element / t / far;
  // Seconds of a step: float32 gradients are reduced, parameters in the model's dtype are gathered.
  const double data =
      exposed(c.overlap.data) * (4 + element) * elements / (t * p) * (d - 1) / d / far;
  // (p - 1) / v micro-batches more: the pipeline bubble.
  candidate.estimated_seconds =
      (micro_batch + tensor) * (micro_batches + (p - 1) / v) + pipeline * micro_batches + data;

  // Bytes per element: parameter, float32 main gradient, and the optimizer state, which ZeRO
  // shards.
  const double state = element + 4 + (half ? 12.0 : 8.0) / (c.parallel.zero_stage > 0 ? d : 1.0);
  const bool full = c.recompute.granularity == RecomputeGranularity::full;
  // Activations of micro-batches in flight: about 17 elements per token, hidden unit and layer, or
  // only the layer's input with full recomputation.
  const double in_flight = std::min(micro_batches, p + (v > 1 ? (p - 1) / v : 0.0));
  candidate.estimated_nbytes = elements / (t * p) * state + tokens * h * layers / p * in_flight *
                                                                element * (full ? 1.0 : 17.0) / t;
}

// Lists the candidates of one job.
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
  // Adds the candidates of one tensor size and one pipeline size.
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
      return;  // not allowed: for example, the tensor size does not divide the attention heads
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
