#ifndef MEGASCALE_PLAN_MODEL_STATE_H_
#define MEGASCALE_PLAN_MODEL_STATE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "megascale/graph/program.h"
#include "megascale/plan/step_plan.h"

// Where everything lies that outlives a step: parameters, masters, main gradients, optimizer state,
// staging. The same offsets hold in all plans of a run (train, evaluate, decode), whose own memory
// begins at nbytes.
namespace megascale::plan {

// A parameter's place in the flat buffers of its bucket.
struct ParameterPlace {
  graph::Parameter parameter;
  graph::Shape shape;
  std::uint32_t bucket = 0;
  std::uint64_t begin = 0;  // elements from the start of the bucket, multiple of kFlatAlignment
  std::uint64_t count = 0;  // elements
};

// A run of layers whose parameters travel together: one flat buffer each of parameters, gradients
// and moments.
struct FlatBucket {
  std::uint64_t numel = 0;  // padded
  BufferId parameters{}, masters{}, gradients{}, first_moment{},
      second_moment{};  // masters == parameters for float32
};

// The accumulator of a second use of a parameter (tied head), added to the first at the end of the
// step.
struct ExtraGradient {
  graph::TensorId tensor{};
  std::uint32_t parameter = 0;  // into parameters
  BufferId buffer{};
};

struct ModelState {
  bool training = false;                   // gradients, moments and staging exist
  std::vector<ParameterPlace> parameters;  // in global parameter order
  std::vector<FlatBucket> buckets;
  std::vector<ExtraGradient> extra_gradients;
  BufferId update_state{};      // UpdateState
  BufferId staging{};           // next step's numbers and batch
  std::vector<Buffer> buffers;  // those named above, with offsets; the first buffers of every plan
  std::uint64_t nbytes = 0;
};

struct ModelStateOptions {
  bool training = true;       // gradients, moments and staging exist
  std::uint32_t buckets = 8;  // at most; a bucket holds whole scopes ("layer7")
  std::uint64_t staging_nbytes = 0;
};
// Lays out the parameters of a program (differentiated, if training).
ModelState place_model_state(const graph::Program& program, const ModelStateOptions& options);

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
