// Converts record rings to the Trace Event Format. A ring holds only times; names, lanes and waits
// of the tasks come from the dump of the plan, which a run writes once beside its rings. Both name
// the plan's digest, so a wrong pair is refused. Steps of dead runs are exported as far as
// they went.
#include "megascale/observe/trace.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "megascale/base/error.h"
#include "megascale/base/files.h"
#include "megascale/base/run_directory.h"
#include "megascale/observe/ring_file.h"
#include "megascale/observe/run_clocks.h"
#include "megascale/parallel/rank_grid.h"
#include "megascale/plan/bind.h"

namespace megascale::observe {
namespace {

using nlohmann::ordered_json;

// A task as the dump of the plan describes it.
struct NamedTask {
  std::string name, op, lane;
  std::vector<std::pair<std::string, std::size_t>> waits;  // lane, and number of tasks done on it
  std::uint32_t pair = 0;                                  // number of its fused pair; 0: none
};
// What a trace needs of a plan.
struct NamedPlan {
  std::vector<NamedTask> tasks;
  // Dumps of older versions do not name communicators and transfers.
  graph::AxisSizes axes;
  std::vector<plan::Communicator> communicators;
  std::vector<RankTransfer> transfers;
};

void read_communicators(const nlohmann::json& dump, NamedPlan& plan) {
  if (!dump.contains("communicators")) return;
  plan.axes.sizes = dump.at("axis_sizes");
  plan.axes.ranks_per_host = dump.at("ranks_per_host");
  for (const auto& one : dump["communicators"]) {
    plan.communicators.push_back(
        {.name = one.at("name"),
         .axes = graph::AxisSet::from_bits(one.at("axes")),
         .factor = static_cast<graph::HostFactor>(one.at("factor").get<int>()),
         .edge_offset = one.at("edge_offset")});
  }
}

// Adds a task of the dump if it is a transfer. `numbers`: transfers so far, by communicator.
void read_transfer(const nlohmann::json& task, std::uint32_t id, NamedPlan& plan,
                   std::vector<std::uint32_t>& numbers) {
  if (!task.contains("communicator")) return;
  const std::uint32_t communicator = task["communicator"];
  plan.transfers.push_back({.task = id,
                            .communicator = communicator,
                            .number = numbers.at(communicator)++,
                            .takes_from_all = task.at("takes_from_all")});
}

NamedPlan read_plan(const std::filesystem::path& path, const std::string& digest) {
  const auto dump = nlohmann::json::parse(read_text(path), nullptr, false);
  if (!dump.is_object() || !dump.contains("tasks")) {
    throw Error(
        ErrorCode::bad_input,
        fmt::format("{}: expected the JSON dump of a plan, found something else", path.string()));
  }
  if (dump.value("digest", "") != digest) {
    throw Error(ErrorCode::bad_input,
                fmt::format("{} describes plan {}, the records are of plan {}", path.string(),
                            dump.value("digest", "?"), digest));
  }
  NamedPlan plan;
  read_communicators(dump, plan);
  std::vector<std::uint32_t> numbers(plan.communicators.size(), 0);
  for (const auto& task : dump["tasks"]) {
    read_transfer(task, static_cast<std::uint32_t>(plan.tasks.size()), plan, numbers);
    NamedTask named{.name = task.at("name"),
                    .op = task.at("op"),
                    .lane = task.at("lane"),
                    .waits = {},
                    .pair = task.value("pair", 0U)};
    for (const auto& wait : task.at("waits"))
      named.waits.emplace_back(wait.at("lane"), wait.at("count"));
    plan.tasks.push_back(std::move(named));
  }
  return plan;
}

// The events of all ranks.
struct Trace {
  ordered_json events = ordered_json::array();
  std::size_t arrows = 0;  // each has a number of its own
};

// The records of one rank and their plan.
struct TracedRank {
  std::int64_t rank = 0;
  RingFile ring;
  const NamedPlan* plan = nullptr;
  RankTransfers transfers;
};

// Adds the events of one rank to a trace.
class RankWriter {
 public:
  RankWriter(Trace& trace, const TracedRank& rank, const HostClock& clock)
      : trace_(&trace), of_(&rank), tasks_(&rank.plan->tasks), rank_(rank.rank), fit_(clock.fit) {
    for (std::size_t id = 0; id < tasks_->size(); ++id) {
      auto& lane = lanes_[(*tasks_)[id].lane];
      if (lane.empty()) thread_.emplace((*tasks_)[id].lane, thread_.size());
      lane.push_back(id);
    }
    for (std::size_t t = 0; t < rank.transfers.transfers.size(); ++t)
      transfer_of_.emplace(rank.transfers.transfers[t].task, t);
    add_name("process_name", {{"name", fmt::format("rank {}", rank_)}});
    add_name("process_labels", {{"labels", label_of(clock)}});
    for (const auto& [lane, thread] : thread_) {
      add({{"ph", "M"},
           {"name", "thread_name"},
           {"pid", rank_},
           {"tid", thread},
           {"args", {{"name", lane}}}});
    }
  }

  void add(const RingStep& step) {
    for (std::size_t id = 0; id < step.records.size(); ++id) {
      const TaskRecord& record = step.records[id];
      if (record.done_ns == 0) continue;
      const NamedTask& task = (*tasks_)[id];
      const auto thread = thread_.at(task.lane);
      ordered_json args{{"step", step.step},
                        {"waited_us", microseconds(record.start_ns - record.head_ns)}};
      if (task.pair != 0) args["pair"] = task.pair;
      add_transfer(id, record, args);
      add({{"ph", "X"},
           {"name", task.name},
           {"cat", task.op},
           {"pid", rank_},
           {"tid", thread},
           {"ts", time(record.start_ns)},
           {"dur", time(record.done_ns) - time(record.start_ns)},
           {"args", std::move(args)}});
      if (record.last_wait < task.waits.size())
        add_arrow(step, record, task.waits[record.last_wait], thread);
    }
  }

 private:
  static double microseconds(std::int64_t ns) { return static_cast<double>(ns) / 1000; }
  static std::string label_of(const HostClock& clock) {
    const std::string host = clock.host.empty() ? "host not known" : clock.host;
    if (!clock.fit.uncertainty_ns) return host + ", clock not aligned";
    return fmt::format("{}, clock +- {} us", host, microseconds(*clock.fit.uncertainty_ns));
  }
  [[nodiscard]] double time(std::int64_t ns) const { return microseconds(fit_.to_reference(ns)); }
  void add(ordered_json event) { trace_->events.push_back(std::move(event)); }
  void add_name(const char* name, ordered_json args) {
    add({{"ph", "M"}, {"name", name}, {"pid", rank_}, {"args", std::move(args)}});
  }

  // Members of a transfer have the same group, step and number.
  void add_transfer(std::size_t id, const TaskRecord& record, ordered_json& args) const {
    const auto found = transfer_of_.find(id);
    if (found == transfer_of_.end()) return;
    const RankTransfer& transfer = of_->transfers.transfers[found->second];
    args["group"] = of_->transfers.keys[transfer.communicator];
    args["transfer"] = transfer.number;
    if (record.matched_ns != 0) args["moving_since_us"] = time(record.matched_ns);
  }

  // Adds an arrow from the end of the task that satisfied the wait to the start of the task that
  // waited.
  void add_arrow(const RingStep& step, const TaskRecord& to,
                 const std::pair<std::string, std::size_t>& wait, std::size_t thread) {
    const std::size_t from_id = lanes_.at(wait.first).at(wait.second - 1);
    const TaskRecord& from = step.records[from_id];
    const std::size_t number = ++trace_->arrows;
    add({{"ph", "s"},
         {"name", "wait"},
         {"cat", "wait"},
         {"id", number},
         {"pid", rank_},
         {"tid", thread_.at(wait.first)},
         {"ts", time(from.done_ns)}});
    add({{"ph", "f"},
         {"bp", "e"},
         {"name", "wait"},
         {"cat", "wait"},
         {"id", number},
         {"pid", rank_},
         {"tid", thread},
         {"ts", time(to.start_ns)}});
  }

  Trace* trace_;
  const TracedRank* of_;
  const std::vector<NamedTask>* tasks_;
  std::int64_t rank_;
  ClockFit fit_;
  std::map<std::size_t, std::size_t> transfer_of_;         // for each task that is one
  std::map<std::string, std::vector<std::size_t>> lanes_;  // for each lane: its tasks, in order
  std::map<std::string, std::size_t> thread_;  // for each lane: its thread number in the trace
};

// Returns the name of the task that was done last in a step that did not end.
std::string last_done(const RingStep& step, const std::vector<NamedTask>& tasks) {
  std::int64_t latest = 0;
  std::string name = "none";
  for (std::size_t id = 0; id < step.records.size(); ++id) {
    if (step.records[id].done_ns > latest) {
      latest = step.records[id].done_ns;
      name = tasks[id].name;
    }
  }
  return name;
}

// The plans whose dumps were read so far, by digest. Ranks of a stage share a plan.
using PlansByDigest = std::map<std::string, NamedPlan>;

TracedRank read_rank(const RunDirectory& run, std::int64_t rank, PlansByDigest& known) {
  TracedRank traced{
      .rank = rank, .ring = read_records(run, rank), .plan = nullptr, .transfers = {}};
  const std::string& digest = traced.ring.plan_digest;
  auto plan = known.find(digest);
  if (plan == known.end()) plan = known.emplace(digest, read_plan(run.plan(digest), digest)).first;
  traced.plan = &plan->second;
  for (const RingStep& step : traced.ring.steps) {
    if (step.records.size() != traced.plan->tasks.size()) {
      throw Error(ErrorCode::bad_input,
                  fmt::format("the ring of rank {} has {} tasks a step, the plan {}", rank,
                              step.records.size(), traced.plan->tasks.size()));
    }
  }
  if (traced.plan->communicators.empty()) return traced;
  const parallel::RankGrid grid(traced.plan->axes);
  if (rank >= grid.world_size()) {
    throw Error(ErrorCode::bad_input, fmt::format("plan {} is of {} ranks, found a ring of rank {}",
                                                  digest, grid.world_size(), rank));
  }
  const plan::Binding binding =
      plan::bind(traced.plan->communicators, grid, static_cast<std::uint32_t>(rank));
  traced.transfers.transfers = traced.plan->transfers;
  for (const auto& communicator : binding.communicators)
    traced.transfers.keys.push_back(communicator.key);
  return traced;
}

RunClocks clocks_of(const std::vector<TracedRank>& ranks) {
  std::vector<RankRing> rings;
  rings.reserve(ranks.size());
  for (const TracedRank& rank : ranks) {
    rings.push_back({.writer = rank.ring.writer ? &*rank.ring.writer : nullptr,
                     .steps = rank.ring.steps,
                     .transfers = rank.transfers});
  }
  return align_clocks(rings);
}

ordered_json microseconds_or_null(const std::optional<std::int64_t>& ns) {
  return ns ? ordered_json(static_cast<double>(*ns) / 1000) : ordered_json(nullptr);
}

// What is known of the clocks, for tools that read the file.
ordered_json clocks_json(const RunClocks& clocks) {
  ordered_json hosts = ordered_json::array();
  for (const HostClock& host : clocks.hosts) {
    hosts.push_back({{"host", host.host},
                     {"offset_ns", host.fit.offset_ns},
                     {"rate", host.fit.rate},
                     {"uncertainty_us", microseconds_or_null(host.fit.uncertainty_ns)}});
  }
  return {{"clock_uncertainty_us", microseconds_or_null(clocks.uncertainty_ns())},
          {"clock_violation_us", static_cast<double>(clocks.violation_ns) / 1000},
          {"clocks", std::move(hosts)}};
}

void add_rank(Trace& trace, const TracedRank& rank, const HostClock& clock,
              const std::optional<std::int64_t>& only, std::set<std::int64_t>& steps,
              TraceSummary& summary) {
  RankWriter writer(trace, rank, clock);
  for (const RingStep& kept : rank.ring.steps) {
    steps.insert(kept.step);
    if (only && *only != kept.step) continue;
    if (kept.end_ns == 0)
      summary.unfinished.push_back({rank.rank, kept.step, last_done(kept, rank.plan->tasks)});
    writer.add(kept);
  }
  summary.ranks.push_back(rank.rank);
}

}  // namespace

TraceSummary write_trace(const std::filesystem::path& run_dir, const TraceOptions& options,
                         const std::filesystem::path& output) {
  const RunDirectory run(run_dir);
  std::vector<std::int64_t> ranks;
  if (options.rank) ranks.push_back(*options.rank);
  if (!options.rank) {
    for (const std::uint32_t rank : run.ranks_with_rings()) ranks.push_back(rank);
  }
  if (ranks.empty()) {
    throw Error(ErrorCode::io,
                fmt::format("{}: expected record rings (rank0.ring, ...) of a run, found none",
                            run.events().string()));
  }
  Trace trace;
  TraceSummary summary;
  PlansByDigest plans;
  std::vector<TracedRank> read;
  read.reserve(ranks.size());
  for (const std::int64_t rank : ranks) read.push_back(read_rank(run, rank, plans));
  const RunClocks clocks = clocks_of(read);
  std::set<std::int64_t> steps;
  for (std::size_t r = 0; r < read.size(); ++r)
    add_rank(trace, read[r], clocks.hosts[clocks.host_of[r]], options.step, steps, summary);
  if (options.step && !steps.contains(*options.step)) {
    throw Error(
        ErrorCode::bad_input,
        fmt::format("expected a step that has records, found {}; there are [{}] (counted from 0); "
                    "a ring holds the last observe.ring_steps steps, and observe.trace_steps keeps "
                    "others",
                    *options.step, fmt::join(steps, ", ")));
  }
  for (const std::int64_t step : steps)
    (options.step.value_or(step) == step ? summary.steps : summary.other_steps).push_back(step);
  summary.events = trace.events.size();
  summary.hosts = clocks.hosts.size();
  summary.clock_uncertainty_ns = clocks.uncertainty_ns();
  const ordered_json whole{{"displayTimeUnit", "ms"},
                           {"otherData", clocks_json(clocks)},
                           {"traceEvents", std::move(trace.events)}};
  write_text_atomically(output, whole.dump() + "\n");
  return summary;
}

}  // namespace megascale::observe
