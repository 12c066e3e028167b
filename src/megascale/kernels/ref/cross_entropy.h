#ifndef MEGASCALE_KERNELS_REF_CROSS_ENTROPY_H_
#define MEGASCALE_KERNELS_REF_CROSS_ENTROPY_H_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "megascale/kernels/ref/reference.h"

// Reference in double for kernels/cpu/cross_entropy.h, on one rank.
namespace megascale::kernels::ref {

// Per token: loss (N) and dlogits (N, width). Over all tokens: the sum of losses and the number of
// tokens that count.
struct Loss {
  Doubles loss, dlogits;
  double sum = 0;
  std::int64_t tokens = 0;
};

// logits is (N, width); the first `valid` columns are vocabulary, the others padding. A token with
// target < 0 does not count: its loss and its row of dlogits are 0.
[[nodiscard]] inline Loss cross_entropy(const Doubles& logits,
                                        const std::vector<std::int32_t>& target, std::size_t width,
                                        std::size_t valid) {
  Loss r{Doubles(target.size()), Doubles(logits.size())};
  for (std::size_t n = 0; n < target.size(); ++n) {
    if (target[n] < 0) continue;
    const double* x = &logits[n * width];
    const double max = *std::max_element(x, x + valid);
    double sum = 0;
    for (std::size_t j = 0; j < valid; ++j) sum += std::exp(x[j] - max);
    for (std::size_t j = 0; j < valid; ++j) r.dlogits[n * width + j] = std::exp(x[j] - max) / sum;
    const auto t = static_cast<std::size_t>(target[n]);
    r.dlogits[n * width + t] -= 1;
    r.loss[n] = std::log(sum) + max - x[t];
    r.sum += r.loss[n];
    ++r.tokens;
  }
  return r;
}

}  // namespace megascale::kernels::ref

#endif  // MEGASCALE_KERNELS_REF_CROSS_ENTROPY_H_
