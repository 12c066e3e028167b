// A column is a number that every rank has in every step. The same list of columns gives the heat map
// (means over steps) and the history of a rank (step by step, beside the median of its peers).
#include "megascale/serve/rank_json.h"

#include <fmt/format.h>

#include <functional>
#include <set>

#include "megascale/base/error.h"
#include "megascale/observe/spread.h"

namespace megascale::serve {
namespace {

using Json = nlohmann::ordered_json;
using observe::RankStep;

struct Column {
  std::string key, group, label;
  std::function<double(const RankStep&)> value;  // seconds, or a share for "ratio"
  bool is_share = false;
};

void add_lane_columns(std::vector<Column>& columns, graph::Lane lane) {
  const std::string name(graph::to_string(lane));
  const auto add = [&](const char* what, const char* label, double observe::LaneTime::*member) {
    columns.push_back(
        {.key = fmt::format("lane.{}.{}", name, what),
         .group = "lane " + name,
         .label = label,
         .value = [lane, member](const RankStep& s) { return s.lane(lane).*member; }});
  };
  add("busy", "tasks run, or bytes move", &observe::LaneTime::busy);
  add("late", "ready and not started", &observe::LaneTime::late);
  if (!observe::carries_transfers(lane)) return;
  add("partner", "wait for a partner", &observe::LaneTime::partner);
  columns.push_back({.key = fmt::format("lane.{}.overlap", name),
                     .group = "lane " + name,
                     .label = "share hidden by computation",
                     .value = [lane](const RankStep& s) { return s.lane(lane).overlap_share(); },
                     .is_share = true});
}

// The columns of a job: lanes and op kinds that occur in it.
std::vector<Column> columns_of(const RankHistory& history) {
  std::vector<Column> columns;
  const auto part = [&](const char* key, const char* label, double observe::StepTimes::*member) {
    columns.push_back(
        {.key = key, .group = "step", .label = label, .value = [member](const RankStep& s) {
           return s.times.*member;
         }});
  };
  part("compute", "computation", &observe::StepTimes::compute);
  part("exposed_comm", "exposed communication", &observe::StepTimes::exposed_comm);
  part("bubble", "bubble", &observe::StepTimes::bubble);
  part("data_wait", "wait for data", &observe::StepTimes::data_wait);
  part("other", "other", &observe::StepTimes::other);
  part("step", "whole step", &observe::StepTimes::step);
  std::set<std::string> kinds;
  std::array<bool, observe::kPhaseCount> phases{};
  std::array<bool, graph::kLaneCount> lanes{};
  std::set<std::string_view> works;  // ranks with the same work have the same lanes and op kinds
  for (const auto& [rank, entry] : history.ranks()) {
    if (entry.steps.empty() || !works.insert(history.works().work_of(rank)).second) continue;
    const RankStep& step = entry.steps.rbegin()->second.numbers;
    for (const auto& [kind, seconds] : step.times.by_op) kinds.insert(kind);
    for (std::size_t p = 0; p < phases.size(); ++p) phases[p] = phases[p] || step.phases[p] > 0;
    for (std::size_t l = 0; l < lanes.size(); ++l) lanes[l] = lanes[l] || step.lanes[l].busy > 0;
  }
  for (std::size_t p = 0; p < phases.size(); ++p) {
    const auto phase = static_cast<graph::Phase>(p);
    if (!phases[p]) continue;
    columns.push_back({.key = fmt::format("phase.{}", observe::to_string(phase)),
                       .group = "computation",
                       .label = std::string(observe::to_string(phase)),
                       .value = [phase](const RankStep& s) { return s.phase(phase); }});
  }
  for (std::size_t l = 0; l < lanes.size(); ++l) {
    const auto lane = static_cast<graph::Lane>(l);
    if (lanes[l] && lane != graph::Lane::compute) add_lane_columns(columns, lane);
  }
  for (const std::string& kind : kinds) {
    columns.push_back({.key = "op." + kind,
                       .group = "op kind",
                       .label = kind,
                       .value = [kind](const RankStep& s) {
                         const auto found = s.times.by_op.find(kind);
                         return found == s.times.by_op.end() ? 0.0 : found->second;
                       }});
  }
  return columns;
}

Json column_json(const Column& column) {
  return {{"key", column.key},
          {"group", column.group},
          {"label", column.label},
          {"unit", column.is_share ? "ratio" : "seconds"}};
}

Json straggler_json(const observe::Straggler& straggler) {
  return {{"cause", observe::to_string(straggler.cause)},
          {"ranks", straggler.ranks},
          {"seconds", straggler.seconds},
          {"usual_seconds", straggler.usual},
          {"votes", straggler.votes},
          {"steps", straggler.steps},
          {"text", observe::to_string(straggler)}};
}

// The tasks that took most of each step.
Json worst_tasks_json(const RankHistory& history, std::uint32_t rank,
                      const std::vector<std::int64_t>& steps) {
  const plan::StepPlan& plan = history.works().plan_of(rank);
  Json list = Json::array();
  for (const std::int64_t step : steps) {
    Json tasks = Json::array();
    for (const observe::WorstTask& task : history.ranks().at(rank).steps.at(step).worst) {
      if (task.task >= plan.tasks().size()) continue;
      tasks.push_back({{"task", task.task},
                       {"name", plan.task_name(task.task)},
                       {"cause", observe::to_string(task.cause)},
                       {"seconds", task.seconds}});
    }
    list.push_back({{"step", step}, {"tasks", std::move(tasks)}});
  }
  return list;
}

}  // namespace

void require_records(const RankHistory& history) {
  std::string problem;
  for (const auto& [rank, entry] : history.ranks()) {
    if (!entry.steps.empty()) return;
    if (problem.empty() && !entry.problem.empty())
      problem = fmt::format("rank {}: {}", rank, entry.problem);
  }
  if (problem.empty()) {
    problem = history.ranks().empty()
                  ? "there are no record rings: a run writes them at its first step"
                  : "no step has ended yet: wait for the first one";
  }
  throw Error(ErrorCode::bad_usage, problem);
}

Json coordinates_json(const graph::Coordinates& at) {
  return {{"tensor", at[static_cast<std::size_t>(graph::Axis::tensor)]},
          {"context", at[static_cast<std::size_t>(graph::Axis::context)]},
          {"data", at[static_cast<std::size_t>(graph::Axis::data)]},
          {"pipeline", at[static_cast<std::size_t>(graph::Axis::pipeline)]}};
}

Json rank_table(const RankHistory& history, const RankReader::Progress& progress,
                const TableOptions& options) {
  require_records(history);
  const std::vector<std::int64_t> steps = history.common_steps(options.steps);
  if (steps.empty()) {
    throw Error(ErrorCode::bad_usage,
                "the ranks have no step in common yet: wait for the next one");
  }
  Json json{{"steps", steps}};
  if (!progress.is_complete) json["reading"] = {{"ranks", progress.read}, {"all", progress.all}};
  json["rank"] = json["host"] = json["work"] = json["hosts"] = json["columns"] = json["problems"] =
      json["stragglers"] = Json::array();
  std::map<std::string_view, std::size_t> works, hosts;
  for (const auto& [rank, entry] : history.ranks()) {
    if (!entry.problem.empty())
      json["problems"].push_back({{"rank", rank}, {"text", entry.problem}});
    if (entry.steps.empty()) continue;
    const auto [host, is_new] = hosts.emplace(entry.host, hosts.size());
    if (is_new) json["hosts"].push_back(entry.host);
    json["rank"].push_back(rank);
    json["host"].push_back(host->second);
    json["work"].push_back(
        works.emplace(history.works().work_of(rank), works.size()).first->second);
  }
  for (const Column& column : columns_of(history)) {
    Json line = column_json(column);
    line["values"] = Json::array();
    const bool has_values = !options.keys || options.keys->contains(column.key);
    for (const auto& [rank, entry] : history.ranks()) {
      if (entry.steps.empty() || !has_values) continue;
      double sum = 0;
      for (const std::int64_t step : steps) sum += column.value(entry.steps.at(step).numbers);
      line["values"].push_back(sum / static_cast<double>(steps.size()));
    }
    json["columns"].push_back(std::move(line));
  }
  if (!progress.is_complete) return json;
  for (const auto& straggler : history.stragglers(kStragglerSteps, options.least_steps))
    json["stragglers"].push_back(straggler_json(straggler));
  return json;
}

Json rank_by_step(const RankHistory& history, std::uint32_t rank, std::size_t most) {
  require_records(history);
  const auto own = history.ranks().find(rank);
  if (own == history.ranks().end() || own->second.steps.empty())
    throw Error(ErrorCode::bad_usage, fmt::format("rank {} has no records", rank));
  const std::vector<std::int64_t> steps = history.common_steps(most);
  std::vector<const RankEntry*> peers;  // this rank too
  for (const auto& [other, entry] : history.ranks()) {
    if (!entry.steps.empty() && history.works().work_of(other) == history.works().work_of(rank))
      peers.push_back(&entry);
  }
  Json json{{"rank", rank},
            {"host", own->second.host},
            {"at", coordinates_json(history.job().grid.coordinates(rank))},
            {"peers", peers.size() - 1},
            {"steps", steps},
            {"columns", Json::array()}};
  json["worst"] = worst_tasks_json(history, rank, steps);
  for (const Column& column : columns_of(history)) {
    Json line = column_json(column);
    line["values"] = line["median"] = Json::array();
    for (const std::int64_t step : steps) {
      line["values"].push_back(column.value(own->second.steps.at(step).numbers));
      std::vector<double> all;
      for (const RankEntry* peer : peers) all.push_back(column.value(peer->steps.at(step).numbers));
      line["median"].push_back(observe::lower_median(all));
    }
    json["columns"].push_back(std::move(line));
  }
  return json;
}

Json plan_json(const job::JobPlan& job) {
  Json json{{"world_size", job.grid.world_size()},
            {"model_flops", job.flops().model},
            {"executed_flops", job.flops().executed},
            {"stages", Json::array()}};
  for (std::size_t s = 0; s < job.stages.size(); ++s) {
    const job::StagePlan& stage = job.stages[s];
    Json memory = Json::object();
    for (std::size_t c = 0; c < plan::kCategoryCount; ++c) {
      memory[std::string(plan::to_string(static_cast<plan::Category>(c)))] =
          stage.train.memory.by_category[c];
    }
    json["stages"].push_back({{"stage", s},
                              {"first_rank", job.first_rank_of(s)},
                              {"ranks", job.grid.stage_size()},
                              {"tasks", stage.train.expansion.plan.tasks().size()},
                              {"arena_bytes", stage.arena_nbytes},
                              {"memory", memory}});
  }
  return json;
}

}  // namespace megascale::serve
