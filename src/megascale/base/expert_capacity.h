#ifndef MEGASCALE_BASE_EXPERT_CAPACITY_H_
#define MEGASCALE_BASE_EXPERT_CAPACITY_H_

#include <cstdint>

namespace megascale {

// Returns how many of `choices` choices each of `groups` equal groups of experts keeps: `factor` (at least 1) times
// the mean, rounded up, and at most all of them. Code of devices calls it, too.
// Source  arXiv 2405.04434, 2.1.4.
[[nodiscard]] constexpr std::int64_t expert_capacity(double factor, std::int64_t choices,
                                                     std::int64_t groups) noexcept {
  const double most = factor * static_cast<double>(choices) / static_cast<double>(groups);
  if (!(most < static_cast<double>(choices))) return choices;
  const auto whole = static_cast<std::int64_t>(most);
  return static_cast<double>(whole) < most ? whole + 1 : whole;
}

}  // namespace megascale

#endif  // MEGASCALE_BASE_EXPERT_CAPACITY_H_
