// Reads are cheap while nothing changes: metrics are read from where the last read ended, a ring only
// if its head tells of a new step. The plans are made once for a configuration.
#include "megascale/serve/run_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "megascale/base/clock.h"
#include "megascale/base/error.h"
#include "megascale/base/files.h"
#include "megascale/config/derived.h"
#include "megascale/config/load.h"
#include "megascale/serve/peers_json.h"
#include "megascale/serve/timeline.h"

namespace megascale::serve {
namespace {

using observe::MetricsRow;

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

// The last steps with a checkpoint, at most so many: marks in a plot.
constexpr std::size_t kMostMarks = 500;
Json checkpoints_in(const std::vector<MetricsRow>& rows) {
  constexpr std::size_t kStall = observe::metric_index("checkpoint_stall_seconds");
  std::vector<std::int64_t> steps;
  for (const MetricsRow& row : rows)
    if (!std::isnan(row.values[kStall])) steps.push_back(row.step);
  if (steps.size() > kMostMarks)
    steps.erase(steps.begin(), steps.end() - static_cast<std::ptrdiff_t>(kMostMarks));
  return steps;
}

}  // namespace

Json columns_of(const std::vector<MetricsRow>& rows) {
  Json columns = Json::object();
  Json steps = Json::array();
  for (const MetricsRow& row : rows) steps.push_back(row.step);
  columns["step"] = std::move(steps);
  for (std::size_t m = 0; m < observe::kMetricCount; ++m) {
    if (std::all_of(rows.begin(), rows.end(),
                    [m](const MetricsRow& row) { return std::isnan(row.values[m]); }))
      continue;
    Json values = Json::array();
    for (const MetricsRow& row : rows) values.push_back(number(row.values[m]));
    columns[std::string(observe::kMetricKinds[m].name)] = std::move(values);
  }
  return columns;
}

RunView::RunView(std::filesystem::path run_dir)
    : run_(std::filesystem::absolute(run_dir).lexically_normal()), metrics_(run_.metrics()) {
  const std::filesystem::path& path = run_.path();
  name_ = (path.has_filename() ? path.filename() : path.parent_path().filename()).string();
}

void RunView::refresh_metrics() {
  const std::int64_t now = monotonic_ns();
  if (metrics_read_ns_ != 0 && now - metrics_read_ns_ < kRefreshNs) return;
  metrics_.update();
  metrics_read_ns_ = now;
}

const job::JobPlan& RunView::planned() {
  if (!std::filesystem::exists(run_.config())) {
    throw Error(ErrorCode::bad_usage,
                fmt::format("{} has no {}: expected the run directory of megascale train or of "
                            "megascale simulate --keep",
                            run_.path().string(), RunDirectory::kConfig));
  }
  std::string text = read_text(run_.config());
  if (!job_ || text != config_text_) {
    config_ = parse_config(text, run_.config().string());
    auto job = std::make_unique<job::JobPlan>(job::plan_job(*config_));
    job::require_proven(*job);
    history_.reset();
    job_ = std::move(job);
    history_ = std::make_unique<RankHistory>(run_, *job_);
    config_text_ = std::move(text);
    rings_read_ns_ = 0;
  }
  return *job_;
}

RankHistory& RunView::history() {
  (void)planned();
  const std::int64_t now = monotonic_ns();
  if (rings_read_ns_ == 0 || now - rings_read_ns_ >= kRefreshNs) {
    history_->update();
    rings_read_ns_ = now;
  }
  return *history_;
}

std::size_t RunView::least_steps() const {
  // A simulation keeps one step, whose times are exact.
  return std::filesystem::exists(run_.metrics()) ? observe::StragglerOptions{}.least_steps : 1;
}

std::string_view RunView::kind() const {
  if (std::filesystem::exists(run_.metrics())) return "trained";
  if (!std::filesystem::exists(run_.events())) return "empty";
  // Only real steps come with a summary of their plan.
  return std::filesystem::exists(run_.plan_summary()) ? "measured" : "simulated";
}

Json RunView::summary() {
  const std::lock_guard lock(mutex_);
  refresh_metrics();
  Json json{{"name", name_}, {"path", run_.path().string()}};
  const auto& rows = metrics_.rows();
  json["kind"] = kind();
  json["has_job"] = std::filesystem::exists(run_.job_record());
  json["newest"] = Json::object();
  if (!rows.empty()) {
    json["newest"]["step"] = rows.back().step;
    for (std::size_t m = 0; m < observe::kMetricCount; ++m)
      if (!std::isnan(rows.back().values[m]))
        json["newest"][std::string(observe::kMetricKinds[m].name)] = rows.back().values[m];
    json["age_seconds"] =
        std::chrono::duration<double>(std::filesystem::file_time_type::clock::now() -
                                      std::filesystem::last_write_time(run_.metrics()))
            .count();
  }
  try {
    const job::JobPlan& job = planned();
    const Config& config = *config_;
    json["job"] = {{"world_size", job.grid.world_size()},
                   {"tensor", job.grid.sizes()[graph::Axis::tensor]},
                   {"context", job.grid.sizes()[graph::Axis::context]},
                   {"data", job.grid.sizes()[graph::Axis::data]},
                   {"pipeline", job.grid.sizes()[graph::Axis::pipeline]},
                   {"train_iters", config.train.train_iters},
                   {"tokens_per_step", tokens_per_step(config)},
                   {"parameters", job.parameter_count()}};
  } catch (const Error& error) {
    json["problem"] = error.message();
  }
  return json;
}

Json RunView::metrics(std::int64_t after, std::size_t points) {
  const std::lock_guard lock(mutex_);
  refresh_metrics();
  const auto& rows = metrics_.rows();
  const auto begin =
      std::upper_bound(rows.begin(), rows.end(), after,
                       [](std::int64_t step, const MetricsRow& row) { return step < row.step; });
  const std::vector<MetricsRow> asked(begin, rows.end());
  return {{"generation", metrics_.generation()},
          {"rows", asked.size()},
          {"checkpoints", checkpoints_in(asked)},
          {"columns", columns_of(observe::thin_out(asked, points))}};
}

Json RunView::ranks(std::size_t steps, const ColumnKeys& keys) {
  const std::lock_guard lock(mutex_);
  return rank_table(history(), steps, least_steps(), keys);
}

Json RunView::peers(std::uint32_t rank) {
  const std::lock_guard lock(mutex_);
  return rank_peers(history(), rank);
}

Json RunView::hang() {
  const std::lock_guard lock(mutex_);
  return hang_watch_.look(run_, planned());
}

Json RunView::rank(std::uint32_t rank, std::size_t steps) {
  const std::lock_guard lock(mutex_);
  return rank_by_step(history(), rank, steps);
}

Json RunView::timeline(const std::vector<std::uint32_t>& ranks, std::int64_t step) {
  const std::lock_guard lock(mutex_);
  Json json = step_timeline(run_, history(), ranks, step);
  refresh_metrics();
  if (const auto peak = peak_of_rank()) json["peak_flops"] = *peak;
  return json;
}

std::optional<double> RunView::peak_of_rank() {
  constexpr std::size_t kMfu = observe::metric_index("mfu"),
                        kSeconds = observe::metric_index("step_seconds");
  const auto& rows = metrics_.rows();
  if (rows.empty() || !(rows.back().values[kMfu] > 0)) return std::nullopt;
  const job::JobPlan& job = planned();
  return job.flops().model /
         (rows.back().values[kMfu] * rows.back().values[kSeconds] * job.grid.world_size());
}

Json RunView::plan() {
  const std::lock_guard lock(mutex_);
  return plan_json(planned());
}

std::uint32_t RunView::world_size() {
  const std::lock_guard lock(mutex_);
  return planned().grid.world_size();
}

std::vector<MetricsRow> RunView::rows_after(std::int64_t after, std::size_t most,
                                            std::int64_t& generation) {
  const std::lock_guard lock(mutex_);
  refresh_metrics();
  generation = metrics_.generation();
  const auto& rows = metrics_.rows();
  auto begin =
      std::upper_bound(rows.begin(), rows.end(), after,
                       [](std::int64_t step, const MetricsRow& row) { return step < row.step; });
  const auto count =
      std::min<std::ptrdiff_t>(rows.end() - begin, static_cast<std::ptrdiff_t>(most));
  return {begin, begin + count};
}

std::optional<MetricsRow> RunView::newest_row() {
  const std::lock_guard lock(mutex_);
  refresh_metrics();
  if (metrics_.rows().empty()) return std::nullopt;
  return metrics_.rows().back();
}

std::int64_t RunView::planned_steps() {
  const std::lock_guard lock(mutex_);
  try {
    (void)planned();
    return config_->train.train_iters;
  } catch (const Error&) {
    return 0;
  }
}

std::vector<MetricsRow> RunView::rows() {
  const std::lock_guard lock(mutex_);
  refresh_metrics();
  return metrics_.rows();
}

void RunView::visit_ranks(const VisitRanks& visit) {
  const std::lock_guard lock(mutex_);
  const RankHistory& ranks = history();
  visit(*config_, ranks, least_steps());
}

RunView::RankFacts RunView::rank_facts() {
  const std::lock_guard lock(mutex_);
  RankHistory& ranks = history();
  RankFacts facts;
  for (const auto& [rank, entry] : ranks.ranks())
    if (!entry.steps.empty()) facts.newest[rank] = entry.steps.rbegin()->second.numbers;
  facts.stragglers = ranks.stragglers(ranks.common_steps(kStragglerSteps), least_steps());
  return facts;
}

}  // namespace megascale::serve
