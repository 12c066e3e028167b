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
  const auto logit_of = [&](std::int32_t id) { return logits[static_cast<std::size_t>(id)]; };
  std::size_t sorted = 0;  // tokens of order_, from its beginning
  const auto sort_up_to = [&](std::size_t count) {
    const auto begin = order_.begin();
    std::partial_sort(begin + static_cast<std::ptrdiff_t>(sorted),
                      begin + static_cast<std::ptrdiff_t>(count), order_.end(),
                      [&](std::int32_t a, std::int32_t b) {
                        const float x = logit_of(a), y = logit_of(b);
                        return x > y || (x == y && a < b);
                      });
    sorted = count;
  };
  const std::size_t most = options_.top_k == 0
                               ? logits.size()
                               : std::min(logits.size(), static_cast<std::size_t>(options_.top_k));
  if (options_.top_k > 0) sort_up_to(most);
  const double highest =
      sorted > 0 ? logit_of(order_[0]) : *std::max_element(logits.begin(), logits.end());
  const auto weight = [&](std::int32_t id) {
    return std::exp((static_cast<double>(logit_of(id)) - highest) / options_.temperature);
  };
  double total = 0;
  for (std::size_t i = 0; i < most; ++i) total += weight(order_[i]);
  // The nucleus of top-p sampling: the most likely tokens whose probabilities sum to top_p or more.
  // It is mostly small, so tokens are sorted in blocks, each four times as many as all before it.
  constexpr std::size_t kFirstBlock = 64;
  weights_.clear();
  double kept = 0;
  while (weights_.size() < most && (weights_.empty() || kept < options_.top_p * total)) {
    const std::size_t count = weights_.size();
    if (count == sorted) sort_up_to(std::min(most, std::max(kFirstBlock, 5 * count)));
    weights_.push_back(weight(order_[count]));
    kept += weights_.back();
  }
  double left = target * kept;
  for (std::size_t i = 0; i < weights_.size(); ++i) {
    left -= weights_[i];
    if (left < 0) return order_[i];
  }
  return order_[weights_.size() - 1];
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
