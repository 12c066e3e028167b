// First the rate of each clock is estimated (clock_rates.h) and taken out. The offsets that are left
// obey constraints of the form "b - a <= w". The shortest path from the reference to a clock is the
// largest offset that they allow, the path back the smallest. The means of both obey all constraints:
// each bound does by itself, and so does the mean of two solutions.
#include "megascale/observe/clock_fit.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "megascale/observe/clock_rates.h"

namespace megascale::observe {
namespace {

constexpr std::int64_t kUnknown = std::numeric_limits<std::int64_t>::max() / 4;
// Bounds that lie further from the first one are left out, so that no sum overflows: 13 days.
constexpr std::int64_t kLongest = std::int64_t{1} << 50U;

// For each pair (a, b) the largest offset of b less that of a.
class Differences {
 public:
  explicit Differences(std::size_t clocks) : clocks_(clocks), most_(clocks * clocks, kUnknown) {
    for (std::size_t c = 0; c < clocks; ++c) entry(c, c) = 0;
  }
  [[nodiscard]] std::int64_t at(std::size_t a, std::size_t b) const {
    return most_[a * clocks_ + b];
  }
  void limit(std::size_t a, std::size_t b, std::int64_t most) {
    entry(a, b) = std::min(at(a, b), most);
  }
  // Replaces each pair by its shortest path (Floyd and Warshall). Returns false if there is no
  // solution.
  bool close() {
    for (std::size_t k = 0; k < clocks_; ++k) {
      for (std::size_t a = 0; a < clocks_; ++a) {
        if (at(a, k) == kUnknown) continue;
        for (std::size_t b = 0; b < clocks_; ++b)
          if (at(k, b) != kUnknown) limit(a, b, at(a, k) + at(k, b));
        if (at(a, a) < 0) return false;
      }
    }
    return true;
  }

 private:
  std::int64_t& entry(std::size_t a, std::size_t b) { return most_[a * clocks_ + b]; }
  std::size_t clocks_;
  std::vector<std::int64_t> most_;
};

class Fitting {
 public:
  explicit Fitting(const ClockBounds& bounds)
      : bounds_(bounds), ranges_(rates_of(bounds)), fits_(bounds.clocks()) {
    for (std::size_t c = 0; c < fits_.size(); ++c) {
      if (ranges_[c]) fits_[c].rate = ranges_[c]->middle;
    }
    set_origins();
  }

  ClockFits run() {
    fit_offsets();
    // The middles of the ranges may contradict each other where clocks meet in a circle.
    if (slack_ > 0) {
      relax_rates();
      fit_offsets();
    }
    state_uncertainty();
    for (std::size_t c = 0; c < fits_.size(); ++c) {
      if (fits_[c].uncertainty_ns) {
        fits_[c].offset_ns = fits_[0].origin_ns - fits_[c].origin_ns + residual_[c];
      } else {
        fits_[c] = {};
      }
    }
    return {.clocks = fits_, .violation_ns = slack_};
  }

 private:
  // Of two clocks, times from their origins on, without their rates.
  struct Edge {
    std::size_t early = 0, late = 0;
    std::int64_t start = 0, seen = 0;
  };
  static std::int64_t half_of(std::int64_t sum) { return (sum - (sum < 0 && sum % 2 != 0)) / 2; }

  // The first transfer of each clock.
  void set_origins() {
    std::vector<bool> known(fits_.size(), false);
    const auto set = [&](std::size_t clock, std::int64_t ns) {
      if (!known[clock]) fits_[clock].origin_ns = ns;
      known[clock] = true;
    };
    for (const auto& [pair, list] : bounds_.all()) {
      set(pair.first, list.front().start_ns);
      set(pair.second, list.front().seen_ns);
    }
  }
  // Calls `take(early, late, start, seen)` for each bound, with times from the origins on.
  template <class Take>
  void for_each_bound(Take take) const {
    for (const auto& [pair, list] : bounds_.all()) {
      if (!ranges_[pair.first] || !ranges_[pair.second]) continue;
      for (const auto& [start_ns, seen_ns] : list) {
        const std::int64_t start = start_ns - fits_[pair.first].origin_ns;
        const std::int64_t seen = seen_ns - fits_[pair.second].origin_ns;
        if (std::abs(start) < kLongest && std::abs(seen) < kLongest)
          take(pair.first, pair.second, start, seen);
      }
    }
  }

  // Computes edges_, slack_ and residual_ for the rates of fits_.
  void fit_offsets() {
    edges_.clear();
    for_each_bound([&](std::size_t early, std::size_t late, std::int64_t start, std::int64_t seen) {
      edges_.push_back(
          {early, late, fits_[early].without_rate(start), fits_[late].without_rate(seen)});
    });
    slack_ = least_slack();
    Differences differences = constraints(slack_);
    (void)differences.close();
    for (std::size_t c = 0; c < fits_.size(); ++c) {
      const std::int64_t most = differences.at(0, c), least = differences.at(c, 0);
      fits_[c].uncertainty_ns.reset();
      residual_[c] = 0;
      if (most == kUnknown || least == kUnknown) continue;
      fits_[c].uncertainty_ns = 0;
      // Rounded down, the differences of two offsets still obey the constraints.
      residual_[c] = half_of(most - least);
    }
  }
  [[nodiscard]] Differences constraints(std::int64_t slack) const {
    Differences differences(fits_.size());
    for (const Edge& edge : edges_)
      differences.limit(edge.late, edge.early, edge.seen - edge.start + slack);
    return differences;
  }
  // Returns the smallest time by which all constraints must be relaxed to have a solution.
  [[nodiscard]] std::int64_t least_slack() const {
    std::int64_t bad = -1, good = 0;
    while (!constraints(good).close()) {
      bad = good;
      good = 2 * good + 1;
    }
    while (good - bad > 1) {
      const std::int64_t middle = bad + (good - bad) / 2;
      (constraints(middle).close() ? good : bad) = middle;
    }
    return good;
  }

  // Moves offsets and rates, bound by bound, to the nearest values that obey it (Agmon and Motzkin).
  // If all bounds can be obeyed, this comes to values that do. Times are in units of the longest one,
  // so that offsets and rates count alike.
  void relax_rates() {
    constexpr int kMostRounds = 200;
    constexpr double kBeyond = 1.5;  // 1: just to the border of what is allowed
    double unit = 1;
    for_each_bound([&](std::size_t, std::size_t, std::int64_t start, std::int64_t seen) {
      unit = std::max(
          {unit, std::abs(static_cast<double>(start)), std::abs(static_cast<double>(seen))});
    });
    std::vector<double> offsets(residual_.begin(), residual_.end()), gains;  // ns; ns in a unit
    for (const ClockFit& fit : fits_) gains.push_back(fit.rate * unit);
    bool obeyed = false;
    for (int round = 0; round < kMostRounds && !obeyed; ++round) {
      obeyed = true;
      for_each_bound([&](std::size_t early, std::size_t late, std::int64_t start,
                         std::int64_t seen) {
        const double s = static_cast<double>(start) / unit, e = static_cast<double>(seen) / unit;
        const double excess = static_cast<double>(start - seen) + offsets[early] - offsets[late] +
                              gains[early] * s - gains[late] * e;
        if (excess <= 0) return;
        obeyed = false;
        const bool moves_early = early != 0, moves_late = late != 0;  // the reference stays
        const double norm = (moves_early ? 1 + s * s : 0) + (moves_late ? 1 + e * e : 0);
        const double by = kBeyond * (excess + 1) / norm;
        if (moves_early) offsets[early] -= by, gains[early] -= by * s;
        if (moves_late) offsets[late] += by, gains[late] += by * e;
      });
    }
    for (std::size_t c = 0; c < fits_.size(); ++c) fits_[c].rate = gains[c] / unit;
  }

  // The offsets that the bounds allow at one time of the reference. A clock may gain by all that
  // its range of rates allows between a bound and that time.
  [[nodiscard]] Differences allowed_at(std::int64_t now) const {
    Differences differences(fits_.size());
    for (const Edge& edge : edges_) {
      const auto drift = [&](std::size_t clock, std::int64_t at) {
        const double rate =
            ranges_[clock]->half + std::abs(fits_[clock].rate - ranges_[clock]->middle);
        const double away = std::abs(static_cast<double>(at + residual_[clock] - now));
        return static_cast<std::int64_t>(std::ceil(rate * away));
      };
      differences.limit(edge.late, edge.early,
                        edge.seen - edge.start + slack_ + drift(edge.early, edge.start) +
                            drift(edge.late, edge.seen));
    }
    return differences;
  }
  // The possible offsets at a time lie between two lines, so their distance is largest at an end.
  void state_uncertainty() {
    if (edges_.empty()) return;
    std::int64_t begin = kUnknown, end = -kUnknown;
    for (const Edge& edge : edges_) {
      begin = std::min(begin, edge.start + residual_[edge.early]);
      end = std::max(end, edge.seen + residual_[edge.late]);
    }
    for (const std::int64_t now : {begin, end}) {
      Differences allowed = allowed_at(now);
      (void)allowed.close();
      for (std::size_t c = 1; c < fits_.size(); ++c) {
        if (!fits_[c].uncertainty_ns) continue;
        const std::int64_t above = allowed.at(0, c) - residual_[c];
        const std::int64_t below = allowed.at(c, 0) + residual_[c];
        fits_[c].uncertainty_ns =
            std::max({*fits_[c].uncertainty_ns, above + slack_, below + slack_});
      }
    }
  }

  const ClockBounds& bounds_;
  std::vector<std::optional<RateRange>> ranges_;
  std::vector<ClockFit> fits_;
  std::vector<Edge> edges_;
  std::int64_t slack_ = 0;
  std::vector<std::int64_t> residual_ = std::vector<std::int64_t>(bounds_.clocks(), 0);
};

}  // namespace

std::int64_t ClockFit::without_rate(std::int64_t since_origin_ns) const noexcept {
  return since_origin_ns + std::llround(rate * static_cast<double>(since_origin_ns));
}

std::int64_t ClockFit::to_reference(std::int64_t ns) const noexcept {
  return origin_ns + without_rate(ns - origin_ns) + offset_ns;
}

void ClockBounds::add(Pair pair, const Bound& bound) {
  constexpr std::int64_t kLatest = std::int64_t{1} << 61U;
  const auto is_time = [](std::int64_t ns) { return ns >= 0 && ns < kLatest; };
  if (pair.first == pair.second || !is_time(bound.start_ns) || !is_time(bound.seen_ns)) return;
  bounds_[pair].push_back(bound);
}

ClockFits fit_clocks(const ClockBounds& bounds) { return Fitting(bounds).run(); }

}  // namespace megascale::observe
