#ifndef MEGASCALE_PLAN_MODEL_STATE_H_
#define MEGASCALE_PLAN_MODEL_STATE_H_

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "megascale/graph/program.h"
#include "megascale/plan/step_plan.h"

// Where everything lies on a rank that outlives a step: parameters, masters, main gradients,
// optimizer state, staging. The same offsets hold in all plans of a run (train, evaluate, decode),
// whose own memory begins at nbytes.
namespace megascale::plan {

// A parameter's place in the flat buffers of its bucket.
struct ParameterPlace {
  graph::Parameter parameter;
  graph::Shape shape;          // of this rank's part
  std::uint32_t chunk = 0;     // of the stage
  std::uint32_t in_chunk = 0;  // its number in the chunk's program
  std::uint32_t global = 0;    // its number in global parameter order: of the whole model
  std::uint32_t bucket = 0;
  std::uint64_t begin = 0;  // elements from the start of the bucket, multiple of kFlatAlignment
  std::uint64_t count = 0;  // elements
};
// The shape of the whole tensor, without padding: no layout changes it.
[[nodiscard]] std::vector<std::int64_t> global_shape(const ParameterPlace& place);

// A run of layers of a chunk whose parameters travel together: one flat buffer each of parameters,
// gradients and moments. All its parameters have one dtype and are summed over the same axes. A
// parameter that the model uses twice (tied head) has a bucket of its own, cut alike wherever it
// stands.
struct FlatBucket {
  std::uint32_t chunk = 0;
  DType dtype = DType::float32;  // of its parameters; gradients, masters and moments are float32
  graph::AxisSet summed_over;    // axes of more than one rank
  std::uint32_t shards =
      1;  // that the optimizer's work and state is cut into, one per rank of the group
  std::uint64_t numel = 0;  // padded to equal shards of whole blocks
  bool tied = false;        // the first and the last stage of the pipeline both hold it
  BufferId parameters{}, gradients{};
  // Masters of this rank's shard. Parameters in float32 are their own masters: then this is their
  // buffer, of which the shard is meant.
  BufferId masters{};
  BufferId first_moment{}, second_moment{};   // of this rank's shard
  BufferId second_use_gradients = kNoBuffer;  // of a parameter that this chunk uses twice

  [[nodiscard]] std::uint64_t shard_numel() const noexcept { return numel / shards; }
};

struct ModelState {
  bool training = false;                   // gradients, moments and staging exist
  std::vector<ParameterPlace> parameters;  // by chunk, in the order of its program
  std::uint32_t global_parameters = 0;     // of the whole model
  std::uint32_t dense_parameters = 0;      // those with smaller numbers are on the dense axes
  std::vector<FlatBucket> buckets;
  BufferId update_state{};      // UpdateState
  BufferId staging{};           // next step's numbers and batch
  std::vector<Buffer> buffers;  // those named above, with offsets; the first buffers of every plan
  std::uint64_t nbytes = 0;
};

// Parameters of the whole model by name, numbered in the order of the layers: first all that are
// spread over the dense axes, then those of experts. The norms of either kind are then one range,
// which the ranks add that hold parts of it.
struct ParameterNumbers {
  std::map<std::string, std::uint32_t, std::less<>> by_name;
  std::uint32_t dense = 0;  // how many are no experts'
};
// Of chunk programs in global order; one that two chunks share counts once.
[[nodiscard]] ParameterNumbers number_parameters(std::span<const graph::Program* const> chunks);

struct ModelStateOptions {
  bool training = true;       // gradients, moments and staging exist
  std::uint32_t buckets = 8;  // at most, of a rank; a bucket holds whole scopes ("layer7")
  std::uint64_t staging_nbytes = 0;
  graph::AxisSizes axes;
  bool shard_optimizer = false;  // ZeRO stages 1 and 2
};
// Lays out the parameters of a stage's chunk programs (differentiated, if training).
ModelState place_model_state(std::span<const graph::Program* const> chunks,
                             const ParameterNumbers& numbers, const ModelStateOptions& options);

// Elements from 0 up to the next multiple of kFlatAlignment.
[[nodiscard]] constexpr std::uint64_t pad_flat(std::uint64_t numel) noexcept {
  return (numel + kFlatAlignment - 1) / kFlatAlignment * kFlatAlignment;
}
// Every buffer of the arena begins on a multiple of this many bytes.
inline constexpr std::uint64_t kBufferAlignment = 256;
[[nodiscard]] constexpr std::uint64_t align_buffer(std::uint64_t nbytes) noexcept {
  return (nbytes + kBufferAlignment - 1) / kBufferAlignment * kBufferAlignment;
}

}  // namespace megascale::plan

#endif  // MEGASCALE_PLAN_MODEL_STATE_H_
