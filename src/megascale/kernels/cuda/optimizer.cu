// Kernels for the end of a step. A thread block handles one block of kFlatBlock elements, which
// belongs to one tensor, so that settings and square sums are those of one tensor. Norms are
// float64 sums in a fixed order. The decision to clip or skip is made by one thread and read by the
// update kernels from device memory.
#include "megascale/kernels/cuda/device_code.h"
#include "megascale/kernels/cuda/optimizer.h"

namespace megascale::kernels::cuda {
namespace {

constexpr unsigned kBlock = 256;
constexpr std::size_t kGroups = kFlatBlock / 4;  // groups of four elements in a block

using Four = Pack<float, 4>;
using FourBf16 = Pack<Bf16, 4>;

// Returns the sum of squares of a block's first `count` floats, on every thread of the block. A
// thread loads all of its elements before it uses the first one, so that the loads overlap. Squares
// of floats are exact in double.
__device__ double square_sum(const float* x, std::size_t count) {
  constexpr int kOwn = kGroups / kBlock;
  Four own[kOwn] = {};
#pragma unroll
  for (int j = 0; j < kOwn; ++j) {
    const std::size_t group = threadIdx.x + j * kBlock, begin = group * 4;
    if (begin + 4 <= count) {
      own[j] = reinterpret_cast<const Four*>(x)[group];
    } else {
      for (int k = 0; k < 4; ++k) own[j].at[k] = begin + k < count ? x[begin + k] : 0.0F;
    }
  }
  double sum = 0;
  for (const Four& four : own) {
    for (const float value : four.at)
      sum += static_cast<double>(value) * static_cast<double>(value);
  }
  return block_sum(sum);
}

__global__ void __launch_bounds__(kBlock) block_square_sums_kernel(BlockSquareSums a) {
  const std::size_t begin = blockIdx.x * kFlatBlock;
  const std::size_t count = a.count - begin < kFlatBlock ? a.count - begin : kFlatBlock;
  const double sum = square_sum(a.x + begin, count);
  if (threadIdx.x == 0) a.sums[blockIdx.x] = sum;
}

__global__ void add_in_place_kernel(std::size_t count, float* sum, const float* addend) {
  for (std::size_t i = grid_thread(); i < count; i += grid_threads()) sum[i] += addend[i];
}

// Thread block r adds the blocks of run r. clear_sums_kernel has set all sums to 0 before.
__global__ void parameter_norms_kernel(ParameterNorms a) {
  const BlockRun run = a.runs[blockIdx.x];
  double sum = 0;
  for (std::size_t i = threadIdx.x; i < run.count; i += blockDim.x) sum += a.blocks[run.begin + i];
  sum = block_sum(sum);
  if (threadIdx.x == 0) a.sums[run.parameter] = sum;
}
__global__ void clear_sums_kernel(ParameterNorms a) {
  const std::size_t first = grid_thread();
  for (std::size_t i = first; i < a.parameters; i += grid_threads()) a.sums[i] = 0;
  if (first == 0 && a.stop != nullptr) *a.stop = a.numbers->votes;
}

__device__ bool is_finite(double x) { return x - x == 0.0; }

__global__ void gradient_norm_kernel(GradientNorm a) {
  if (threadIdx.x != 0) return;
  UpdateScalars scalars;
  scalars.learning_rate = a.numbers->learning_rate;
  const double* losses = a.losses;
  for (std::size_t rank = 0; rank < a.ranks; ++rank) {
    for (std::size_t m = 0; m < a.micro_batches; ++m) {
      scalars.loss_sum += *losses++;
      scalars.valid_tokens += *losses++;
    }
    scalars.votes += *losses++;
  }
  double squares = 0;
  for (std::size_t p = 0; p < a.parameters; ++p) squares += a.sums[p];
  scalars.gradient_norm = sqrt(squares) / scalars.valid_tokens;
  const bool good =
      scalars.valid_tokens > 0 && is_finite(scalars.loss_sum) && is_finite(scalars.gradient_norm);
  scalars.skip = good ? 0 : 1;
  if (!good) {
    ++a.state->skipped;
  } else {
    ++a.state->updates;
    double clip = 1;
    if (a.clip_norm > 0) {
      // The 1e-6 keeps a zero norm harmless, as in Megatron-LM and PyTorch.
      const double ratio = a.clip_norm / (scalars.gradient_norm + 1e-6);
      clip = ratio < 1 ? ratio : 1;
    }
    scalars.gradient_scale = clip / scalars.valid_tokens;
  }
  scalars.updates = a.state->updates;
  *a.scalars = scalars;
}

// The factors of the update formulas, computed in double and rounded to float once.
struct AdamFactors {
  float scale, beta1, fresh1, beta2, fresh2, mhat, root_vhat, eps, decay, lr;
};

// Computes the factors. One thread does it for its block, since powers in double are slow.
__device__ AdamFactors factors_of(const AdamConstants& c, const UpdateScalars& s) {
  __shared__ AdamFactors shared;
  if (threadIdx.x == 0) {
    const double t = static_cast<double>(s.updates);
    shared = {static_cast<float>(s.gradient_scale),
              static_cast<float>(c.beta1),
              static_cast<float>(1 - c.beta1),
              static_cast<float>(c.beta2),
              static_cast<float>(1 - c.beta2),
              static_cast<float>(1 / (1 - pow(c.beta1, t))),
              static_cast<float>(1 / sqrt(1 - pow(c.beta2, t))),
              static_cast<float>(c.epsilon),
              static_cast<float>(c.weight_decay),
              static_cast<float>(s.learning_rate)};
  }
  __syncthreads();
  return shared;
}

// Updates the moments and returns mhat / (sqrt(vhat) + eps).
__device__ float adam_step(const AdamFactors& f, float gradient, float& m, float& v) {
  const float g = gradient * f.scale;
  m = fmaf(f.beta1, m, f.fresh1 * g);
  v = fmaf(f.beta2, v, f.fresh2 * g * g);
  return m * f.mhat / fmaf(sqrtf(v), f.root_vhat, f.eps);
}

// Thread block b updates block b of the shard, in groups of four elements. A group at the end of
// the tensor is read and written as a whole; its padding is written back unchanged.
__global__ void adamw_kernel(FlatUpdate a) {
  const UpdateScalars scalars = *a.scalars;
  if (scalars.skip != 0) return;
  const AdamFactors f = factors_of(a.constants, scalars);
  const FlatBlock block = a.table[blockIdx.x];
  const float decay = block.decay != 0 ? f.decay : 0.0F;
  const std::size_t begin = blockIdx.x * kFlatBlock;
  for (std::size_t i = threadIdx.x; i < kGroups; i += kBlock) {
    if (i * 4 >= block.count) break;
    const std::size_t group = begin / 4 + i;
    Four p = reinterpret_cast<Four*>(a.parameters)[group];
    const Four g = reinterpret_cast<const Four*>(a.gradients)[group];
    Four m = reinterpret_cast<Four*>(a.first_moment)[group];
    Four v = reinterpret_cast<Four*>(a.second_moment)[group];
    FourBf16 rounded;
    for (int k = 0; k < 4; ++k) {
      // Padding after the end of the tensor keeps its values.
      if (i * 4 + k < block.count) {
        const float step = adam_step(f, g.at[k], m.at[k], v.at[k]);
        // The whole change is computed first and subtracted once. A factor (1 - lr decay) would
        // lose most digits of lr decay in float.
        p.at[k] = fmaf(-f.lr, fmaf(decay, p.at[k], step), p.at[k]);
      }
      rounded.at[k] = from_float<Bf16>(p.at[k]);
    }
    reinterpret_cast<Four*>(a.parameters)[group] = p;
    reinterpret_cast<Four*>(a.first_moment)[group] = m;
    reinterpret_cast<Four*>(a.second_moment)[group] = v;
    if (a.model_parameters != nullptr)
      reinterpret_cast<FourBf16*>(a.model_parameters)[group] = rounded;
  }
}

__global__ void lamb_direction_kernel(FlatUpdate a, double* parameter_squares,
                                      double* direction_squares) {
  const UpdateScalars scalars = *a.scalars;
  if (scalars.skip != 0) return;
  const AdamFactors f = factors_of(a.constants, scalars);
  const FlatBlock block = a.table[blockIdx.x];
  const float decay = block.decay != 0 ? f.decay : 0.0F;
  const std::size_t begin = blockIdx.x * kFlatBlock;
  for (std::size_t i = threadIdx.x; i < block.count; i += kBlock) {
    float m = a.first_moment[begin + i], v = a.second_moment[begin + i];
    const float step = adam_step(f, a.gradients[begin + i], m, v);
    a.first_moment[begin + i] = m;
    a.second_moment[begin + i] = v;
    a.gradients[begin + i] = fmaf(decay, a.parameters[begin + i], step);
  }
  // Other threads read the directions below. The barriers of the first square_sum() ensure that all
  // threads have written them.
  const double parameters = square_sum(a.parameters + begin, block.count);
  const double directions = square_sum(a.gradients + begin, block.count);
  if (threadIdx.x != 0) return;
  parameter_squares[blockIdx.x] = parameters;
  direction_squares[blockIdx.x] = directions;
}

__global__ void lamb_apply_kernel(FlatUpdate a, const double* weight_sums,
                                  const double* direction_sums) {
  const UpdateScalars scalars = *a.scalars;
  if (scalars.skip != 0) return;
  const FlatBlock block = a.table[blockIdx.x];
  double trust = 1;
  if (block.decay != 0 && block.count > 0) {
    const double w = weight_sums[block.parameter], d = direction_sums[block.parameter];
    if (w != 0 && d != 0) trust = sqrt(w) / sqrt(d);
  }
  const float factor = static_cast<float>(scalars.learning_rate * trust);
  const std::size_t begin = blockIdx.x * kFlatBlock;
  for (std::size_t i = threadIdx.x; i < block.count; i += kBlock) {
    const float p = fmaf(-factor, a.gradients[begin + i], a.parameters[begin + i]);
    a.parameters[begin + i] = p;
    if (a.model_parameters != nullptr)
      static_cast<Bf16*>(a.model_parameters)[begin + i] = from_float<Bf16>(p);
  }
}

LaunchShape one_per_block(std::size_t blocks) {
  return {.grid = dim3(static_cast<unsigned>(blocks)), .block = kBlock};
}

}  // namespace

void block_square_sums(const BlockSquareSums& a, CUstream_st* stream) noexcept {
  const std::size_t blocks = (a.count + kFlatBlock - 1) / kFlatBlock;
  if (blocks > 0) launch(block_square_sums_kernel, one_per_block(blocks), stream, a);
}

void add_in_place(std::size_t count, float* sum, const float* addend,
                  CUstream_st* stream) noexcept {
  launch(add_in_place_kernel, grid_for(count), stream, count, sum, addend);
}

void parameter_norms(const ParameterNorms& a, CUstream_st* stream) noexcept {
  launch(clear_sums_kernel, grid_for(a.parameters), stream, a);
  if (a.run_count > 0) launch(parameter_norms_kernel, one_per_block(a.run_count), stream, a);
}

void gradient_norm(const GradientNorm& a, CUstream_st* stream) noexcept {
  launch(gradient_norm_kernel, {.grid = dim3(1), .block = 32}, stream, a);
}

void adamw(const FlatUpdate& a, CUstream_st* stream) noexcept {
  if (a.blocks > 0) launch(adamw_kernel, one_per_block(a.blocks), stream, a);
}

void lamb_direction(const FlatUpdate& a, double* parameter_squares, double* direction_squares,
                    CUstream_st* stream) noexcept {
  if (a.blocks == 0) return;
  launch(lamb_direction_kernel, one_per_block(a.blocks), stream, a, parameter_squares,
         direction_squares);
}

void lamb_apply(const FlatUpdate& a, const double* weight_sums, const double* direction_sums,
                CUstream_st* stream) noexcept {
  if (a.blocks == 0) return;
  launch(lamb_apply_kernel, one_per_block(a.blocks), stream, a, weight_sums, direction_sums);
}

}  // namespace megascale::kernels::cuda
