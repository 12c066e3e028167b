#ifndef MEGASCALE_PLAN_MODEL_STATE_H_
#define MEGASCALE_PLAN_MODEL_STATE_H_

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "megascale/graph/program.h"
#include "megascale/plan/step_plan.h"

// Lays out the memory that outlives a step: parameters, masters, main gradients, optimizer state
// and the staging of batches. It comes first in the arena, at the same offsets in all plans of a
// run (train, evaluate, decode). The memory of each plan itself begins at ModelState::nbytes.
//
// Parameters lie in flat buffers, one set per bucket. A bucket is a run of layers whose parameters
// travel together in data parallelism.
namespace megascale::plan {

// The position of a parameter in the flat buffers of its bucket.
struct ParameterPlace {
  graph::Parameter parameter;
  graph::Shape shape;          // of the part that this rank holds
  std::uint32_t chunk = 0;     // number of the chunk in the stage
  std::uint32_t in_chunk = 0;  // number of the parameter in the chunk's program
  std::uint32_t global = 0;    // number of the parameter in the whole model (ParameterNumbers)
  std::uint32_t bucket = 0;
  std::uint64_t begin = 0;  // elements from the start of the bucket; multiple of kFlatAlignment
  std::uint64_t count = 0;  // elements, without padding
  // Of a parameter in 8 bits: the number of its scales, and that of the first one in the bucket.
  std::uint32_t scales = 0, first_scale = 0;
};
// Returns the shape of the whole tensor without padding. It is the same in every layout of ranks.
[[nodiscard]] std::vector<std::int64_t> global_shape(const ParameterPlace& place);

// The flat buffers of a run of layers of one chunk: one each for parameters, gradients and moments.
// All parameters of a bucket have one dtype and one rule of update, and are summed over the same axes. A
// frozen bucket has no gradients, moments or masters of its own, and no shards unless it is divided. A parameter that the
// model uses twice (a tied head) has a bucket of its own. Wherever that parameter stands, its
// bucket then has the same size and the same shards.
struct FlatBucket {
  std::uint32_t chunk = 0;
  // Of the parameters; gradients, masters and moments are float32. Those in float8_e4m3 have scales.
  DType dtype = DType::float32;
  graph::AxisSet summed_over;  // axes of the data-parallel group; each has more than one rank
  // Number of equal parts into which the optimizer's work and state is cut: one per rank of the
  // group under ZeRO, else 1.
  std::uint32_t shards = 1;
  std::uint64_t numel = 0;  // elements, padded to equal shards of whole blocks
  // The number of its run of layers in the stage; buckets of one run are used together.
  std::uint32_t run = 0;
  // ZeRO stage 3: `parameters`, `masters` and `gradients` hold this rank's shard only. A plan has
  // memory for the whole bucket only while ops use it (divided_parameters.cpp).
  bool divided = false;
  bool tied = false;  // the first and the last stage of the pipeline both hold it
  graph::UpdateRule rule = graph::UpdateRule::optimizer;  // of its parameters
  std::uint32_t scales = 0;                               // of parameters in 8 bits; none else
  BufferId parameters{};
  BufferId scale_values = kNoBuffer;  // float32, of the whole bucket
  BufferId gradients = kNoBuffer;
  // The float32 masters of this rank's shard. If the parameters are float32, they are their own
  // masters: then this is the buffer of parameters, which holds the whole bucket unless it is divided.
  BufferId masters{};
  BufferId first_moment = kNoBuffer, second_moment = kNoBuffer;  // of this rank's shard
  // Gradients of the second use, if this chunk uses the parameter twice.
  BufferId second_use_gradients = kNoBuffer;

  [[nodiscard]] bool is_trained() const noexcept { return rule != graph::UpdateRule::frozen; }
  [[nodiscard]] std::uint64_t shard_numel() const noexcept { return numel / shards; }
  // The elements of parameters and of gradients that this rank keeps from step to step.
  [[nodiscard]] std::uint64_t kept_numel() const noexcept {
    return divided ? shard_numel() : numel;
  }
};

// The layout of a rank. A value.
struct ModelState {
  bool training = false;                   // gradients, moments and staging exist
  std::vector<ParameterPlace> parameters;  // by chunk, in the order of its program
  std::uint32_t global_parameters = 0;     // number of parameters of the whole model
  std::uint32_t dense_parameters = 0;      // parameters with smaller numbers are on the dense axes
  std::vector<FlatBucket> buckets;
  BufferId update_state{};  // holds UpdateState
  BufferId staging{};       // numbers and batch of the next step
  // All buffers named above, with offsets. They are the first buffers of every plan.
  std::vector<Buffer> buffers;
  std::uint64_t nbytes = 0;  // bytes, from the start of the arena
};

// Numbers the parameters of the whole model in the order of the layers: first all that are spread
// over the dense axes, then those of experts. The norms of each kind are then one range. Each range
// is added over the ranks that hold parts of those parameters.
struct ParameterNumbers {
  std::map<std::string, std::uint32_t, std::less<>> by_name;
  std::uint32_t dense = 0;  // number of parameters that do not belong to experts
};
// Numbers the parameters of all chunk programs, which are given in global order. A parameter that
// two chunks share counts once.
[[nodiscard]] ParameterNumbers number_parameters(std::span<const graph::Program* const> chunks);

struct ModelStateOptions {
  bool training = true;              // gradients, moments and staging are needed
  std::uint32_t buckets = 8;         // at most, per rank; a bucket holds whole scopes ("layer7")
  std::uint64_t staging_nbytes = 0;  // size of the staging buffer, bytes
  graph::AxisSizes axes;
  bool shard_optimizer = false;   // true for ZeRO stages 1, 2 and 3
  bool shard_parameters = false;  // true for ZeRO stage 3
  // The schedule runs weight gradients apart. With shard_parameters, a bucket then has either the parameters
  // whose gradients these are or the others, since a bucket's gradients are reduced together.
  bool splits_weight_gradients = false;
};
// Lays out the parameters of a stage's chunk programs, which must be differentiated if training.
ModelState place_model_state(std::span<const graph::Program* const> chunks,
                             const ParameterNumbers& numbers, const ModelStateOptions& options);

// Returns `numel` rounded up to a multiple of kFlatAlignment.
[[nodiscard]] constexpr std::uint64_t pad_flat(std::uint64_t numel) noexcept {
  return (numel + kFlatAlignment - 1) / kFlatAlignment * kFlatAlignment;
}
// Every buffer of the arena begins at a multiple of this many bytes.
inline constexpr std::uint64_t kBufferAlignment = 256;
[[nodiscard]] constexpr std::uint64_t align_buffer(std::uint64_t nbytes) noexcept {
  return (nbytes + kBufferAlignment - 1) / kBufferAlignment * kBufferAlignment;
}

}  // namespace megascale::plan

#endif  // MEGASCALE_PLAN_MODEL_STATE_H_
