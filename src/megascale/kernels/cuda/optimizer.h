#ifndef MEGASCALE_KERNELS_CUDA_OPTIMIZER_H_
#define MEGASCALE_KERNELS_CUDA_OPTIMIZER_H_

#include <cstddef>
#include <cstdint>

#include "megascale/base/step_numbers.h"

struct CUstream_st;

// The end of a step over flat buffers: norms, the decision to update, AdamW and LAMB; formulas and
// error bounds as in kernels/cpu/optimizer.h and block_norm.h. All pointers are device memory,
// flat buffers aligned to 16 bytes;
// failures: see activation.h. Sums have one order. What a step decides (UpdateScalars) is read on
// the device: nothing here waits for the host.
namespace megascale::kernels::cuda {

inline constexpr std::size_t kFlatBlock = 4096;

// What a block of kFlatBlock elements of a shard belongs to: tensors and shards begin on blocks, so
// that is one tensor.
struct FlatBlock {
  // Elements of the tensor in it, from its start; the rest is padding and is not touched.
  std::uint32_t count = 0;
  std::uint32_t parameter = 0;
  std::uint32_t decay = 0;
};

// sums[b] = sum of squares of block b of x (count), float64.  Bits  one order within a block,
// whatever else there is: the same for every number of ranks.  Cost  reads x once.
struct BlockSquareSums {
  std::size_t count = 0;
  const float* x = nullptr;
  double* sums = nullptr;
};
void block_square_sums(const BlockSquareSums& args, CUstream_st* stream) noexcept;

// sum += addend, count elements.
void add_in_place(std::size_t count, float* sum, const float* addend, CUstream_st* stream) noexcept;

// A run of blocks that are one parameter's.
struct BlockRun {
  std::uint64_t begin = 0, count = 0;  // in blocks
  std::uint64_t parameter = 0;
};
// sums[p] = sum of the blocks of the run of parameter p, 0 for parameters without one. If `stop` is
// not null, it becomes the numbers' stop_requested.
struct ParameterNorms {
  const double* blocks = nullptr;
  double* sums = nullptr;
  std::size_t parameters = 0;
  const BlockRun* runs = nullptr;
  std::size_t run_count = 0;
  const StepNumbers* numbers = nullptr;
  double* stop = nullptr;
};
void parameter_norms(const ParameterNorms& args, CUstream_st* stream) noexcept;

// Losses and norms in their one order, then the decision: clip, or skip the update where anything
// is not finite. `sums`: by parameter; losses: of every rank (sum, valid tokens) by micro-batch,
// then its stop requests.
struct GradientNorm {
  const double* sums = nullptr;
  std::size_t parameters = 0;
  const double* losses = nullptr;
  std::size_t ranks = 0, micro_batches = 0;
  double clip_norm = 0;
  const StepNumbers* numbers = nullptr;
  UpdateState* state = nullptr;
  UpdateScalars* scalars = nullptr;
};
void gradient_norm(const GradientNorm& args, CUstream_st* stream) noexcept;

struct AdamConstants {
  double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8, weight_decay = 0;
};
// Of a shard of `blocks` blocks.
struct FlatUpdate {
  const FlatBlock* table = nullptr;  // by block
  std::size_t blocks = 0;
  float* parameters = nullptr;  // masters
  float* gradients = nullptr;   // AdamW only reads them
  float* first_moment = nullptr;
  float* second_moment = nullptr;
  const UpdateScalars* scalars = nullptr;
  AdamConstants constants;
  void* model_parameters = nullptr;  // bfloat16, rounded from the masters; or null
};
// Moves 28 bytes per element, 30 with model parameters.
void adamw(const FlatUpdate& args, CUstream_st* stream) noexcept;
// Directions into the gradients; square sums of parameters and directions by block.
void lamb_direction(const FlatUpdate& args, double* parameter_squares, double* direction_squares,
                    CUstream_st* stream) noexcept;
// Square sums by parameter, of weights and of directions.
void lamb_apply(const FlatUpdate& args, const double* weight_sums, const double* direction_sums,
                CUstream_st* stream) noexcept;

}  // namespace megascale::kernels::cuda

#endif  // MEGASCALE_KERNELS_CUDA_OPTIMIZER_H_
