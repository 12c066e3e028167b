#ifndef MEGASCALE_TESTS_KERNELS_PREFERENCE_BATCH_H_
#define MEGASCALE_TESTS_KERNELS_PREFERENCE_BATCH_H_

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "megascale/kernels/ref/cross_entropy.h"
#include "support/close.h"

// A batch of pairs, with the loss of preferences in double as its reference.
namespace megascale::testing {

// The loss as the paper writes it, in long double and without care for large margins.
inline long double plain_loss(long double m, long double smoothing) {
  const auto log_sigmoid = [](long double x) { return -std::log(1 + std::exp(-x)); };
  return -(1 - smoothing) * log_sigmoid(m) - smoothing * log_sigmoid(-m);
}

struct PreferenceSizes {
  std::size_t pairs = 3, length = 6, columns = 6, ranks = 2, valid = 11;
};
// `ranks` ranks have `columns` logits of each token, of which `valid` in all are words. Every third token does not
// count, and no token of the last sequence.
struct PreferenceBatch : PreferenceSizes {
  static constexpr double kBeta = 0.3, kSmoothing = 0.2;
  std::size_t tokens, width;
  std::vector<float> logits;  // (tokens, width)
  std::vector<std::int32_t> target;
  std::vector<double> reference;

  explicit PreferenceBatch(const PreferenceSizes& sizes = {})
      : PreferenceSizes(sizes),
        tokens(2 * pairs * length),
        width(columns * ranks),
        logits(normal(tokens * width, 7, 2.0)),
        target(tokens) {
    for (std::size_t n = 0; n < tokens; ++n) {
      const bool counts = n % 3 != 1 && n < tokens - length;
      target[n] = counts ? static_cast<std::int32_t>(n * 5 % valid) : -1;
    }
    reference = exact_scores(kernels::ref::widen(logits));
    for (std::size_t b = 0; b < 2 * pairs; ++b) reference[b] += static_cast<double>(b % 5) - 2;
  }
  // The scores of the sequences, from the logits `x`.
  [[nodiscard]] std::vector<double> exact_scores(const kernels::ref::Doubles& x) const {
    const auto loss = kernels::ref::cross_entropy(x, target, width, valid).loss;
    std::vector<double> scores(2 * pairs);
    for (std::size_t n = 0; n < tokens; ++n) scores[n / length] -= loss[n];
    return scores;
  }
  [[nodiscard]] double exact_margin(const std::vector<double>& scores, std::size_t pair) const {
    const auto reward = [&](std::size_t b) { return kBeta * (scores[b] - reference[b]); };
    return reward(2 * pair) - reward(2 * pair + 1);
  }
  [[nodiscard]] double exact_loss(const kernels::ref::Doubles& x) const {
    const std::vector<double> scores = exact_scores(x);
    long double sum = 0;
    for (std::size_t i = 0; i < pairs; ++i) sum += plain_loss(exact_margin(scores, i), kSmoothing);
    return static_cast<double>(sum);
  }
  // The derivatives of exact_loss() by the logits.
  [[nodiscard]] std::vector<double> exact_gradient(const kernels::ref::Doubles& x) const {
    const std::vector<double> scores = exact_scores(x);
    std::vector<double> gradient = kernels::ref::cross_entropy(x, target, width, valid).dlogits;
    for (std::size_t i = 0; i < gradient.size(); ++i) {
      const std::size_t sequence = i / width / length;
      const long double margin = exact_margin(scores, sequence / 2), step = 1e-5L;
      const long double slope =
          (plain_loss(margin + step, kSmoothing) - plain_loss(margin - step, kSmoothing)) /
          (2 * step);
      gradient[i] *= (sequence % 2 == 0 ? -kBeta : kBeta) * static_cast<double>(slope);
    }
    return gradient;
  }
};

}  // namespace megascale::testing

#endif  // MEGASCALE_TESTS_KERNELS_PREFERENCE_BATCH_H_
