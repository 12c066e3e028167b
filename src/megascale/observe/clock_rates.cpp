// Each transfer bounds the difference of two clocks at one time, from above or from below. Lines that
// lie below all upper and above all lower bounds are possible. The steepest and the flattest of them
// touch corners of the hulls of the bounds, so only those corners are compared.
#include "megascale/observe/clock_rates.h"

#include <algorithm>
#include <limits>

namespace megascale::observe {
namespace {

struct Point {
  double x = 0, y = 0;
};

// Returns the corners of the lower hull, by ascending x.
std::vector<Point> lower_hull(std::vector<Point> points) {
  std::ranges::sort(
      points, [](const Point& a, const Point& b) { return a.x != b.x ? a.x < b.x : a.y < b.y; });
  std::vector<Point> hull;
  for (const Point& point : points) {
    const auto is_above = [&](const Point& a, const Point& b) {  // b, of the line from a to point
      return (b.y - a.y) * (point.x - a.x) >= (point.y - a.y) * (b.x - a.x);
    };
    while (hull.size() > 1 && is_above(hull[hull.size() - 2], hull.back())) hull.pop_back();
    hull.push_back(point);
  }
  return hull;
}

using Bounds = std::vector<ClockBounds::Bound>;

// What clock `a` gains on clock `b`. `b_early`: b started, a saw. `a_early`: a started, b saw.
RateRange range_of(const Bounds& b_early, const Bounds& a_early) {
  const ClockBounds::Bound zero = b_early.front();  // keeps the numbers small: doubles are exact
  std::vector<Point> upper, lower;
  for (const auto& [start, seen] : b_early) {
    const auto x = static_cast<double>(start - zero.start_ns);
    upper.push_back({x, static_cast<double>(seen - zero.seen_ns) - x});
  }
  for (const auto& [start, seen] : a_early) {
    const auto x = static_cast<double>(seen - zero.start_ns);
    lower.push_back({x, x - static_cast<double>(start - zero.seen_ns)});  // upside down
  }
  double least = -kMostRate, most = kMostRate;
  const std::vector<Point> below = lower_hull(std::move(lower));
  for (const Point& u : lower_hull(std::move(upper))) {
    for (const Point& l : below) {
      if (u.x == l.x) continue;
      const double slope = (u.y + l.y) / (u.x - l.x);
      if (u.x > l.x) most = std::min(most, slope);
      if (u.x < l.x) least = std::max(least, slope);
    }
  }
  const double middle = std::clamp((least + most) / 2, -kMostRate, kMostRate);
  return {.middle = middle, .half = std::max(0.0, (most - least) / 2)};
}

}  // namespace

std::vector<std::optional<RateRange>> rates_of(const ClockBounds& bounds) {
  // Dijkstra's algorithm: the path with the smallest sum of ranges.
  std::vector<std::optional<RateRange>> rates(bounds.clocks());
  std::vector<bool> is_final(bounds.clocks(), false);
  if (!rates.empty()) rates[0] = RateRange{};
  while (true) {
    std::size_t next = rates.size();
    for (std::size_t c = 0; c < rates.size(); ++c) {
      if (rates[c] && !is_final[c] && (next == rates.size() || rates[c]->half < rates[next]->half))
        next = c;
    }
    if (next == rates.size()) return rates;
    is_final[next] = true;
    for (std::size_t c = 0; c < rates.size(); ++c) {
      const auto to = bounds.all().find({c, next}), from = bounds.all().find({next, c});
      if (is_final[c] || to == bounds.all().end() || from == bounds.all().end()) continue;
      const RateRange edge = range_of(to->second, from->second);
      const double half = rates[next]->half + edge.half;
      if (!rates[c] || half < rates[c]->half)
        rates[c] = RateRange{.middle = rates[next]->middle + edge.middle, .half = half};
    }
  }
}

}  // namespace megascale::observe
