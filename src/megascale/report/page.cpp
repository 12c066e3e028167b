#include "megascale/report/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "megascale/report/plot.h"
#include "megascale/report/text.h"
#include "megascale/report/words.h"

namespace megascale::report {
namespace {

// Points of a plot: more than pixels would not be seen.
constexpr std::size_t kPoints = 600;

constexpr std::string_view kStyle = R"(
:root { color-scheme: light dark; --back: #fff; --text: #1c2430; --dim: #5a6675; --grid: #e3e7ec;
  --s0: #1f6fd0; --s1: #c2480c; --s2: #1a7f4b; --s3: #8338c7; --s4: #a8790a; --mark: #b42318; }
@media (prefers-color-scheme: dark) { :root { --back: #12161c; --text: #e4e8ee; --dim: #9aa5b3;
  --grid: #2a323d; --s0: #6aa9f4; --s1: #f28a55; --s2: #5fc990; --s3: #bd8df2; --s4: #e0b54a; --mark: #f27e74; } }
body { background: var(--back); color: var(--text); font: 15px/1.45 system-ui, sans-serif; margin: 0 auto;
  max-width: 1320px; padding: 16px 24px; }
h1 { font-size: 22px; margin: 8px 0; } h2 { font-size: 16px; margin: 20px 0 6px; }
table { border-collapse: collapse; } th { text-align: left; font-weight: normal; color: var(--dim);
  padding: 2px 18px 2px 0; vertical-align: top; white-space: nowrap; } td { padding: 2px 0; white-space: pre-wrap; }
.plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(420px, 1fr)); gap: 12px 28px; }
figure { margin: 0; } figcaption { color: var(--dim); } svg { width: 100%; height: auto; }
svg text { fill: var(--dim); font-size: 11px; } .grid { stroke: var(--grid); } .mark { stroke: var(--mark); stroke-dasharray: 3 3; }
path { fill: none; stroke-width: 1.6; stroke-linejoin: round; } .legend { margin: 0; } .legend span { margin-right: 14px; }
path.s0 { stroke: var(--s0); } path.s1 { stroke: var(--s1); } path.s2 { stroke: var(--s2); } path.s3 { stroke: var(--s3); } path.s4 { stroke: var(--s4); }
circle.s0, rect.s0 { fill: var(--s0); } circle.s1 { fill: var(--s1); } circle.s2 { fill: var(--s2); } circle.s3 { fill: var(--s3); } circle.s4 { fill: var(--s4); }
span.s0 { color: var(--s0); } span.s1 { color: var(--s1); } span.s2 { color: var(--s2); } span.s3 { color: var(--s3); } span.s4 { color: var(--s4); }
)";

Series series_of(const std::vector<observe::MetricsRow>& rows, std::string_view metric,
                 std::string name, double factor = 1) {
  Series series{.name = std::move(name), .x = {}, .y = {}};
  for (const observe::MetricsRow& row : rows) {
    series.x.push_back(static_cast<double>(row.step));
    series.y.push_back(factor * row.values[observe::metric_index(metric)]);
  }
  return series;
}

// Only some steps have a validation loss; they are joined by a line.
Series without_gaps(const Series& series) {
  Series dense{.name = series.name, .x = {}, .y = {}};
  for (std::size_t i = 0; i < series.x.size(); ++i) {
    if (!std::isfinite(series.y[i])) continue;
    dense.x.push_back(series.x[i]);
    dense.y.push_back(series.y[i]);
  }
  return dense;
}

std::string metric_plots(const RunFacts& facts) {
  if (facts.rows.empty()) return "";
  // Thinned means hide spikes, so the steps that are unusual are marked.
  const auto rows = observe::thin_out(facts.rows, kPoints);
  std::vector<double> loss_marks, norm_marks, incidents;
  for (const observe::Anomaly& one : facts.anomalies)
    (one.metric == observe::metric_index("loss") ? loss_marks : norm_marks)
        .push_back(static_cast<double>(one.first_step));
  if (facts.driver)
    for (const control::Incident& one : facts.driver->incidents)
      if (one.step >= 0) incidents.push_back(static_cast<double>(one.step));
  Plot loss{
      "loss, nats; unusual steps are marked", {series_of(rows, "loss", "training")}, loss_marks};
  if (Series validation = without_gaps(series_of(rows, "validation_loss", "validation"));
      !validation.x.empty())
    loss.series.push_back(std::move(validation));
  for (const std::string& name : observe::validation_names(rows)) {
    Series named{.name = "validation of " + name, .x = {}, .y = {}};
    for (const observe::MetricsRow& row : rows) {
      named.x.push_back(static_cast<double>(row.step));
      named.y.push_back(observe::validation_loss(row, name));
    }
    loss.series.push_back(without_gaps(named));
  }
  // The first step of a run fills caches. It would hide all others.
  const std::vector<observe::MetricsRow> later(rows.begin() + (rows.size() > 1 ? 1 : 0),
                                               rows.end());
  const std::vector<Plot> plots{
      loss,
      {"gradient norm; unusual steps are marked", {series_of(rows, "grad_norm", "")}, norm_marks},
      {"learning rate", {series_of(rows, "lr", "")}, {}},
      {"tokens/s; incidents are marked", {series_of(rows, "tokens_per_second", "")}, incidents},
      {"utilization, % of the peak",
       {series_of(rows, "mfu", "model FLOPs", 100), series_of(rows, "hfu", "hardware FLOPs", 100)},
       {}},
      {"time of a step, ms, without the first",
       {series_of(later, "step_seconds", "", 1e3)},
       incidents},
      {"waits of rank 0, ms a step, without the first",
       {series_of(later, "exposed_comm_seconds", "exposed communication", 1e3),
        series_of(later, "bubble_seconds", "bubble", 1e3),
        series_of(later, "data_wait_seconds", "data wait", 1e3)},
       {}}};
  std::string html;
  for (const Plot& plot : plots) html += line_plot(plot);
  return html;
}

std::string record_plots(const RunFacts& facts) {
  if (!facts.records) return "";
  const observe::StepTimes& times = facts.records->times;
  const auto bar = [&](std::string name, double seconds) {
    return Bar{std::move(name),
               fmt::format("{} ({})", seconds_text(seconds), percent_text(seconds / times.step)),
               std::max(0.0, seconds)};
  };
  const std::vector<Bar> parts{
      bar("computation", times.compute), bar("exposed communication", times.exposed_comm),
      bar("bubble", times.bubble), bar("data wait", times.data_wait), bar("other", times.other)};
  std::vector<Bar> ops;
  for (const auto& [name, seconds] : times.by_op) ops.push_back(bar(name, seconds));
  std::stable_sort(ops.begin(), ops.end(),
                   [](const Bar& a, const Bar& b) { return a.value > b.value; });
  if (ops.size() > 10) ops.resize(10);
  return bar_plot("time of a step, mean of the ranks", parts) +
         bar_plot("op kinds that take longest", ops);
}

std::string memory_plots(const RunFacts& facts) {
  std::string html;
  for (std::size_t s = 0; s < facts.job.stages.size(); ++s) {
    std::vector<Bar> bars;
    for (std::size_t c = 0; c < plan::kCategoryCount; ++c) {
      const std::uint64_t nbytes = facts.job.stages[s].by_category[c];
      if (nbytes > 0)
        bars.push_back({std::string(plan::to_string(static_cast<plan::Category>(c))),
                        bytes_text(nbytes), static_cast<double>(nbytes)});
    }
    html += bar_plot(facts.job.stages.size() == 1 ? "memory of a rank"
                                                  : fmt::format("memory of a rank of stage {}", s),
                     bars);
  }
  return html;
}

}  // namespace

std::string to_page(const RunFacts& facts) {
  const std::string title = escaped_html("megascale report: " + facts.name);
  std::string html = fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n<title>{0}</title>\n"
      "<meta name=\"viewport\" content=\"width=device-width\">\n<style>{1}</style></head>\n"
      "<body><h1>{0}</h1>\n",
      title, kStyle);
  html += fmt::format("<div class=\"plots\">\n{}{}{}</div>\n", metric_plots(facts),
                      record_plots(facts), memory_plots(facts));
  for (const Section& section : sections_of(facts)) {
    html += fmt::format("<h2>{}</h2>\n<table>\n", escaped_html(section.title));
    for (const Line& line : section.lines)
      html += fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n",
                          escaped_html(line.heading), escaped_html(line.text));
    html += "</table>\n";
  }
  return html + "</body></html>\n";
}

}  // namespace megascale::report
