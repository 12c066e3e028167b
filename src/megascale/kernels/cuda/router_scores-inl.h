#ifndef MEGASCALE_KERNELS_CUDA_ROUTER_SCORES_INL_H_
#define MEGASCALE_KERNELS_CUDA_ROUTER_SCORES_INL_H_

#include "megascale/kernels/cuda/device_code.h"
#include "megascale/kernels/cuda/router.h"

// Scores of one token, computed by a warp, for router.cu and router_losses.cu. Each lane has every 32nd
// expert. Only .cu files include this file.
namespace megascale::kernels::cuda {

constexpr unsigned kTokenWarps = 4;  // per block: 16 KiB of shared memory for the most experts

// The launch of a kernel with a warp for each token and room for `rows` rows of experts in shared memory.
inline LaunchShape grid_of_tokens(std::size_t tokens, std::size_t experts, std::size_t rows = 1) {
  constexpr std::size_t kMost = std::size_t{132} * 16;
  const std::size_t blocks = (tokens + kTokenWarps - 1) / kTokenWarps;
  return {.grid = dim3(static_cast<unsigned>(blocks < 1 ? 1 : (blocks > kMost ? kMost : blocks))),
          .block = 32 * kTokenWarps,
          .shared_nbytes = kTokenWarps * rows * experts * sizeof(float)};
}

// Returns this warp's row of experts in shared memory. Each lane touches its own experts only, unless a
// barrier stands between.
__device__ inline float* row_of_warp(std::size_t experts) {
  return reinterpret_cast<float*>(dynamic_shared()) + threadIdx.x / 32 * experts;
}

// The maximum of a row and the sum of exp(x - max).
struct RowExponentials {
  float max, sum;
};

// Writes exp(x - max) to `scores`. A NaN or positive infinity among the logits makes the sum NaN.
__device__ inline RowExponentials row_exponentials(const float* x, std::size_t experts,
                                                   float* scores) {
  const std::size_t lane = threadIdx.x % 32;
  float max = -INFINITY;
  for (std::size_t e = lane; e < experts; e += 32) max = x[e] > max ? x[e] : max;
  max = warp_max(max);
  float sum = 0;
  for (std::size_t e = lane; e < experts; e += 32) {
    scores[e] = expf(x[e] - max);
    sum += scores[e];
  }
  return {max, warp_sum(sum)};
}

// Writes the scores of a token: softmax of its logits, or the sigmoid of each.
__device__ inline void row_sigmoid(const float* x, std::size_t experts, float* scores) {
  for (std::size_t e = threadIdx.x % 32; e < experts; e += 32)
    scores[e] = 1.0F / (1.0F + expf(-x[e]));
}
__device__ inline RowExponentials row_softmax(const float* x, std::size_t experts, float* scores) {
  const RowExponentials row = row_exponentials(x, experts, scores);
  const float factor = 1.0F / row.sum;
  for (std::size_t e = threadIdx.x % 32; e < experts; e += 32) scores[e] *= factor;
  return row;
}
__device__ inline void row_scores(const RouterShape& shape, const float* x, float* scores) {
  if (shape.score_function == ScoreFunction::softmax) {
    (void)row_softmax(x, shape.experts, scores);
  } else {
    row_sigmoid(x, shape.experts, scores);
  }
}

}  // namespace megascale::kernels::cuda

#endif  // MEGASCALE_KERNELS_CUDA_ROUTER_SCORES_INL_H_
