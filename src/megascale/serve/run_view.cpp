// Reads are cheap while nothing changes: metrics are read from where the last read ended. The plans are
// made once for a configuration.
#include "megascale/serve/run_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "megascale/base/clock.h"
#include "megascale/base/error.h"
#include "megascale/base/files.h"
#include "megascale/config/derived.h"
#include "megascale/config/load.h"
#include "megascale/job/batch_plans.h"
#include "megascale/observe/ring_head.h"
#include "megascale/serve/peers_json.h"
#include "megascale/serve/routing_json.h"
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

job::JobPlan proven_job(const Config& config, const std::string& digest) {
  job::JobPlan job = job::plan_of_records(config, digest);
  job::require_proven(job);
  return job;
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
  for (const std::string& name : observe::validation_names(rows)) {
    Json values = Json::array();
    for (const MetricsRow& row : rows)
      values.push_back(number(observe::validation_loss(row, name)));
    columns["validation_losses." + name] = std::move(values);
  }
  return columns;
}

RunView::RunView(const std::filesystem::path& run_dir)
    : run_(std::filesystem::absolute(run_dir).lexically_normal()), metrics_(run_.metrics()) {
  const std::filesystem::path& path = run_.path();
  name_ = (path.has_filename() ? path.filename() : path.parent_path().filename()).string();
}

void RunView::refresh_metrics() {
  constexpr std::chrono::nanoseconds kRefresh = RankReader::kRefresh;
  const std::int64_t now = monotonic_ns();
  if (metrics_read_ns_ != 0 && now - metrics_read_ns_ < kRefresh.count()) return;
  metrics_.update();
  metrics_read_ns_ = now;
}

RunView::Planned::Planned(const RunDirectory& run, Config of_run, std::string text_of_file,
                          std::string recorded)
    : config(std::move(of_run)),
      text(std::move(text_of_file)),
      digest(std::move(recorded)),
      job(proven_job(config, digest)),
      works(job),
      ranks(run, works) {}

std::shared_ptr<RunView::Planned> RunView::planned() {
  if (!std::filesystem::exists(run_.config())) {
    throw Error(ErrorCode::bad_usage,
                fmt::format("{} has no {}: expected the run directory of megascale train or of "
                            "megascale simulate --keep",
                            run_.path().string(), RunDirectory::kConfig));
  }
  std::string text = read_text(run_.config());
  const std::lock_guard lock(plan_mutex_);
  if (planned_ && text == planned_->text && planned_->config.train.rampup_batch_size.empty())
    return planned_;
  Config config = parse_config(text, run_.config().string());
  std::string digest;
  if (!config.train.rampup_batch_size.empty()) digest = observe::read_plan_digest(run_.ring(0));
  // While a ring is replaced it has no digest.
  const bool is_known =
      planned_ && text == planned_->text && (digest.empty() || digest == planned_->digest);
  if (!is_known)
    planned_ =
        std::make_shared<Planned>(run_, std::move(config), std::move(text), std::move(digest));
  return planned_;
}

void RunView::begin() noexcept {
  try {
    planned()->ranks.begin();
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): who asks gets the reason
  }
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
  Json json{{"name", name_}, {"path", run_.path().string()}};
  json["kind"] = kind();
  json["has_job"] = std::filesystem::exists(run_.job_record());
  json["newest"] = Json::object();
  if (const auto row = newest_row()) {
    json["newest"]["step"] = row->step;
    for (std::size_t m = 0; m < observe::kMetricCount; ++m)
      if (!std::isnan(row->values[m]))
        json["newest"][std::string(observe::kMetricKinds[m].name)] = row->values[m];
    json["age_seconds"] =
        std::chrono::duration<double>(std::filesystem::file_time_type::clock::now() -
                                      std::filesystem::last_write_time(run_.metrics()))
            .count();
  }
  try {
    const auto plan = planned();
    const auto& sizes = plan->job.grid.sizes();
    json["job"] = {{"world_size", plan->job.grid.world_size()},
                   {"tensor", sizes[graph::Axis::tensor]},
                   {"context", sizes[graph::Axis::context]},
                   {"data", sizes[graph::Axis::data]},
                   {"pipeline", sizes[graph::Axis::pipeline]},
                   {"expert_tensor", sizes[graph::Axis::expert_tensor]},
                   {"expert", sizes[graph::Axis::expert]},
                   {"experts", plan->config.model.moe.num_experts},
                   {"train_iters", plan->config.train.train_iters},
                   {"tokens_per_step", tokens_per_step(plan->config)},
                   {"parameters", plan->job.parameter_count()}};
  } catch (const Error& error) {
    json["problem"] = error.message();
  }
  return json;
}

Json RunView::metrics(std::int64_t after, std::size_t points) {
  const std::lock_guard lock(metrics_mutex_);
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
  Json json;
  planned()->ranks.visit(kPatience, [&](const RankHistory& ranks, const auto& progress) {
    json =
        rank_table(ranks, progress, {.steps = steps, .least_steps = least_steps(), .keys = keys});
  });
  return json;
}

Json RunView::peers(std::uint32_t rank) {
  Json json;
  // The groups are known from the plan. A page asks for them at each key, so it must not wait for times.
  planned()->ranks.visit(std::chrono::milliseconds(0), [&](const RankHistory& ranks, const auto&) {
    json = rank_peers(ranks, rank);
  });
  return json;
}

Json RunView::hang() {
  const auto plan = planned();
  const std::lock_guard lock(hang_mutex_);
  return hang_watch_.look(run_, plan->job);
}

Json RunView::rank(std::uint32_t rank, std::size_t steps) {
  Json json;
  planned()->ranks.visit(kPatience, [&](const RankHistory& ranks, const auto&) {
    json = rank_by_step(ranks, rank, steps);
  });
  return json;
}

Json RunView::timeline(const std::vector<std::uint32_t>& ranks, std::int64_t step) {
  const auto plan = planned();
  Json json = step_timeline(run_, plan->works, ranks, step);
  if (const auto peak = peak_of_rank(plan->job)) json["peak_flops"] = *peak;
  return json;
}

Json RunView::memory(std::uint32_t rank, std::int64_t step, std::size_t points) {
  return step_memory(run_, planned()->works, rank, step, points);
}

Json RunView::routing(std::size_t steps) {
  constexpr std::size_t kMostLoads = 128;
  return routing_json(run_.metrics(), steps, kMostLoads);
}

std::optional<double> RunView::peak_of_rank(const job::JobPlan& job) {
  constexpr std::size_t kMfu = observe::metric_index("mfu"),
                        kSeconds = observe::metric_index("step_seconds");
  const auto row = newest_row();
  if (!row || !(row->values[kMfu] > 0)) return std::nullopt;
  return job.flops().model / (row->values[kMfu] * row->values[kSeconds] * job.grid.world_size());
}

Json RunView::plan() { return plan_json(planned()->job); }

std::uint32_t RunView::world_size() { return planned()->job.grid.world_size(); }

std::vector<MetricsRow> RunView::rows_after(std::int64_t after, std::size_t most,
                                            std::int64_t& generation) {
  const std::lock_guard lock(metrics_mutex_);
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
  const std::lock_guard lock(metrics_mutex_);
  refresh_metrics();
  if (metrics_.rows().empty()) return std::nullopt;
  return metrics_.rows().back();
}

std::int64_t RunView::planned_steps() {
  try {
    return planned()->config.train.train_iters;
  } catch (const Error&) {
    return 0;
  }
}

std::vector<MetricsRow> RunView::rows() {
  const std::lock_guard lock(metrics_mutex_);
  refresh_metrics();
  return metrics_.rows();
}

void RunView::visit_ranks(const VisitRanks& visit) {
  const auto plan = planned();
  plan->ranks.visit(RankReader::kForever, [&](const RankHistory& ranks, const auto&) {
    visit(plan->config, ranks, least_steps());
  });
}

RunView::RankFacts RunView::rank_facts() {
  RankFacts facts;
  planned()->ranks.visit(kPatience, [&](const RankHistory& ranks, const auto& progress) {
    for (const auto& [rank, entry] : ranks.ranks())
      if (!entry.steps.empty()) facts.newest[rank] = entry.steps.rbegin()->second.numbers;
    if (progress.is_complete) facts.stragglers = ranks.stragglers(kStragglerSteps, least_steps());
  });
  return facts;
}

}  // namespace megascale::serve
