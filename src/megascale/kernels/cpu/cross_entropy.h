#ifndef MEGASCALE_KERNELS_CPU_CROSS_ENTROPY_H_
#define MEGASCALE_KERNELS_CPU_CROSS_ENTROPY_H_

#include <cstddef>
#include <cstdint>

#include "megascale/kernels/token_loss.h"

// Softmax cross entropy over a vocabulary that may be split over R ranks and padded at its end.
// float32, u = 2^-24. N tokens, V columns on this rank. Column j is vocabulary entry vocab_start +
// j; entries >= valid_vocab are padding and take no part. A step is: logit_stats on each rank, an
// all_gather of the statistics, cross_entropy on each rank.
// Bits do not depend on the number of threads or the vector target.
namespace megascale::kernels::cpu {

using kernels::LogitStats;  // token_loss.h

// The logits and targets that every function here reads. The columns of one row are contiguous.
struct LogitRows {
  std::size_t tokens = 0, columns = 0, stride = 0;  // rows `stride` >= columns floats apart
  const float* logits = nullptr;
  const std::int32_t* target =
      nullptr;  // (N), entries of the vocabulary; negative: the token does not count
  std::size_t vocab_start = 0, valid_vocab = 0;
};

// Computes stats[n] for every token n (N entries) from this rank's columns.
// Cost    about 20 N V flops; moves N V floats.     Alias  nothing overlaps.
// Error   sum: relative (V_block / 64 + 12) u with V_block = min(V, 4096), plus (10 + |x - max|) u
//         per term. max and target are exact. A NaN among the logits gives a NaN sum.
void logit_stats(const LogitRows& rows, LogitStats* stats) noexcept;

// Let M, S and t be the maximum, sum and target logit joined over the ranks, in rank order and in
// double:
//   loss[n]      = log(S) + M - t
//   dlogits[n,j] = exp(x[n,j] - M) / S - (vocab_start + j == target[n])
// The gradient is that of the *sum* of losses: the optimizer applies 1 / tokens when the count is
// known. Tokens that do not count have loss 0 and a row of zeros. Padding columns of dlogits are 0.
// A target that no rank holds (>= valid_vocab) gives an infinite loss, which the caller's check for
// non-finite values reports.
// Alias   dlogits may be the logits; it may be null (evaluation: no gradient).
// Cost    about 20 N V flops; moves 2 N V floats.
// Error   loss: absolute (V_block / 64 + 24 + spread + |loss|) u, where spread is the largest |x -
//         M| whose term is not negligible (90 at most). dlogits: (V_block / 64 + 30 + |x - M|) u
//         softmax + u.
struct CrossEntropy {
  LogitRows rows;
  const LogitStats* stats = nullptr;  // (R, N), rank by rank
  std::size_t ranks = 1;
  // Entries of `stats` from one rank to the next; at least N. 0: N. It is more than N if the tokens
  // are counted at run time: every rank then has room for the bound.
  std::size_t stats_stride = 0;
  // (N), or null: 1. The gradient is that of the sum of losses, each times its weight.
  const float* weights = nullptr;
  float* loss = nullptr;     // (N)
  float* dlogits = nullptr;  // (N, V), rows rows.stride floats apart; or null
};
struct LossSum {
  double loss = 0;          // sum of losses, added in order of tokens, in double
  std::int64_t tokens = 0;  // number of tokens that count
};
LossSum cross_entropy(const CrossEntropy& args) noexcept;

}  // namespace megascale::kernels::cpu

#endif  // MEGASCALE_KERNELS_CPU_CROSS_ENTROPY_H_
