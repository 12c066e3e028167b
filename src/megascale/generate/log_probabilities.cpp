#include "megascale/generate/log_probabilities.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace megascale::generate {

double log_sum_exp(std::span<const float> logits) {
  const double highest = *std::max_element(logits.begin(), logits.end());
  double sum = 0;
  for (const float logit : logits) sum += std::exp(static_cast<double>(logit) - highest);
  return highest + std::log(sum);
}

std::vector<TokenLogProbability> most_likely(std::span<const float> logits, std::size_t count) {
  std::vector<std::int32_t> order(logits.size());
  std::iota(order.begin(), order.end(), 0);
  count = std::min(count, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(),
                    [&](std::int32_t a, std::int32_t b) {
                      const float x = logits[static_cast<std::size_t>(a)],
                                  y = logits[static_cast<std::size_t>(b)];
                      return x > y || (x == y && a < b);
                    });
  const double total = log_sum_exp(logits);
  std::vector<TokenLogProbability> found;
  for (std::size_t i = 0; i < count; ++i)
    found.push_back(
        {order[i], static_cast<double>(logits[static_cast<std::size_t>(order[i])]) - total});
  return found;
}

}  // namespace megascale::generate
