// Finds a sample of a blend by the time at which it is due. The number of samples that are due until a
// time is a sum of rounded products, so it is known without a table, and it differs from the time by at most
// half the number of sources. A search between these bounds ends after a few times.
#include "megascale/data/blend_order.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "megascale/base/error.h"
#include "megascale/config/data_sets.h"

namespace megascale {

BlendOrder::BlendOrder(std::span<const double> weights) : shares_(weights.begin(), weights.end()) {
  MEGASCALE_CHECK(!shares_.empty() && has_least_shares(shares_),
                  "validate() has accepted data_weights");
  // Divided by the largest first: the sum of huge weights is not finite.
  const double largest = *std::max_element(shares_.begin(), shares_.end());
  for (double& share : shares_) share /= largest;
  const double sum = std::accumulate(shares_.begin(), shares_.end(), 0.0);
  for (double& share : shares_) share /= sum;
}

double BlendOrder::due(const Place& place) const noexcept {
  return (static_cast<double>(place.number) + 0.5) / shares_[place.source];
}

std::int64_t BlendOrder::count_until(double time, std::size_t source) const noexcept {
  auto count = static_cast<std::int64_t>(std::max(0.0, time * shares_[source] + 0.5));
  // The product is rounded in another way than the quotient in due(), which decides.
  while (count > 0 && due({source, count - 1}) > time) --count;
  while (due({source, count}) <= time) ++count;
  return count;
}

std::int64_t BlendOrder::count_until(double time) const noexcept {
  std::int64_t count = 0;
  for (std::size_t source = 0; source < sources(); ++source) count += count_until(time, source);
  return count;
}

bool BlendOrder::has_due_at(double time, std::size_t source) const noexcept {
  const std::int64_t count = count_until(time, source);
  return count > 0 && due({source, count - 1}) == time;
}

double BlendOrder::time_of(std::int64_t number) const noexcept {
  // 2 more than half the number of sources: shares are rounded too.
  const double reach = 0.5 * static_cast<double>(sources()) + 2;
  double low = std::max(0.0, static_cast<double>(number) - reach),
         high = static_cast<double>(number) + reach;
  // At `low` at most `number` samples are due, at `high` more.
  for (;;) {
    double next = std::numeric_limits<double>::infinity();  // the first time after `low`
    for (std::size_t source = 0; source < sources(); ++source)
      next = std::min(next, due({source, count_until(low, source)}));
    if (count_until(next) > number) return next;
    low = next;
    const double middle = low + (high - low) / 2;
    (count_until(middle) > number ? high : low) = middle;
  }
}

BlendOrder::Place BlendOrder::place_of(std::int64_t number) const noexcept {
  if (sources() == 1) return {0, number};
  const double time = time_of(number);
  // Several sources may have a sample that is due then. `left`: how many of them come before `number`.
  std::int64_t left = number - count_until(time);
  for (std::size_t source = 0; source < sources(); ++source)
    left += has_due_at(time, source) ? 1 : 0;
  std::size_t source = 0;
  for (;; ++source) {
    if (has_due_at(time, source) && left-- == 0) break;
  }
  return {source, count_until(time, source) - 1};
}

std::int64_t BlendOrder::number_of(const Place& place) const noexcept {
  const double time = due(place);
  std::int64_t before = 0;
  for (std::size_t source = 0; source < sources(); ++source) {
    const bool comes_later = source >= place.source && has_due_at(time, source);
    before += count_until(time, source) - (comes_later ? 1 : 0);
  }
  return before;
}

std::int64_t BlendOrder::count_before(std::int64_t number, std::size_t source) const noexcept {
  const Place place = place_of(number);
  if (place.source == source) return place.number;
  const double time = due(place);
  const bool comes_later = source > place.source && has_due_at(time, source);
  return count_until(time, source) - (comes_later ? 1 : 0);
}

}  // namespace megascale
