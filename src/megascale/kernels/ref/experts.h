#ifndef MEGASCALE_KERNELS_REF_EXPERTS_H_
#define MEGASCALE_KERNELS_REF_EXPERTS_H_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "megascale/kernels/ref/reference.h"

// References in double for the kernels of experts: kernels/cpu/router.h and router_losses.h. One
// token at a time.
namespace megascale::kernels::ref {

// The scores of one token: softmax of its logits, or the sigmoid of each.
[[nodiscard]] inline Doubles router_scores(std::span<const double> logits, bool softmax) {
  Doubles scores(logits.begin(), logits.end());
  double sum = 0;
  const double max = *std::max_element(scores.begin(), scores.end());
  for (double& s : scores) {
    s = softmax ? std::exp(s - max) : 1 / (1 + std::exp(-s));
    sum += s;
  }
  for (double& s : scores) s /= softmax ? sum : 1.0;
  return scores;
}

// The weights of a token's choices.
[[nodiscard]] inline Doubles router_weights(std::span<const double> logits,
                                            std::span<const std::int32_t> choice, bool softmax,
                                            bool normalise, double scale) {
  const Doubles scores = router_scores(logits, softmax);
  Doubles weights;
  double sum = 0;
  for (const std::int32_t e : choice) {
    weights.push_back(scores[static_cast<std::size_t>(e)] * scale);
    sum += scores[static_cast<std::size_t>(e)];
  }
  for (double& w : weights) w /= normalise ? sum + 1e-20 : 1.0;
  return weights;
}

// sum_e c_e P_e of one token, with P the softmax or the sigmoids divided by their sum.
[[nodiscard]] inline double balance_loss(std::span<const double> logits,
                                         std::span<const double> coefficients, bool softmax) {
  const Doubles scores = router_scores(logits, softmax);
  double sum = 0, loss = 0;
  for (std::size_t e = 0; e < scores.size(); ++e) {
    sum += scores[e];
    loss += coefficients[e] * scores[e];
  }
  return loss / sum;
}

// (log sum exp)^2 of one token's logits.
[[nodiscard]] inline double z_loss(std::span<const double> logits) {
  const double max = *std::max_element(logits.begin(), logits.end());
  double sum = 0;
  for (const double x : logits) sum += std::exp(x - max);
  return (std::log(sum) + max) * (std::log(sum) + max);
}

}  // namespace megascale::kernels::ref

#endif  // MEGASCALE_KERNELS_REF_EXPERTS_H_
