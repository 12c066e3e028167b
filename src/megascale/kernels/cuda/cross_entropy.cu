#include "megascale/kernels/cuda/cross_entropy.h"
#include "megascale/kernels/cuda/device_code.h"

namespace megascale::kernels::cuda {
namespace {

constexpr unsigned kBlock = 512;
#define MEGASCALE_MINUS_INFINITY __uint_as_float(0xFF800000U)

// A running maximum and the sum of exp(x - maximum) so far.
struct Running {
  float max, sum;
  __device__ void add(float x) {
    if (x > max) {
      sum = sum * expf(max - x) + 1.0F;  // exp(-infinity) = 0 for the first one
      max = x;
    } else {
      // A NaN comes here and makes the sum NaN; x = max = -infinity has no difference and counts
      // nothing.
      if (x != MEGASCALE_MINUS_INFINITY) sum += expf(x - max);
    }
  }
};

// Columns of this rank that are vocabulary.
__device__ std::size_t valid_columns(const LogitRows& rows) {
  if (rows.vocab_start >= rows.valid_vocab) return 0;
  const std::size_t valid = rows.valid_vocab - rows.vocab_start;
  return valid < rows.columns ? valid : rows.columns;
}

// One block per token. `width`: packs of a row.
template <class T, int kWidth>
__global__ void logit_stats_kernel(LogitRows rows, std::size_t width, float* stats) {
  using P = Pack<T, kWidth>;
  const std::size_t n = blockIdx.x, valid = valid_columns(rows);
  const P* logits = static_cast<const P*>(rows.logits) + n * width;
  Running mine{MEGASCALE_MINUS_INFINITY, 0};
  for (std::size_t i = threadIdx.x; i * kWidth < valid; i += kBlock) {
    const P pack = logits[i];
    for (int k = 0; k < kWidth; ++k) {
      if (i * kWidth + k < valid) mine.add(to_float(pack.at[k]));
    }
  }
  const float most = block_max(mine.max);
  const float sum = block_sum(mine.max == MEGASCALE_MINUS_INFINITY && mine.sum == 0.0F
                                  ? 0.0F
                                  : mine.sum * expf(mine.max - most));
  if (threadIdx.x != 0) return;
  float* out = stats + n * 3;
  out[0] = most;
  out[1] = sum;
  const long long column = rows.target[n] - static_cast<long long>(rows.vocab_start);
  const bool here = rows.target[n] >= 0 && column >= 0 && column < static_cast<long long>(valid);
  out[2] = here ? to_float(static_cast<const T*>(
                      rows.logits)[n * rows.columns + static_cast<std::size_t>(column)])
                : MEGASCALE_MINUS_INFINITY;
}

// One block per token: the ranks' statistics joined in rank order, then the row of the gradient.
template <class T, int kWidth>
__global__ void cross_entropy_kernel(CrossEntropy a, std::size_t width) {
  using P = Pack<T, kWidth>;
  const std::size_t n = blockIdx.x, valid = valid_columns(a.rows);
  const std::int32_t target = a.rows.target[n];
  float most = MEGASCALE_MINUS_INFINITY, logit = MEGASCALE_MINUS_INFINITY;
  for (std::size_t r = 0; r < a.ranks; ++r) {
    const float* stats = a.stats + (r * a.rows.tokens + n) * 3;
    most = fmaxf(most, stats[0]);
    logit = fmaxf(logit, stats[2]);
  }
  double sum = 0;
  for (std::size_t r = 0; r < a.ranks; ++r) {
    const float* stats = a.stats + (r * a.rows.tokens + n) * 3;
    if (stats[0] != MEGASCALE_MINUS_INFINITY || stats[1] != 0.0F)
      sum += static_cast<double>(stats[1]) * exp(static_cast<double>(stats[0]) - most);
  }
  if (threadIdx.x == 0) {
    a.loss[n] =
        target < 0
            ? 0.0F
            : static_cast<float>(log(sum) + static_cast<double>(most) - static_cast<double>(logit));
  }
  if (a.dlogits == nullptr) return;
  const float scale = static_cast<float>(1.0 / sum);
  const P* logits = static_cast<const P*>(a.rows.logits) + n * width;
  P* gradient = static_cast<P*>(a.dlogits) + n * width;
  const long long hot = target - static_cast<long long>(a.rows.vocab_start);
  for (std::size_t i = threadIdx.x; i < width; i += kBlock) {
    P pack = logits[i];
    for (int k = 0; k < kWidth; ++k) {
      const std::size_t column = i * kWidth + k;
      float value = 0;
      if (target >= 0 && column < valid) {
        value = expf(to_float(pack.at[k]) - most) * scale;
        if (static_cast<long long>(column) == hot) value -= 1.0F;
      }
      pack.at[k] = from_float<T>(value);
    }
    gradient[i] = pack;
  }
}

// One block: thread t adds tokens t, t + 1024, ..., then the block in its one order.
__global__ void loss_sum_kernel(std::size_t tokens, const std::int32_t* target, const float* loss,
                                double* result) {
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

void logit_stats(const LogitRows& rows, float* stats, CUstream_st* stream) noexcept {
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
  launch(loss_sum_kernel, {.grid = dim3(1), .block = 1024}, stream, a.rows.tokens, a.rows.target,
         static_cast<const float*>(a.loss), a.result);
}

}  // namespace megascale::kernels::cuda
