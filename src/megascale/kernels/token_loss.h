#ifndef MEGASCALE_KERNELS_TOKEN_LOSS_H_
#define MEGASCALE_KERNELS_TOKEN_LOSS_H_

#include <cmath>
#include <cstddef>
#include <limits>

#include "megascale/kernels/host_device.h"

// How all devices join the statistics of a token's logits, whose vocabulary may be split over ranks.
namespace megascale::kernels {

// One rank's statistics of one token's row of logits x:
//   max     largest x; -infinity if the rank holds only padding
//   sum     sum of exp(x - max); 0 if the rank holds only padding
//   target  logit of the target; -infinity if another rank holds it or the token does not count
struct LogitStats {
  float max, sum, target;
};

// Of a token, over all ranks: the largest logit, the sum of exp(logit - max), and the loss
//   log(sum) + max - target
struct TokenLoss {
  float max;
  double sum, loss;
};
// Returns those of token n. `stride`: entries of `stats` from one rank to the next. The join is in rank order and in
// double, so every rank computes the same bits. On a device exp and log in double are slow: one thread should join the
// statistics for all threads that need the token.
[[nodiscard]] MEGASCALE_HOST_DEVICE inline TokenLoss token_loss(const LogitStats* stats,
                                                                std::size_t ranks,
                                                                std::size_t stride,
                                                                std::size_t n) noexcept {
  float max = -std::numeric_limits<float>::infinity(), target = max;
  for (std::size_t r = 0; r < ranks; ++r) {
    const LogitStats& part = stats[r * stride + n];
    max = max < part.max ? part.max : max;
    target = target < part.target ? part.target : target;
  }
  double sum = 0;
  for (std::size_t r = 0; r < ranks; ++r) {
    const LogitStats& part = stats[r * stride + n];
    if (part.sum != 0)
      sum += static_cast<double>(part.sum) *
             std::exp(static_cast<double>(part.max) - static_cast<double>(max));
  }
  return {max, sum, std::log(sum) + static_cast<double>(max) - static_cast<double>(target)};
}

}  // namespace megascale::kernels

#endif  // MEGASCALE_KERNELS_TOKEN_LOSS_H_
