#include "megascale/observe/anomalies.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

#include "megascale/observe/spread.h"

namespace megascale::observe {
namespace {

// Extends the last anomaly by this step, if it is of the same kind and ends at the step before.
void add_step(std::vector<Anomaly>& found, const Anomaly& step, std::int64_t step_before) {
  if (found.empty() || found.back().kind != step.kind || found.back().last_step != step_before) {
    found.push_back(step);
    return;
  }
  found.back().last_step = step.last_step;
  found.back().worst = std::max(found.back().worst, step.worst);
}

// The finite values of rows [begin, end).
std::vector<double> finite_values(std::span<const MetricsRow> rows, std::size_t metric) {
  std::vector<double> values;
  for (const MetricsRow& row : rows)
    if (std::isfinite(row.values[metric])) values.push_back(row.values[metric]);
  return values;
}

// Compares the last window with the window whose median is smallest. A rise that is not over is
// seen here even if it is so slow that no step exceeds the steps before it.
std::optional<Anomaly> find_rise(std::span<const MetricsRow> rows, std::size_t metric, double share,
                                 const AnomalyOptions& options) {
  if (rows.size() < 2 * options.window) return std::nullopt;
  const std::vector<double> last = finite_values(rows.last(options.window), metric);
  if (last.size() < options.least_steps) return std::nullopt;
  std::optional<Spread> best;
  std::size_t best_end = 0;
  for (std::size_t begin = 0; begin + 2 * options.window <= rows.size(); begin += options.window) {
    const auto values = finite_values(rows.subspan(begin, options.window), metric);
    if (values.size() < options.least_steps) continue;
    const double usual = lower_median(values);
    if (best && usual >= best->usual) continue;
    best = spread_of(values, share * std::abs(usual));
    best_end = begin + options.window;
  }
  const double now = lower_median(last);
  if (!best || now <= best->limit) return std::nullopt;
  return Anomaly{.kind = Anomaly::Kind::rise,
                 .metric = metric,
                 .first_step = rows[best_end - 1].step,
                 .last_step = rows.back().step,
                 .worst = now,
                 .usual = best->usual};
}

}  // namespace

std::vector<Anomaly> find_anomalies(std::span<const MetricsRow> rows, std::size_t metric,
                                    double share, const AnomalyOptions& options) {
  std::vector<Anomaly> found;
  std::vector<double> before;  // finite values of the steps before, at most `window`
  std::int64_t step_before = -1;
  for (const MetricsRow& row : rows) {
    const double value = row.values[metric];
    Anomaly step{.metric = metric, .first_step = row.step, .last_step = row.step};
    if (!std::isfinite(value)) {
      step.kind = Anomaly::Kind::not_finite;
      add_step(found, step, step_before);
    } else {
      if (before.size() >= options.least_steps) {
        const double usual = lower_median(before);
        const Spread spread = spread_of(before, share * std::abs(usual));
        step.worst = value;
        step.usual = usual;
        if (value > spread.limit) add_step(found, step, step_before);
      }
      if (before.size() == options.window) before.erase(before.begin());
      before.push_back(value);
    }
    step_before = row.step;
  }
  if (const auto rise = find_rise(rows, metric, share, options)) found.push_back(*rise);
  return found;
}

std::vector<Anomaly> training_anomalies(std::span<const MetricsRow> rows) {
  std::vector<Anomaly> found = find_anomalies(rows, metric_index("loss"), 0.05);
  auto norms = find_anomalies(rows, metric_index("grad_norm"), 2.0);
  std::move(norms.begin(), norms.end(), std::back_inserter(found));
  std::stable_sort(found.begin(), found.end(),
                   [](const Anomaly& a, const Anomaly& b) { return a.first_step < b.first_step; });
  return found;
}

std::string to_string(const Anomaly& anomaly) {
  const std::string_view name = anomaly.metric == metric_index("grad_norm")
                                    ? "gradient norm"
                                    : kMetricKinds[anomaly.metric].name;
  const std::string when =
      anomaly.first_step == anomaly.last_step
          ? fmt::format("in step {}", anomaly.first_step)
          : fmt::format("in steps {} to {}", anomaly.first_step, anomaly.last_step);
  switch (anomaly.kind) {
    case Anomaly::Kind::not_finite:
      return fmt::format("{} not finite {}", name, when);
    case Anomaly::Kind::spike:
      return fmt::format("{} {:.4g} {}, usually {:.4g}", name, anomaly.worst, when, anomaly.usual);
    case Anomaly::Kind::rise:
      return fmt::format("{} rises: {:.4g} in the last steps, {:.4g} until step {}", name,
                         anomaly.worst, anomaly.usual, anomaly.first_step);
  }
  return std::string(name);
}

}  // namespace megascale::observe
