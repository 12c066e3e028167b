#include "megascale/report/facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>

#include "megascale/base/clock.h"
#include "megascale/base/error.h"
#include "megascale/config/batch_phases.h"
#include "megascale/config/derived.h"
#include "megascale/launch/process_state.h"
#include "megascale/observe/spread.h"
#include "megascale/serve/rank_json.h"
#include "megascale/serve/step_store.h"

namespace megascale::report {
namespace {

using observe::metric_index;
using observe::MetricsRow;
using observe::StepTimes;

JobFacts job_facts(const Config& config, const job::JobPlan& job) {
  const auto size = [&](graph::Axis axis) { return job.grid.sizes()[axis]; };
  JobFacts facts{.ranks = job.grid.world_size(),
                 .tensor = static_cast<std::uint32_t>(size(graph::Axis::tensor)),
                 .context = static_cast<std::uint32_t>(size(graph::Axis::context)),
                 .data = static_cast<std::uint32_t>(size(graph::Axis::data)),
                 .pipeline = static_cast<std::uint32_t>(size(graph::Axis::pipeline)),
                 .parameters = job.parameter_count(),
                 .tokens_per_step = tokens_per_step(config),
                 .train_iters = config.train.train_iters,
                 .stages = {}};
  for (const job::StagePlan& stage : job.stages)
    facts.stages.push_back({stage.arena_nbytes, stage.train.memory.by_category});
  return facts;
}

// Steps that were evaluated or saved take as long as the others: their times leave that out. But the
// first step of a process also waits for its first batch, and fills caches.
Rates rates_of(const std::vector<MetricsRow>& rows) {
  Rates rates;
  const std::size_t usable = rows.size() > 1 ? rows.size() - 1 : rows.size();
  rates.steps = std::min(usable, kRateSteps);
  const auto median_of = [&](std::string_view name) {
    std::vector<double> values;
    for (std::size_t i = rows.size() - rates.steps; i < rows.size(); ++i)
      if (const double value = rows[i].values[metric_index(name)]; !std::isnan(value))
        values.push_back(value);
    return values.empty() ? std::numeric_limits<double>::quiet_NaN()
                          : observe::lower_median(values);
  };
  rates.step_seconds = median_of("step_seconds");
  rates.tokens_per_second = median_of("tokens_per_second");
  rates.mfu = median_of("mfu");
  rates.hfu = median_of("hfu");
  return rates;
}

// Means of the lanes that carry transfers, over all ranks and steps.
std::vector<LaneFacts> lane_facts(const serve::RankHistory& history,
                                  const std::vector<std::int64_t>& steps) {
  std::vector<LaneFacts> lanes;
  for (std::size_t l = 0; l < graph::kLaneCount; ++l) {
    LaneFacts facts{.lane = static_cast<graph::Lane>(l), .time = {}};
    if (!observe::carries_transfers(facts.lane)) continue;
    double count = 0;
    for (const auto& [rank, entry] : history.ranks()) {
      if (entry.steps.empty()) continue;
      for (const std::int64_t step : steps) {
        const observe::LaneTime& time = entry.steps.at(step).numbers.lanes[l];
        facts.time.busy += time.busy;
        facts.time.hidden += time.hidden;
        facts.time.partner += time.partner;
        facts.time.late += time.late;
        ++count;
      }
    }
    if (facts.time.busy <= 0) continue;
    for (double* part :
         {&facts.time.busy, &facts.time.hidden, &facts.time.partner, &facts.time.late})
      *part /= count;
    lanes.push_back(facts);
  }
  return lanes;
}

std::vector<RankLine> rank_lines(const serve::RankHistory& history,
                                 const std::vector<std::int64_t>& steps) {
  std::vector<RankLine> lines;
  std::map<std::string, std::vector<double>> by_work;
  for (const auto& [rank, entry] : history.ranks()) {
    if (entry.steps.empty()) continue;
    std::vector<StepTimes> times;
    times.reserve(steps.size());
    for (const std::int64_t step : steps) times.push_back(entry.steps.at(step).numbers.times);
    lines.push_back({.rank = rank, .host = entry.host, .times = observe::mean(times)});
    by_work[history.works().work_of(rank)].push_back(lines.back().times.compute);
  }
  for (RankLine& line : lines)
    line.usual_compute = observe::lower_median(by_work.at(history.works().work_of(line.rank)));
  std::stable_sort(lines.begin(), lines.end(),
                   [](const RankLine& a, const RankLine& b) { return a.excess() > b.excess(); });
  return lines;
}

// The time of each recorded step by cause: means over the ranks.
std::vector<observe::StepParts> recorded_parts(const serve::RankHistory& history) {
  std::vector<observe::StepParts> parts;
  for (const std::int64_t step : history.common_steps(std::numeric_limits<std::size_t>::max())) {
    observe::StepParts sum{.step = step + 1};  // as metrics count
    double ranks = 0;
    for (const auto& [rank, entry] : history.ranks()) {
      if (entry.steps.empty()) continue;
      const observe::RankStep& numbers = entry.steps.at(step).numbers;
      sum.seconds += numbers.times.step;
      sum.exposed_comm += numbers.times.exposed_comm;
      sum.bubble += numbers.times.bubble;
      sum.data_wait += numbers.times.data_wait;
      sum.compute += numbers.times.compute;
      sum.launch += numbers.late_transfers();
      ++ranks;
    }
    for (double* part :
         {&sum.seconds, &sum.exposed_comm, &sum.bubble, &sum.data_wait, &sum.compute, &sum.launch})
      *part /= ranks;
    parts.push_back(sum);
  }
  return parts;
}

// Throws Error (bad_usage) if there are no usable records.
RecordFacts record_facts(const serve::RankHistory& history, std::size_t least_steps) {
  serve::require_records(history);
  RecordFacts facts{.steps = history.common_steps(serve::kStragglerSteps),
                    .least_steps = least_steps};
  if (facts.steps.empty())
    throw Error(ErrorCode::bad_usage, "the ranks have recorded no step in common");
  std::vector<StepTimes> steps;
  for (const std::int64_t step : facts.steps) {
    std::vector<StepTimes> ranks;
    for (const auto& [rank, entry] : history.ranks())
      if (!entry.steps.empty()) ranks.push_back(entry.steps.at(step).numbers.times);
    steps.push_back(observe::mean(ranks));
  }
  facts.times = observe::median(steps);
  facts.lanes = lane_facts(history, facts.steps);
  facts.ranks = rank_lines(history, facts.steps);
  facts.stragglers = history.stragglers(serve::kStragglerSteps, least_steps);
  for (const auto& [rank, entry] : history.ranks())
    if (!entry.problem.empty())
      facts.problems.push_back(fmt::format("rank {}: {}", rank, entry.problem));
  return facts;
}

RunState state_of(const RunFacts& facts, const RunDirectory& directory,
                  const serve::RankHistory* history) {
  // A training makes the file of its metrics before its first step; a simulation has none.
  if (!std::filesystem::exists(directory.metrics()))
    return std::filesystem::exists(directory.events()) ? RunState::simulated : RunState::waiting;
  if (facts.job.train_iters > 0 && facts.steps_done() >= facts.job.train_iters)
    return RunState::complete;
  if (history == nullptr) return RunState::elsewhere;
  if (history->ranks().empty()) return RunState::waiting;
  bool elsewhere = false;
  for (const auto& [rank, entry] : history->ranks()) {
    const launch::ProcessState process = launch::process_state(entry.host, entry.process_id);
    if (process == launch::ProcessState::elsewhere) {
      elsewhere = true;
    } else if (process != launch::ProcessState::gone) {
      return facts.rows.empty() ? RunState::waiting : RunState::running;
    }
  }
  return elsewhere ? RunState::elsewhere : RunState::stopped;
}

double age_of(const std::filesystem::path& file) {
  std::error_code missing;
  const auto written = std::filesystem::last_write_time(file, missing);
  if (missing) return 0;
  return std::chrono::duration<double>(std::filesystem::file_time_type::clock::now() - written)
      .count();
}

}  // namespace

std::string_view to_string(RunState state) noexcept {
  constexpr std::array<std::string_view, 6> kNames{"simulated", "waiting", "running",
                                                   "complete",  "stopped", "elsewhere"};
  return kNames[static_cast<std::size_t>(state)];
}

std::optional<double> RunFacts::seconds_left() const {
  if (job.train_iters <= steps_done() || !std::isfinite(rates.step_seconds) || rows.empty())
    return std::nullopt;
  return static_cast<double>(job.train_iters - steps_done()) * rates.step_seconds;
}

std::optional<double> RunFacts::newest(std::string_view metric) const {
  const std::size_t index = metric_index(metric);
  for (auto row = rows.rbegin(); row != rows.rend(); ++row)
    if (!std::isnan(row->values[index])) return row->values[index];
  return std::nullopt;
}

std::vector<observe::NamedLoss> RunFacts::newest_validation() const {
  std::map<std::string, double> by_name;
  for (const MetricsRow& row : rows) {
    for (const observe::NamedLoss& one : row.validation_losses) by_name[one.name] = one.loss;
  }
  std::vector<observe::NamedLoss> losses;
  losses.reserve(by_name.size());
  for (const auto& [of_set, loss] : by_name) losses.push_back({of_set, loss});
  return losses;
}

std::unique_ptr<serve::RunView> open_run(const std::filesystem::path& run_dir) {
  if (!std::filesystem::is_directory(run_dir)) {
    throw Error(ErrorCode::bad_usage,
                fmt::format("{}: expected a run directory, found {}", run_dir.string(),
                            std::filesystem::exists(run_dir) ? "a file" : "nothing"));
  }
  return std::make_unique<serve::RunView>(run_dir);
}

RunFacts read_facts(serve::RunView& run) {
  const RunDirectory& directory = run.directory();
  RunFacts facts{.name = run.name(), .path = directory.path().string()};
  facts.rows = run.rows();
  facts.age_seconds = age_of(directory.metrics());
  std::vector<observe::StepParts> recorded;
  const auto read_records = [&](const Config& config, const serve::RankHistory& history,
                                std::size_t least_steps) {
    facts.config = config;
    facts.job = job_facts(config, history.job());
    facts.state = state_of(facts, directory, &history);
    try {
      facts.records = record_facts(history, least_steps);
      facts.records->dropped = serve::store_facts(directory).dropped;
      recorded = recorded_parts(history);
    } catch (const Error& error) {
      facts.no_records = error.message();
    }
  };
  try {
    run.visit_ranks(read_records);
  } catch (const Error& error) {
    // Without a configuration that can be planned, the metrics still tell a lot.
    if (facts.rows.empty()) throw;
    facts.no_records = error.message();
    facts.state = state_of(facts, directory, nullptr);
  }
  facts.rates = rates_of(facts.rows);
  facts.anomalies = observe::training_anomalies(facts.rows);
  // Records tell the cause, but the rings alone hold a few steps only.
  if (2 * recorded.size() < facts.rows.size()) recorded = observe::parts_of(facts.rows);
  // Steps with a larger batch take longer.
  if (facts.config) {
    for (const BatchPhase& phase : batch_phases(facts.config->train)) {
      if (phase.first_step >= facts.steps_done()) break;
      std::erase_if(recorded, [&](const auto& step) { return step.step <= phase.first_step; });
    }
  }
  facts.decline = observe::find_decline(recorded);
  if (std::filesystem::exists(directory.job_record())) {
    control::JobRecord record(directory.job_record(), control::Database::Access::read);
    facts.driver = DriverFacts{.status = control::read_status(record, monotonic_ns()),
                               .incidents = record.incidents()};
  }
  return facts;
}

}  // namespace megascale::report
