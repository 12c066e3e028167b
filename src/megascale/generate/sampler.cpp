// Draws a token from logits. Tokens are sorted by logit, as far as top_k and top_p need it; the rest is
// sampled in proportion to the softmax at the given temperature.
#include "megascale/generate/sampler.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "megascale/base/error.h"
#include "megascale/base/philox.h"

namespace megascale::generate {

// Comparisons with NaN are false, so a sort by such logits is undefined.
void require_finite(std::span<const float> logits) {
  const auto wrong = std::find_if_not(logits.begin(), logits.end(),
                                      [](float logit) { return std::isfinite(logit); });
  if (wrong == logits.end()) return;
  throw Error(ErrorCode::failed,
              fmt::format("the logit of token {} is {}; expected finite logits. The weights of the "
                          "model may have diverged during training",
                          wrong - logits.begin(), *wrong));
}

std::int32_t Sampler::draw(std::span<const float> logits, DrawNumber number) {
  require_finite(logits);
  if (options_.temperature <= 0) {
    return static_cast<std::int32_t>(std::max_element(logits.begin(), logits.end()) -
                                     logits.begin());
  }
  const std::uint64_t index = std::uint64_t{number.prompt} << 32U | number.position;
  const double target = PhiloxStream(options_.seed, "generate").uniform(index);
  if (options_.top_k == 0 && options_.top_p >= 1) return draw_of_all(logits, target);
  order_.resize(logits.size());
  std::iota(order_.begin(), order_.end(), 0);
  const auto more_likely = [&](std::int32_t a, std::int32_t b) {
    const float x = logits[static_cast<std::size_t>(a)], y = logits[static_cast<std::size_t>(b)];
    return x > y || (x == y && a < b);
  };
  const std::size_t most = options_.top_k == 0
                               ? order_.size()
                               : std::min(order_.size(), static_cast<std::size_t>(options_.top_k));
  std::partial_sort(order_.begin(), order_.begin() + static_cast<std::ptrdiff_t>(most),
                    order_.end(), more_likely);
  order_.resize(most);
  weights_.clear();
  const double highest = logits[static_cast<std::size_t>(order_[0])];
  double total = 0;
  for (const std::int32_t id : order_) {
    weights_.push_back(
        std::exp((static_cast<double>(logits[static_cast<std::size_t>(id)]) - highest) /
                 options_.temperature));
    total += weights_.back();
  }
  // The nucleus of top-p sampling: the most likely tokens whose probabilities sum to top_p or more.
  double kept = 0;
  std::size_t count = 0;
  while (count < weights_.size() && (count == 0 || kept < options_.top_p * total))
    kept += weights_[count++];
  double left = target * kept;
  for (std::size_t i = 0; i < count; ++i) {
    left -= weights_[i];
    if (left < 0) return order_[i];
  }
  return order_[count - 1];
}

// Without top_k and top_p nothing is cut off, so nothing is sorted.
std::int32_t Sampler::draw_of_all(std::span<const float> logits, double target) {
  const double highest = *std::max_element(logits.begin(), logits.end());
  weights_.clear();
  double total = 0;
  for (const float logit : logits) {
    weights_.push_back(std::exp((static_cast<double>(logit) - highest) / options_.temperature));
    total += weights_.back();
  }
  double left = target * total;
  std::size_t last = 0;  // that has a probability at all
  for (std::size_t id = 0; id < weights_.size(); ++id) {
    if (weights_[id] == 0) continue;
    last = id;
    left -= weights_[id];
    if (left < 0) break;
  }
  return static_cast<std::int32_t>(last);
}

}  // namespace megascale::generate
