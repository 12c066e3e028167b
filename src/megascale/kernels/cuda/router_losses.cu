// Losses of the router. The counts of all ranks give one coefficient for each expert; the loss of a token
// is then a weighted sum of its probabilities, which a warp computes, and its gradient needs that token
// alone.
#include "megascale/kernels/cuda/counted_rows-inl.h"
#include "megascale/kernels/cuda/device_code.h"
#include "megascale/kernels/cuda/router_losses.h"
#include "megascale/kernels/cuda/router_scores-inl.h"

namespace megascale::kernels::cuda {
namespace {

// Returns the sum over the ranks of column `i` of counts (r, columns).
__device__ double over_ranks(const std::int64_t* counts, std::size_t ranks, std::size_t columns,
                             std::size_t i) {
  std::int64_t sum = 0;
  for (std::size_t r = 0; r < ranks; ++r) sum += counts[r * columns + i];
  return static_cast<double>(sum);
}

// w c_e of kernels/cpu/router_losses.h, and w z_coefficient behind them, by one block. Sums of counts are
// exact in double.
__global__ void coefficients_kernel(RouterLosses a, float* coefficients) {
  const std::size_t experts = a.shape.experts;
  const auto load = [&](std::size_t e) { return over_ranks(a.loads, a.ranks, experts, e); };
  double mine = 0;
  for (std::size_t e = threadIdx.x; e < experts; e += blockDim.x) mine += load(e);
  const double choices = block_sum(mine);  // k T
  const std::size_t size = a.groups == 0 ? 1 : experts / a.groups;
  const double per_choice = choices == 0 ? 0 : static_cast<double>(experts) / choices;
  const double tokens = choices / static_cast<double>(a.shape.top_k);
  double weight = choices == 0 ? 0 : 1;
  if (a.counted != nullptr && choices != 0) weight = static_cast<double>(*a.counted) / tokens;
  if (threadIdx.x == 0) coefficients[experts] = static_cast<float>(weight * a.z_coefficient);
  for (std::size_t e = threadIdx.x; e < experts; e += blockDim.x) {
    double c = a.expert_coefficient * load(e) * per_choice;
    if (a.groups != 0 && choices != 0) {
      double group = 0;  // loads of the group
      const std::size_t d = e / size;
      for (std::size_t other = d * size; other < (d + 1) * size; ++other) group += load(other);
      c += a.device_coefficient * group * per_choice / static_cast<double>(size);
      if (a.communication_coefficient != 0) {
        const std::size_t most = a.shape.top_k < a.groups ? a.shape.top_k : a.groups;
        c += a.communication_coefficient * static_cast<double>(a.groups) *
             over_ranks(a.sent, a.ranks, a.groups, d) / (static_cast<double>(most) * tokens);
      }
    }
    coefficients[e] = static_cast<float>(weight * c);
  }
}

// Values of a token that both the losses and the gradient need.
struct TokenScores {
  float sum;        // softmax: 1; sigmoid: the sum of the scores
  float mean;       // sum over e of c_e P[e]
  float log_total;  // log sum_e exp logits[e]
};

// Writes the scores of a token (softmax or sigmoid), before they are divided by `sum`.
__device__ TokenScores token_scores(const RouterLosses& a, const float* coefficients, std::size_t n,
                                    float* scores) {
  const std::size_t experts = a.shape.experts;
  const float* x = a.logits + n * experts;
  const bool softmax = a.shape.score_function == ScoreFunction::softmax;
  const RowExponentials row =
      softmax ? row_softmax(x, experts, scores) : row_exponentials(x, experts, scores);
  if (!softmax) row_sigmoid(x, experts, scores);
  float sum = 0, weighted = 0;
  for (std::size_t e = threadIdx.x % 32; e < experts; e += 32) {
    sum += scores[e];
    weighted += scores[e] * coefficients[e];
  }
  const TwoSums sums = warp_sum(TwoSums{sum, weighted});
  TokenScores token{softmax ? 1.0F : sums.a, 0, 0};
  token.mean = sums.b / token.sum;
  token.log_total =
      static_cast<float>(log(static_cast<double>(row.sum)) + static_cast<double>(row.max));
  return token;
}

// Whether a token has no losses.
__device__ bool is_padding(const RouterLosses& a, std::size_t n) {
  return a.choice != nullptr &&
         static_cast<std::size_t>(a.choice[n * a.shape.top_k]) >= a.shape.experts;
}

// Block b adds every kLossBlocks-th group of tokens to parts[2 b] and parts[2 b + 1].
__global__ void __launch_bounds__(32 * kTokenWarps)
    losses_kernel(RouterLosses a, const float* coefficients, double* parts) {
  float* scores = row_of_warp(a.shape.experts);
  double balance = 0, square = 0;
  const std::size_t tokens = a.shape.tokens;
  for (std::size_t n = grid_thread() / 32; n < tokens; n += grid_threads() / 32) {
    if (is_padding(a, n)) continue;
    const TokenScores token = token_scores(a, coefficients, n, scores);
    balance += static_cast<double>(token.mean);
    square += static_cast<double>(token.log_total) * static_cast<double>(token.log_total);
  }
  // All lanes of a warp have the same sums.
  const bool counts = threadIdx.x % 32 == 0;
  const double all_balance = block_sum(counts ? balance : 0.0),
               all_square = block_sum(counts ? square : 0.0);
  if (threadIdx.x != 0) return;
  double* const mine = parts + 2 * static_cast<std::size_t>(blockIdx.x);
  mine[0] = all_balance;
  mine[1] = all_square;
}

__global__ void add_losses_kernel(const float* z_coefficient, const double* parts, double* losses) {
  if (threadIdx.x >= 2) return;
  double sum = 0;
  for (std::size_t b = 0; b < kLossBlocks; ++b) sum += parts[2 * b + threadIdx.x];
  losses[threadIdx.x] = threadIdx.x == 0 ? sum : static_cast<double>(*z_coefficient) * sum;
}

__global__ void __launch_bounds__(32 * kTokenWarps)
    losses_gradient_kernel(RouterLosses a, const float* coefficients, const float* addend,
                           float* dlogits) {
  const std::size_t experts = a.shape.experts;
  const bool softmax = a.shape.score_function == ScoreFunction::softmax;
  float* scores = row_of_warp(experts);
  const std::size_t tokens = a.shape.tokens;
  for (std::size_t n = grid_thread() / 32; n < tokens; n += grid_threads() / 32) {
    if (is_padding(a, n)) {
      for (std::size_t i = n * experts + threadIdx.x % 32; i < (n + 1) * experts; i += 32)
        dlogits[i] = addend != nullptr ? addend[i] : 0.0F;
      continue;
    }
    const TokenScores token = token_scores(a, coefficients, n, scores);
    // d(log sum exp)^2 / dlogit[e] = 2 (log sum exp) softmax_e
    const float z = 2 * coefficients[experts] * token.log_total;
    const float inverse = 1.0F / token.sum;
    for (std::size_t e = threadIdx.x % 32; e < experts; e += 32) {
      const std::size_t i = n * experts + e;
      const float score = scores[e];
      const float dscore = (coefficients[e] - token.mean) * inverse;
      float slope = (softmax ? score : score * (1.0F - score)) * dscore;
      if (a.z_coefficient != 0)
        slope += z * (softmax ? score : expf(a.logits[i] - token.log_total));
      dlogits[i] = addend != nullptr ? addend[i] + slope : slope;
    }
  }
}

// One block.
__global__ void load_excess_kernel(const std::int64_t* loads, std::size_t experts, bool accumulate,
                                   float* excess) {
  double mine = 0;
  for (std::size_t e = threadIdx.x; e < experts; e += blockDim.x)
    mine += static_cast<double>(loads[e]);
  const auto all = static_cast<std::int64_t>(block_sum(mine));
  for (std::size_t e = threadIdx.x; e < experts; e += blockDim.x) {
    const auto value = static_cast<float>(static_cast<std::int64_t>(experts) * loads[e] - all);
    excess[e] = accumulate ? excess[e] + value : value;
  }
}

__global__ void update_choice_bias_kernel(const float* excess, std::size_t count, float rate,
                                          const std::int64_t* skip, float* bias) {
  if (*skip != 0) return;
  for (std::size_t i = grid_thread(); i < count; i += grid_threads()) {
    if (excess[i] > 0) bias[i] -= rate;
    if (excess[i] < 0) bias[i] += rate;
  }
}

__global__ void add_choice_bias_kernel(const std::int32_t* choice, std::size_t slots,
                                       std::size_t experts, const float* bias, float* score) {
  for (std::size_t i = grid_thread(); i < slots; i += grid_threads()) {
    if (const auto expert = static_cast<std::size_t>(choice[i]); expert < experts)
      score[i] += bias[expert];
  }
}

__global__ void record_routing_kernel(RecordRouting a) {
  for (std::size_t i = grid_thread(); i < a.experts + 3; i += grid_threads()) {
    double value = 0;
    if (i < a.experts) {
      value = static_cast<double>(a.loads[i]);
    } else if (i == a.experts) {
      if (a.dropped != nullptr) value = static_cast<double>(*a.dropped);
    } else if (a.losses != nullptr) {
      value = a.losses[i - a.experts - 1];
    }
    a.record[i] = a.accumulate ? a.record[i] + value : value;
  }
}

__global__ void collect_records_kernel(std::size_t count, const std::int32_t* from,
                                       const double* own, double* sums) {
  for (std::size_t i = grid_thread(); i < count; i += grid_threads())
    sums[i] = from[i] < 0 ? 0.0 : own[from[i]];
}

LaunchShape one_block() { return {.grid = dim3(1), .block = 256}; }

}  // namespace

void router_losses(const RouterLosses& a, double* losses, std::byte* scratch,
                   CUstream_st* stream) noexcept {
  auto* parts = reinterpret_cast<double*>(scratch);
  auto* coefficients = reinterpret_cast<float*>(parts + 2 * kLossBlocks);
  launch(coefficients_kernel, one_block(), stream, a, coefficients);
  launch(losses_kernel,
         {.grid = dim3(static_cast<unsigned>(kLossBlocks)),
          .block = 32 * kTokenWarps,
          .shared_nbytes = kTokenWarps * a.shape.experts * sizeof(float)},
         stream, a, coefficients, parts);
  launch(add_losses_kernel, {.grid = dim3(1), .block = 32}, stream, coefficients + a.shape.experts,
         parts, losses);
}

void router_losses_gradient(const RouterLosses& a, const float* addend, float* dlogits,
                            std::byte* scratch, CUstream_st* stream) noexcept {
  auto* coefficients = reinterpret_cast<float*>(scratch);
  launch(coefficients_kernel, one_block(), stream, a, coefficients);
  launch(losses_gradient_kernel, grid_of_tokens(a.shape.tokens, a.shape.experts), stream, a,
         coefficients, addend, dlogits);
}

void load_excess(const std::int64_t* loads, std::size_t experts, bool accumulate, float* excess,
                 CUstream_st* stream) noexcept {
  launch(load_excess_kernel, one_block(), stream, loads, experts, accumulate, excess);
}

void update_choice_bias(const float* excess, std::size_t count, float rate,
                        const std::int64_t* skip, float* bias, CUstream_st* stream) noexcept {
  launch(update_choice_bias_kernel, grid_for(count), stream, excess, count, rate, skip, bias);
}

void add_choice_bias(const std::int32_t* choice, std::size_t slots, std::size_t experts,
                     const float* bias, float* score, CUstream_st* stream) noexcept {
  launch(add_choice_bias_kernel, grid_for(slots), stream, choice, slots, experts, bias, score);
}

void record_routing(const RecordRouting& a, CUstream_st* stream) noexcept {
  launch(record_routing_kernel, grid_for(a.experts + 3), stream, a);
}

void collect_records(std::size_t count, const std::int32_t* from, const double* own, double* sums,
                     CUstream_st* stream) noexcept {
  launch(collect_records_kernel, grid_for(count), stream, count, from, own, sums);
}

}  // namespace megascale::kernels::cuda
