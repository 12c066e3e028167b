#ifndef MEGASCALE_KERNELS_CUDA_OPTIMIZER_H_
#define MEGASCALE_KERNELS_CUDA_OPTIMIZER_H_

#include <cstddef>
#include <cstdint>

#include "megascale/base/step_numbers.h"

struct CUstream_st;

// The end of a step on flat buffers, on a device: norms, the decision to update, AdamW and LAMB.
// Formulas and error bounds are those of kernels/cpu/optimizer.h and block_norm.h. All pointers
// point to device memory; flat buffers are aligned to 16 bytes. Failures: see activation.h. Sums
// are added in a fixed order. The kernels read the decision of a step (UpdateScalars) on the
// device, so nothing waits for the host.
namespace megascale::kernels::cuda {

// Elements in a block of a flat buffer. Tensors and shards begin at multiples of it
// (graph::kFlatAlignment), so a block belongs to one tensor.
inline constexpr std::size_t kFlatBlock = 4096;

// The tensor to which a block of a shard belongs.
struct FlatBlock {
  // The first `count` elements belong to the tensor; the rest is padding and keeps its values.
  std::uint32_t count = 0;
  std::uint32_t parameter = 0;  // the tensor's index in the global order of parameters
  std::uint32_t decay = 0;      // not 0: weight decay applies
};

// sums[b] = sum of squares of block b of x (count elements), in float64.
// Bits  the order within a block is fixed, so bits do not depend on the number of ranks.
// Cost  reads x once.
struct BlockSquareSums {
  std::size_t count = 0;
  const float* x = nullptr;
  double* sums = nullptr;
};
void block_square_sums(const BlockSquareSums& args, CUstream_st* stream) noexcept;

// sum += addend, count elements.
void add_in_place(std::size_t count, float* sum, const float* addend, CUstream_st* stream) noexcept;

// Consecutive blocks of a flat buffer that belong to one parameter.
struct BlockRun {
  std::uint64_t begin = 0, count = 0;  // in blocks
  std::uint64_t parameter = 0;
};
// sums[p] = sum of the square sums of the blocks of parameter p; 0 for a parameter without a run.
// If `stop` is not null, numbers->votes is written to it.
struct ParameterNorms {
  const double* blocks = nullptr;  // square sums by block (block_square_sums)
  double* sums = nullptr;          // (parameters)
  std::size_t parameters = 0;
  const BlockRun* runs = nullptr;  // (run_count), at most one per parameter
  std::size_t run_count = 0;
  const StepNumbers* numbers = nullptr;
  double* stop = nullptr;
};
void parameter_norms(const ParameterNorms& args, CUstream_st* stream) noexcept;

// Adds up the losses of all ranks and the squares of all parameters, in a fixed order. Then
// decides: the update is skipped if no token counts or if the loss or the norm is not finite;
// otherwise the gradients are scaled by clip factor / valid tokens. Writes `state` and `scalars`.
struct GradientNorm {
  const double* sums = nullptr;  // square sums by parameter
  std::size_t parameters = 0;
  // For each rank: (loss sum, valid tokens) of every micro-batch, then its stop request.
  const double* losses = nullptr;
  std::size_t ranks = 0, micro_batches = 0;
  double clip_norm = 0;  // 0: no clipping
  const StepNumbers* numbers = nullptr;
  UpdateState* state = nullptr;
  UpdateScalars* scalars = nullptr;
};
void gradient_norm(const GradientNorm& args, CUstream_st* stream) noexcept;

struct AdamConstants {
  double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8, weight_decay = 0;
};
// The operands of an optimizer kernel: a shard of `blocks` blocks.
struct FlatUpdate {
  const FlatBlock* table = nullptr;  // by block
  std::size_t blocks = 0;
  float* parameters = nullptr;  // masters
  float* gradients = nullptr;   // AdamW only reads them
  float* first_moment = nullptr;
  float* second_moment = nullptr;
  const UpdateScalars* scalars = nullptr;
  AdamConstants constants;
  void* model_parameters = nullptr;  // bfloat16: the updated masters, rounded; or null
};
// Each of the three does nothing if scalars->skip is set.
// AdamW. Moves 28 bytes per element, 30 with model parameters.
void adamw(const FlatUpdate& args, CUstream_st* stream) noexcept;
// LAMB's first pass. Writes the directions over the gradients, and the square sums of parameters
// and directions by block (`blocks` values each).
void lamb_direction(const FlatUpdate& args, double* parameter_squares, double* direction_squares,
                    CUstream_st* stream) noexcept;
// LAMB's second pass. weight_sums and direction_sums are square sums by parameter, over all shards.
// `args.gradients` are the directions.
void lamb_apply(const FlatUpdate& args, const double* weight_sums, const double* direction_sums,
                CUstream_st* stream) noexcept;

}  // namespace megascale::kernels::cuda

#endif  // MEGASCALE_KERNELS_CUDA_OPTIMIZER_H_
