// The loss of preferences. One block adds the token losses of a sequence. A micro-batch has few pairs, and a pair costs
// a few exp and log in double. So the block that writes the weights of a pair computes the pair itself, and one more
// block computes all pairs again for the sums: no kernel waits for the pairs of another one.
#include "megascale/kernels/cuda/device_code.h"
#include "megascale/kernels/cuda/preference.h"

namespace megascale::kernels::cuda {
namespace {

constexpr unsigned kBlock = 256;

// One block per sequence: thread t adds tokens t, t + kBlock, ...; then block_sum() adds the threads' sums in a
// fixed order.
__global__ void sequence_scores_kernel(SequenceScores a) {
  const std::size_t sequence = blockIdx.x, end = (sequence + 1) * a.length;
  double score = 0;
  for (std::size_t n = sequence * a.length + threadIdx.x; n < end; n += blockDim.x)
    score += score_of_token(a, n);
  score = block_sum(score);
  if (threadIdx.x == 0) a.scores[sequence] = score;
}

// One block per pair.
__global__ void weights_kernel(PreferenceLoss a) {
  __shared__ float shared;
  const std::size_t pair = blockIdx.x;
  if (threadIdx.x == 0) shared = weight_of_chosen(loss_of_pair(a, pair), a.shape);
  __syncthreads();
  const float weight = shared;
  float* const chosen = a.weights + 2 * pair * a.length;
  float* const rejected = chosen + a.length;
  for (std::size_t i = threadIdx.x; i < a.length; i += blockDim.x) {
    chosen[i] = weight;
    rejected[i] = -weight;
  }
}

// One block: thread t adds pairs t, t + kBlock, ...; then block_sum() adds the threads' sums in a fixed order.
__global__ void sums_kernel(PreferenceLoss a, PreferenceResults results) {
  PreferenceSums sums;
  for (std::size_t pair = threadIdx.x; pair < a.pairs; pair += blockDim.x)
    sums.add(loss_of_pair(a, pair));
  sums.loss = block_sum(sums.loss);
  sums.chosen = block_sum(sums.chosen);
  sums.rejected = block_sum(sums.rejected);
  sums.accurate = static_cast<std::int64_t>(block_sum(static_cast<double>(sums.accurate)));
  if (threadIdx.x == 0) write_sums(sums, a.pairs, results);
}

LaunchShape blocks(std::size_t count) {
  return {.grid = dim3(static_cast<unsigned>(count)), .block = kBlock};
}

}  // namespace

void sequence_scores(const SequenceScores& a, CUstream_st* stream) noexcept {
  launch(sequence_scores_kernel, blocks(a.sequences), stream, a);
}

void preference_loss(const PreferenceLoss& a, const PreferenceResults& results,
                     CUstream_st* stream) noexcept {
  launch(weights_kernel, blocks(a.pairs), stream, a);
  launch(sums_kernel, blocks(1), stream, a, results);
}

}  // namespace megascale::kernels::cuda
