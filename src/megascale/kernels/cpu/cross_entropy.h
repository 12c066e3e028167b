#ifndef MEGASCALE_KERNELS_CPU_CROSS_ENTROPY_H_
#define MEGASCALE_KERNELS_CPU_CROSS_ENTROPY_H_

#include <cstddef>
#include <cstdint>

// Cross entropy over a vocabulary that may be split over R ranks and padded at its end. N tokens, V
// columns on this rank, column j of which is vocabulary entry vocab_start + j; entries >=
// valid_vocab are padding and take no part. float32. u = 2^-24. Bits do not depend on the number of
// threads or the vector target. One step is logit_stats on each rank, an all-gather of the
// statistics, cross_entropy on each rank; a single rank may call cross_entropy_local instead, which
// gives the same bits and reads the logits from memory once.
namespace megascale::kernels::cpu {

// What a rank knows of one token's row of logits x:
//   max     largest x, -infinity where the rank holds padding only
//   sum     sum of exp(x - max), 0 there
//   target  logit of the target, -infinity where another rank holds it or the token does not count
struct LogitStats {
  float max, sum, target;
};

// The columns and targets that every function here reads. Columns of one row are contiguous.
struct LogitRows {
  std::size_t tokens = 0, columns = 0, stride = 0;  // rows `stride` >= columns floats apart
  const float* logits = nullptr;
  const std::int32_t* target =
      nullptr;  // (N), vocabulary entries; negative: the token does not count
  std::size_t vocab_start = 0, valid_vocab = 0;
};

// Cost    about 20 N V flops; moves N V floats.     Alias  nothing overlaps.
// Error   sum: relative (V_block / 64 + 12) u with V_block = min(V, 4096), further (10 + |x - max|)
// u per term.
//         max and target are exact. A NaN among the logits gives a NaN sum.
void logit_stats(const LogitRows& rows, LogitStats* stats) noexcept;

// With M, S, t the statistics joined over the ranks, in rank order and in double:
//   loss[n] = log(S) + M - t;   dlogits[n,j] = exp(x[n,j] - M) / S - (vocab_start + j == target[n])
// The gradient is that of the *sum* of losses: 1 / tokens is applied by the optimizer, when the
// count is known. Tokens that do not count have loss 0 and a zero row; padding columns of dlogits
// are 0. A target that no rank holds
// (>= valid_vocab) gives an infinite loss, which the caller's non-finite check reports.
// Alias   dlogits may be the logits; it may be null (evaluation: no gradient).
// Cost    about 20 N V flops; moves 2 N V floats.
// Error   loss: absolute (V_block / 64 + 24 + spread + |loss|) u, spread = the largest |x - M| that
// matters (90 at most).
//         dlogits: (V_block / 64 + 30 + |x - M|) u softmax + u.
struct CrossEntropy {
  LogitRows rows;
  const LogitStats* stats = nullptr;  // (R, N), rank by rank
  std::size_t ranks = 1;
  float* loss = nullptr;     // (N)
  float* dlogits = nullptr;  // rows.stride apart
};
struct LossSum {
  double loss = 0;          // added in order of tokens, in double
  std::int64_t tokens = 0;  // that count
};
LossSum cross_entropy(const CrossEntropy& args) noexcept;

// logit_stats and cross_entropy of a single rank, a row at a time; `stats` is not read.
LossSum cross_entropy_local(const CrossEntropy& args) noexcept;

}  // namespace megascale::kernels::cpu

#endif  // MEGASCALE_KERNELS_CPU_CROSS_ENTROPY_H_
