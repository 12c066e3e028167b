#ifndef MEGASCALE_GENERATE_LOG_PROBABILITIES_H_
#define MEGASCALE_GENERATE_LOG_PROBABILITIES_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

// Log-probabilities of tokens, in nats: the logarithm of the softmax of a model's logits, without
// temperature or cuts.
namespace megascale::generate {

struct TokenLogProbability {
  std::int32_t token = 0;
  double value = 0;
};

// Returns log sum_i exp(logits[i]). The sum is in double. Not finite if a logit is not.
[[nodiscard]] double log_sum_exp(std::span<const float> logits);

[[nodiscard]] inline double log_probability(std::span<const float> logits, std::int32_t token) {
  return static_cast<double>(logits[static_cast<std::size_t>(token)]) - log_sum_exp(logits);
}

// Returns the `count` most likely tokens, the most likely first; of equal ones the smaller id.
[[nodiscard]] std::vector<TokenLogProbability> most_likely(std::span<const float> logits,
                                                           std::size_t count);

}  // namespace megascale::generate

#endif  // MEGASCALE_GENERATE_LOG_PROBABILITIES_H_
