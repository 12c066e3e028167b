#ifndef MEGASCALE_OBSERVE_CLOCK_FIT_H_
#define MEGASCALE_OBSERVE_CLOCK_FIT_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

// Aligns the clocks of hosts from the transfers between them. A member of a transfer sees that the
// bytes move only after every other member has started. So each pair of members bounds the
// difference of their clocks in each direction, and the differences that keep causality for all
// transfers form an interval. All functions are pure; times are nanoseconds.
namespace megascale::observe {

// How times of one clock become times of the reference clock.
struct ClockFit {
  std::int64_t offset_ns = 0;
  double rate = 0;             // nanoseconds that the reference clock gains in one
  std::int64_t origin_ns = 0;  // a time of this clock, from which `rate` counts
  // The largest error between the first and the last transfer, if the clocks run at constant rates.
  // Nothing if no transfer connects the two clocks.
  std::optional<std::int64_t> uncertainty_ns;
  [[nodiscard]] std::int64_t to_reference(std::int64_t ns) const noexcept;
  // Returns a time that counts from `origin_ns`, as if the clock ran at the rate of the reference.
  [[nodiscard]] std::int64_t without_rate(std::int64_t since_origin_ns) const noexcept;
};

// What transfers tell about some clocks, which are numbered from 0.
class ClockBounds {
 public:
  // A transfer was started at `start_ns` of the clock `early`, and that was seen at `seen_ns` of
  // the clock `late`.
  struct Bound {
    std::int64_t start_ns = 0, seen_ns = 0;
  };
  using Pair = std::pair<std::size_t, std::size_t>;  // early, late
  explicit ClockBounds(std::size_t clocks) : clocks_(clocks) {}
  // Does nothing if the clocks are the same, or if a time cannot be one: negative, or later than
  // 73 years.
  void add(Pair pair, const Bound& bound);
  [[nodiscard]] std::size_t clocks() const noexcept { return clocks_; }
  [[nodiscard]] const std::map<Pair, std::vector<Bound>>& all() const noexcept { return bounds_; }

 private:
  std::size_t clocks_;
  std::map<Pair, std::vector<Bound>> bounds_;
};

struct ClockFits {
  std::vector<ClockFit> clocks;
  // The time by which the fits miss causality in the worst case: 0 unless clocks change their rates
  // during the records, or were set.
  std::int64_t violation_ns = 0;
};
// Returns the fits of all clocks, with clock 0 as the reference. After them no transfer is seen
// before its start, but for `violation_ns`.
[[nodiscard]] ClockFits fit_clocks(const ClockBounds& bounds);

}  // namespace megascale::observe

#endif  // MEGASCALE_OBSERVE_CLOCK_FIT_H_
