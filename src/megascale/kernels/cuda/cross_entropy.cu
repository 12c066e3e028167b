// Cross entropy with one thread block per token, in two passes over the logits: the first computes
// the maximum and the sum of exponentials with a running maximum, the second the loss and the
// gradient. Between the two, a collective gathers the statistics of all ranks. A last kernel adds
// the losses in a fixed order.
#include <limits>

#include "megascale/kernels/cuda/counted_rows-inl.h"
#include "megascale/kernels/cuda/cross_entropy.h"
#include "megascale/kernels/cuda/device_code.h"

namespace megascale::kernels::cuda {
namespace {

constexpr std::size_t kBlock = 512;
constexpr unsigned kSumBlock = 1024;
constexpr float kMinusInfinity = -std::numeric_limits<float>::infinity();

// A running maximum and the sum of exp(x - maximum) so far, for values of storage type T. A NaN
// does not change the maximum, but makes the sum NaN.
template <class T>
struct Running {
  float max = kMinusInfinity, sum = 0;
  template <int kWidth>
  __device__ void add(const Pack<T, kWidth>& pack) {
    float most = max, fresh = 0;
    for (int k = 0; k < kWidth; ++k) most = fmaxf(most, to_float(pack.at[k]));
    const float base = base_of(most);
    for (int k = 0; k < kWidth; ++k) fresh += exp_for<T>(to_float(pack.at[k]) - base);
    sum = fmaf(sum, exp_for<T>(max - base), fresh);
    max = most;
  }
  // Returns the number to subtract before exp. It is 0 while the maximum is -infinity, since
  // (-infinity) - (-infinity) would be NaN.
  static __device__ float base_of(float most) { return most == kMinusInfinity ? 0.0F : most; }
};

// Returns how many of this rank's columns belong to the vocabulary; the others are padding.
__device__ std::size_t valid_columns(const LogitRows& rows) {
  if (rows.vocab_start >= rows.valid_vocab) return 0;
  const std::size_t valid = rows.valid_vocab - rows.vocab_start;
  return valid < rows.columns ? valid : rows.columns;
}

// Reads the packs first + j * kBlock below `end`, for j < kBatch. A thread has all of them in
// flight before it uses the first one, which hides part of the latency of memory.
constexpr int kBatch = 2;
template <class P>
__device__ void read_batch(P (&packs)[kBatch], const P* row, std::size_t first, std::size_t end) {
#pragma unroll
  for (int j = 0; j < kBatch; ++j) {
    if (first + j * kBlock < end) packs[j] = row[first + j * kBlock];
  }
}

// One block per token. `width`: packs in a row.
template <class T, int kWidth>
__global__ void __launch_bounds__(kBlock)
    logit_stats_kernel(LogitRows rows, std::size_t width, LogitStats* stats) {
  using P = Pack<T, kWidth>;
  const std::size_t n = blockIdx.x, valid = valid_columns(rows);
  if (n >= counted_rows(rows.counted, rows.tokens)) return;
  const P* logits = static_cast<const P*>(rows.logits) + n * width;
  Running<T> mine;
  const std::size_t whole = valid / kWidth;
  for (std::size_t first = threadIdx.x; first < whole; first += kBatch * kBlock) {
    P packs[kBatch];
    read_batch(packs, logits, first, whole);
#pragma unroll
    for (int j = 0; j < kBatch; ++j) {
      if (first + j * kBlock < whole) mine.add(packs[j]);
    }
  }
  if (threadIdx.x == 0 && whole * kWidth < valid) {
    P pack = logits[whole];
    for (int k = 0; k < kWidth; ++k) {
      if (whole * kWidth + k >= valid) pack.at[k] = from_float<T>(kMinusInfinity);
    }
    mine.add(pack);
  }
  const float most = block_max(mine.max);
  const float sum = block_sum(mine.sum * expf(mine.max - Running<T>::base_of(most)));
  if (threadIdx.x != 0) return;
  const long long column = rows.target[n] - static_cast<long long>(rows.vocab_start);
  const bool here = rows.target[n] >= 0 && column >= 0 && column < static_cast<long long>(valid);
  const float logit = here ? to_float(static_cast<const T*>(
                                 rows.logits)[n * rows.columns + static_cast<std::size_t>(column)])
                           : kMinusInfinity;
  stats[n] = {most, sum, logit};
}

// A token's statistics over all ranks, and its loss.
struct Joined {
  float max, inverse_sum, loss;
};
// One thread joins the ranks' statistics for its block.
__device__ Joined join(const CrossEntropy& a, std::size_t n) {
  __shared__ Joined shared;
  if (threadIdx.x == 0) {
    const TokenLoss token = token_loss(a.stats, a.ranks, a.rows.tokens, n);
    shared = {token.max, static_cast<float>(1.0 / token.sum), static_cast<float>(token.loss)};
  }
  __syncthreads();
  return shared;
}

// One block per token: the loss, then the token's row of the gradient. dlogits may be the logits,
// since each thread writes only the elements that it has read itself.
template <class T, int kWidth>
__global__ void __launch_bounds__(kBlock, 3)
    cross_entropy_kernel(CrossEntropy a, std::size_t width) {
  using P = Pack<T, kWidth>;
  const std::size_t n = blockIdx.x;
  if (n >= counted_rows(a.rows.counted, a.rows.tokens)) return;
  const std::int32_t target = a.rows.target[n];
  const Joined joined = join(a, n);
  if (threadIdx.x == 0) a.loss[n] = target < 0 ? 0.0F : joined.loss;
  if (a.dlogits == nullptr) return;
  const float weight = a.weights != nullptr ? a.weights[n] : 1.0F;
  const float scale = joined.inverse_sum * weight;
  const P* logits = static_cast<const P*>(a.rows.logits) + n * width;
  P* gradient = static_cast<P*>(a.dlogits) + n * width;
  const long long hot = target - static_cast<long long>(a.rows.vocab_start);
  const std::size_t valid = target < 0 ? 0 : valid_columns(a.rows);
  for (std::size_t first = threadIdx.x; first < width; first += kBatch * kBlock) {
    P packs[kBatch];
    read_batch(packs, logits, first, width);
#pragma unroll
    for (int j = 0; j < kBatch; ++j) {
      const std::size_t i = first + j * kBlock, column = i * kWidth;
      if (i >= width) break;
      float value[kWidth];
      for (int k = 0; k < kWidth; ++k)
        value[k] = exp_for<T>(to_float(packs[j].at[k]) - joined.max) * scale;
      const long long place = hot - static_cast<long long>(column);
      if (place >= 0 && place < kWidth) {
        for (int k = 0; k < kWidth; ++k) value[k] -= k == place ? weight : 0.0F;
      }
      if (column + kWidth > valid) {
        for (int k = 0; k < kWidth; ++k) value[k] = column + k < valid ? value[k] : 0.0F;
      }
      for (int k = 0; k < kWidth; ++k) packs[j].at[k] = from_float<T>(value[k]);
      gradient[i] = packs[j];
    }
  }
}

// One block: thread t adds tokens t, t + 1024, ...; then block_sum() adds the threads' sums in a
// fixed order.
__global__ void __launch_bounds__(kSumBlock)
    loss_sum_kernel(std::size_t bound, RowCount counted, const std::int32_t* target,
                    const float* loss, double* result) {
  const std::size_t tokens = counted_rows(counted, bound);
  double sum = 0, count = 0;
  for (std::size_t n = threadIdx.x; n < tokens; n += blockDim.x) {
    if (target[n] < 0) continue;
    sum += static_cast<double>(loss[n]);
    count += 1;
  }
  sum = block_sum(sum);
  count = block_sum(count);
  if (threadIdx.x != 0) return;
  result[0] = sum;
  result[1] = count;
}

}  // namespace

void logit_stats(const LogitRows& rows, LogitStats* stats, CUstream_st* stream) noexcept {
  with_width(rows.dtype, rows.columns, [&](auto element, auto width) {
    launch(logit_stats_kernel<decltype(element), decltype(width)::value>,
           {.grid = dim3(static_cast<unsigned>(rows.tokens)), .block = kBlock}, stream, rows,
           rows.columns / width.value, stats);
  });
}

void cross_entropy(const CrossEntropy& a, CUstream_st* stream) noexcept {
  with_width(a.rows.dtype, a.rows.columns, [&](auto element, auto width) {
    launch(cross_entropy_kernel<decltype(element), decltype(width)::value>,
           {.grid = dim3(static_cast<unsigned>(a.rows.tokens)), .block = kBlock}, stream, a,
           a.rows.columns / width.value);
  });
  launch(loss_sum_kernel, {.grid = dim3(1), .block = kSumBlock}, stream, a.rows.tokens,
         a.rows.counted, a.rows.target, static_cast<const float*>(a.loss), a.result);
}

}  // namespace megascale::kernels::cuda
