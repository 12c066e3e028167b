#include "megascale/observe/decline.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "megascale/observe/spread.h"

namespace megascale::observe {
namespace {

using Part = double StepParts::*;

// The median of a part over some steps; NaN if it is not known in all of them.
double median_part(std::span<const StepParts> steps, Part part) {
  std::vector<double> values;
  for (const StepParts& step : steps) values.push_back(step.*part);
  if (std::any_of(values.begin(), values.end(), [](double value) { return std::isnan(value); }))
    return std::numeric_limits<double>::quiet_NaN();
  return lower_median(values);
}

struct Growth {
  std::span<const StepParts> before, now;
  [[nodiscard]] double of(Part part) const {
    return median_part(now, part) - median_part(before, part);
  }
};

// The part that grew most is the cause, if it explains a third of the growth. Partners wait for a rank that starts a
// transfer late, in a bubble or while bytes seem to move; so lateness that grew by half as much
// as these is their cause.
DeclineCause cause_of(const Growth& growth, double& seconds) {
  struct Candidate {
    DeclineCause cause;
    Part part;
  };
  constexpr std::array kCandidates{Candidate{DeclineCause::compute, &StepParts::compute},
                                   Candidate{DeclineCause::exposed_comm, &StepParts::exposed_comm},
                                   Candidate{DeclineCause::bubble, &StepParts::bubble},
                                   Candidate{DeclineCause::data_wait, &StepParts::data_wait}};
  const double all = growth.of(&StepParts::seconds);
  DeclineCause cause = DeclineCause::other;
  seconds = 0;
  for (const Candidate& candidate : kCandidates) {
    const double grown = growth.of(candidate.part);  // NaN is never larger
    if (grown > seconds && grown > all / 3) {
      cause = candidate.cause;
      seconds = grown;
    }
  }
  const double launch = growth.of(&StepParts::launch);
  if ((cause == DeclineCause::exposed_comm || cause == DeclineCause::bubble) &&
      launch > seconds / 2) {
    cause = DeclineCause::launch;
    seconds = launch;
  }
  if (cause == DeclineCause::other) seconds = all;
  return cause;
}

}  // namespace

std::string_view to_string(DeclineCause cause) noexcept {
  constexpr std::array<std::string_view, 6> kNames{"compute", "exposed_comm", "launch",
                                                   "bubble",  "data_wait",    "other"};
  return kNames[static_cast<std::size_t>(cause)];
}

std::vector<StepParts> parts_of(std::span<const MetricsRow> rows) {
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  std::vector<StepParts> steps;
  for (const MetricsRow& row : rows) {
    const auto value = [&](std::string_view name) { return row.values[metric_index(name)]; };
    if (std::isnan(value("step_seconds"))) continue;
    steps.push_back({.step = row.step,
                     .seconds = value("step_seconds"),
                     .exposed_comm = value("exposed_comm_seconds"),
                     .bubble = value("bubble_seconds"),
                     .data_wait = value("data_wait_seconds"),
                     .compute = kUnknown,
                     .launch = kUnknown});
  }
  return steps;
}

std::optional<Decline> find_decline(std::span<const StepParts> steps,
                                    const DeclineOptions& options) {
  if (steps.size() < 2 * options.window) return std::nullopt;
  const auto last = steps.last(options.window);
  std::span<const StepParts> best;
  double before = std::numeric_limits<double>::infinity();
  for (std::size_t begin = 0; begin + 2 * options.window <= steps.size(); begin += options.window) {
    const auto window = steps.subspan(begin, options.window);
    const double seconds = median_part(window, &StepParts::seconds);
    if (seconds >= before) continue;
    before = seconds;
    best = window;
  }
  if (best.empty()) return std::nullopt;  // no step has a time
  std::vector<double> usual;
  for (const StepParts& step : best) usual.push_back(step.seconds);
  const double now = median_part(last, &StepParts::seconds);
  if (!(now > spread_of(usual, options.share * before).limit)) return std::nullopt;
  Decline decline{.until_step = best.back().step, .before = before, .now = now};
  decline.cause = cause_of({.before = best, .now = last}, decline.cause_seconds);
  return decline;
}

std::string to_string(const Decline& decline) {
  constexpr std::array<std::string_view, 6> kWhy{
      "tasks of the compute lane take longer",
      "transfers move bytes for longer",
      "computation takes as long as before, and transfers start late on some rank",
      "longer waits for partners, whose work before the transfers takes longer",
      "longer waits for batches",
      "no kind of waiting has grown as much; the own work of ranks, or other work of their hosts"};
  return fmt::format("steps take {:.1f} % longer than until step {}: {} ({:+.3g} ms a step)",
                     100 * (decline.now / decline.before - 1), decline.until_step,
                     kWhy[static_cast<std::size_t>(decline.cause)], 1e3 * decline.cause_seconds);
}

}  // namespace megascale::observe
