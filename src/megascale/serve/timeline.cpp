#include "megascale/serve/timeline.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "megascale/base/error.h"
#include "megascale/observe/blame.h"
#include "megascale/observe/lane_order.h"
#include "megascale/observe/memory_over_time.h"
#include "megascale/observe/run_clocks.h"
#include "megascale/observe/run_records.h"
#include "megascale/plan/communication_volume.h"

namespace megascale::serve {
namespace {

using Json = nlohmann::ordered_json;

struct RankStepRecords {
  std::uint32_t rank = 0;
  observe::RingFile ring;
  const observe::RingStep* step = nullptr;
  observe::ClockFit clock;  // to that of the first rank
  // Returns a time of this rank on the clock of the first one.
  [[nodiscard]] std::int64_t time(std::int64_t ns) const { return clock.to_reference(ns); }
};

plan::VerifiedPlan verified_plan_of(const JobWorks& works, std::uint32_t rank) {
  return works.job().plan_of(rank, works.job().train_verification);
}

// Aligns the clocks of the ranks by this step.
observe::RunClocks align(const JobWorks& works, std::vector<RankStepRecords>& ranks) {
  std::vector<observe::RankRing> rings;
  for (const RankStepRecords& rank : ranks) {
    const plan::VerifiedPlan verified = verified_plan_of(works, rank.rank);
    rings.push_back({.writer = rank.ring.writer ? &*rank.ring.writer : nullptr,
                     .steps = {rank.step, 1},
                     .transfers = observe::transfers_of(verified.plan(), verified.binding())});
  }
  observe::RunClocks clocks = observe::align_clocks(rings);
  for (std::size_t r = 0; r < ranks.size(); ++r) ranks[r].clock = clocks.of(r);
  return clocks;
}

Json nanoseconds_or_null(const std::optional<std::int64_t>& ns) {
  return ns ? Json(*ns) : Json(nullptr);
}

Json clocks_json(const observe::RunClocks& clocks) {
  Json hosts = Json::array();
  for (const observe::HostClock& host : clocks.hosts) {
    hosts.push_back({{"host", host.host},
                     {"offset_ns", host.fit.offset_ns},
                     {"uncertainty_ns", nanoseconds_or_null(host.fit.uncertainty_ns)}});
  }
  return {{"uncertainty_ns", nanoseconds_or_null(clocks.uncertainty_ns())},
          {"violation_ns", clocks.violation_ns},
          {"hosts", std::move(hosts)}};
}

// Steps that are complete and belong to the rank's plan.
std::set<std::int64_t> whole_steps(const observe::RingFile& ring, const plan::StepPlan& plan) {
  std::set<std::int64_t> steps;
  for (const observe::RingStep& step : ring.steps) {
    if (step.end_ns != 0 && step.records.size() == plan.tasks().size() &&
        observe::waits_exist(plan, step))
      steps.insert(step.step);
  }
  return steps;
}

std::vector<RankStepRecords> read_ranks(const RunDirectory& run, const JobWorks& works,
                                        const std::vector<std::uint32_t>& ranks,
                                        std::int64_t& step) {
  std::vector<RankStepRecords> read;
  std::set<std::int64_t> common;
  for (const std::uint32_t rank : ranks) {
    if (!std::filesystem::exists(run.ring(rank)))
      throw Error(ErrorCode::bad_usage, fmt::format("rank {} has no record ring", rank));
    read.push_back({.rank = rank, .ring = observe::read_records(run, rank)});
    const std::string problem = works.problem_of(rank, read.back().ring.plan_digest);
    if (!problem.empty())
      throw Error(ErrorCode::bad_usage, fmt::format("rank {}: {}", rank, problem));
    const auto steps = whole_steps(read.back().ring, works.plan_of(rank));
    std::set<std::int64_t> both;
    std::set_intersection(common.begin(), common.end(), steps.begin(), steps.end(),
                          std::inserter(both, both.end()));
    common = read.size() == 1 ? steps : std::move(both);
  }
  if (common.empty())
    throw Error(ErrorCode::bad_usage, "these ranks have no whole step in common yet");
  if (step < 0) step = *common.rbegin();
  if (!common.contains(step)) {
    throw Error(ErrorCode::bad_usage,
                fmt::format("step {} is not recorded on all of these ranks; there are [{}]", step,
                            fmt::join(common, ", ")));
  }
  for (RankStepRecords& rank : read) {
    rank.step = &*std::find_if(rank.ring.steps.begin(), rank.ring.steps.end(),
                               [&](const observe::RingStep& one) { return one.step == step; });
  }
  return read;
}

// The bytes that a task of the op hands to or gets from other ranks; of a computation, those of its
// operands, which it reads or writes at least once.
double bytes_of(const plan::StepPlan& plan, const plan::PlanOp& op) {
  if (op.def->transfer != nullptr && op.def->transfer->gives) return plan::sent_by(plan, op);
  double bytes = 0;
  for (const plan::Operand& operand : op.operands)
    if (operand.buffer != plan::kNoBuffer) bytes += static_cast<double>(operand.nbytes);
  return bytes;
}

Json names_of(const plan::StepPlan& plan) {
  Json names = Json::array(), ops = Json::array(), index = Json::array(), flops = Json::array(),
       bytes = Json::array();
  std::map<std::string_view, std::size_t> known;
  for (std::size_t id = 0; id < plan.tasks().size(); ++id) {
    const plan::PlanOp& op = plan.op(plan.tasks()[id]);
    const auto [found, is_new] = known.emplace(op.def->name, known.size());
    if (is_new) ops.push_back(op.def->name);
    names.push_back(plan.task_name(id));
    index.push_back(found->second);
    flops.push_back(op.cost.flops);
    bytes.push_back(bytes_of(plan, op));
  }
  return {{"ops", ops}, {"name", names}, {"op", index}, {"flops", flops}, {"bytes", bytes}};
}

Json lanes_of(const RankStepRecords& rank, const plan::VerifiedPlan& verified,
              const observe::LaneOrder& order, std::int64_t zero_ns) {
  Json lanes = Json::array();
  const plan::StepPlan& plan = verified.plan();
  for (std::size_t l = 0; l < graph::kLaneCount; ++l) {
    const auto& tasks = order.tasks(static_cast<graph::Lane>(l));
    if (tasks.empty()) continue;
    Json lane{{"lane", graph::to_string(static_cast<graph::Lane>(l))}};
    for (const char* key : {"id", "head", "start", "matched", "end", "awaited"})
      lane[key] = Json::array();
    for (const std::uint32_t id : tasks) {
      const TaskRecord& record = rank.step->records[id];
      if (record.done_ns == 0) continue;
      const auto relative = [&](std::int64_t ns) { return rank.time(ns) - zero_ns; };
      const std::int64_t awaited = record.last_wait == TaskRecord::kNoWait
                                       ? -1
                                       : order.task_at(order.awaited_by(id, record.last_wait));
      lane["id"].push_back(id);
      lane["head"].push_back(relative(record.head_ns));
      lane["start"].push_back(relative(record.start_ns));
      lane["matched"].push_back(relative(moving_since(record)));
      lane["end"].push_back(relative(record.done_ns));
      lane["awaited"].push_back(awaited);
      const plan::PlanOp& op = plan.op(plan.tasks()[id]);
      if (op.def->transfer != nullptr)
        lane["group"].push_back(verified.binding().communicators[plan::index(op.communicator)].key);
    }
    lanes.push_back(std::move(lane));
  }
  return lanes;
}

Json idle_of(const RankStepRecords& rank, const plan::StepPlan& plan, std::int64_t zero_ns) {
  Json idle = Json::array();
  for (const observe::IdlePiece& piece : observe::idle_pieces(plan, rank.step->records)) {
    idle.push_back({{"cause", observe::to_string(piece.cause)},
                    {"from", rank.time(piece.from_ns) - zero_ns},
                    {"to", rank.time(piece.to_ns) - zero_ns},
                    {"culprit", piece.culprit}});
  }
  return idle;
}

}  // namespace

Json step_timeline(const RunDirectory& run, const JobWorks& works,
                   const std::vector<std::uint32_t>& ranks, std::int64_t step) {
  std::size_t tasks = 0;
  for (const std::uint32_t rank : ranks) tasks += works.plan_of(rank).tasks().size();
  if (tasks > kMostTasks) {
    throw Error(ErrorCode::bad_usage,
                fmt::format("a step of these {} ranks has {} tasks, and one answer holds at most "
                            "{}: ask for fewer ranks",
                            ranks.size(), tasks, kMostTasks));
  }
  std::vector<RankStepRecords> read = read_ranks(run, works, ranks, step);
  const observe::RunClocks clocks = align(works, read);
  std::int64_t zero_ns = std::numeric_limits<std::int64_t>::max(), end_ns = 0;
  for (const RankStepRecords& rank : read)
    zero_ns = std::min(zero_ns, rank.time(rank.step->begin_ns));
  Json json{{"step", step},
            {"end", 0},
            {"clocks", clocks_json(clocks)},
            {"plans", Json::object()},
            {"ranks", Json::array()}};
  for (const RankStepRecords& rank : read) {
    const plan::VerifiedPlan verified = verified_plan_of(works, rank.rank);
    const std::string& work = works.work_of(rank.rank);
    if (!json["plans"].contains(work)) json["plans"][work] = names_of(verified.plan());
    const observe::LaneOrder& order = works.order_of(rank.rank);
    const std::int64_t rank_end = rank.time(rank.step->end_ns) - zero_ns;
    end_ns = std::max(end_ns, rank_end);
    json["ranks"].push_back({{"rank", rank.rank},
                             {"host", rank.ring.writer ? rank.ring.writer->host_name : ""},
                             {"plan", work},
                             {"begin", rank.time(rank.step->begin_ns) - zero_ns},
                             {"end", rank_end},
                             {"lanes", lanes_of(rank, verified, order, zero_ns)},
                             {"idle", idle_of(rank, verified.plan(), zero_ns)}});
  }
  json["end"] = end_ns;
  return json;
}

Json step_memory(const RunDirectory& run, const JobWorks& works, std::uint32_t rank,
                 std::int64_t step, std::size_t points) {
  const std::vector<RankStepRecords> read = read_ranks(run, works, {rank}, step);
  const plan::StepPlan& plan = works.plan_of(rank);
  const observe::MemoryOverTime memory =
      observe::memory_over_time(plan, read.front().step->records, points);
  Json json{
      {"rank", rank},
      {"step", read.front().step->step},
      {"arena_bytes", plan.arena_nbytes()},
      {"end", std::max<std::int64_t>(0, read.front().step->end_ns - read.front().step->begin_ns)},
      {"time", Json::array()},
      {"bytes", Json::object()}};
  for (const std::int64_t time : memory.times_ns)
    json["time"].push_back(time - read.front().step->begin_ns);
  for (std::size_t c = 0; c < plan::kCategoryCount; ++c) {
    if (std::ranges::any_of(memory.nbytes[c], [](std::uint64_t nbytes) { return nbytes > 0; }))
      json["bytes"][std::string(plan::to_string(static_cast<plan::Category>(c)))] =
          memory.nbytes[c];
  }
  return json;
}

}  // namespace megascale::serve
