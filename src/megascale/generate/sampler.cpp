// Draws a token from logits. Tokens are sorted by logit; top_k and then top_p cut the list; the
// rest is sampled in proportion to the softmax at the given temperature.
#include "megascale/generate/sampler.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "megascale/base/error.h"
#include "megascale/base/philox.h"

namespace megascale::generate {
namespace {

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

}  // namespace

std::int32_t Sampler::draw(std::span<const float> logits) {
  require_finite(logits);
  if (options_.temperature <= 0) {
    return static_cast<std::int32_t>(std::max_element(logits.begin(), logits.end()) -
                                     logits.begin());
  }
  order_.resize(logits.size());
  std::iota(order_.begin(), order_.end(), 0);
  std::sort(order_.begin(), order_.end(), [&](std::int32_t a, std::int32_t b) {
    const float x = logits[static_cast<std::size_t>(a)], y = logits[static_cast<std::size_t>(b)];
    return x > y || (x == y && a < b);
  });
  if (options_.top_k > 0)
    order_.resize(std::min(order_.size(), static_cast<std::size_t>(options_.top_k)));
  weights_.clear();
  const double most = logits[static_cast<std::size_t>(order_[0])];
  double total = 0;
  for (const std::int32_t id : order_) {
    weights_.push_back(std::exp((static_cast<double>(logits[static_cast<std::size_t>(id)]) - most) /
                                options_.temperature));
    total += weights_.back();
  }
  // The nucleus of top-p sampling: the most likely tokens whose probabilities sum to top_p or more.
  double kept = 0;
  std::size_t count = 0;
  while (count < weights_.size() && (count == 0 || kept < options_.top_p * total))
    kept += weights_[count++];
  double target = PhiloxStream(options_.seed, "generate").uniform(draws_++) * kept;
  for (std::size_t i = 0; i < count; ++i) {
    target -= weights_[i];
    if (target < 0) return order_[i];
  }
  return order_[count - 1];
}

}  // namespace megascale::generate
