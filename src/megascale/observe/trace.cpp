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

namespace megascale::observe {
namespace {

using nlohmann::ordered_json;

// A task as the dump of the plan describes it.
struct NamedTask {
  std::string name, op, lane;
  std::vector<std::pair<std::string, std::size_t>> waits;  // lane, and number of tasks done on it
};

std::vector<NamedTask> read_tasks(const std::filesystem::path& path, const std::string& digest) {
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
  std::vector<NamedTask> tasks;
  for (const auto& task : dump["tasks"]) {
    NamedTask named{.name = task.at("name"), .op = task.at("op"), .lane = task.at("lane")};
    for (const auto& wait : task.at("waits"))
      named.waits.emplace_back(wait.at("lane"), wait.at("count"));
    tasks.push_back(std::move(named));
  }
  return tasks;
}

// The events of all ranks.
struct Trace {
  ordered_json events = ordered_json::array();
  std::size_t arrows = 0;  // each has a number of its own
};

// Adds the events of one rank to a trace.
class RankWriter {
 public:
  // `offset_ns`: what is to be added to times of this rank's clock to get times of rank 0's.
  RankWriter(Trace& trace, const std::vector<NamedTask>& tasks, std::int64_t rank,
             std::int64_t offset_ns)
      : trace_(&trace), tasks_(&tasks), rank_(rank), offset_ns_(offset_ns) {
    for (std::size_t id = 0; id < tasks.size(); ++id) {
      auto& lane = lanes_[tasks[id].lane];
      if (lane.empty()) thread_.emplace(tasks[id].lane, thread_.size());
      lane.push_back(id);
    }
    add({{"ph", "M"},
         {"name", "process_name"},
         {"pid", rank},
         {"args", {{"name", fmt::format("rank {}", rank)}}}});
    for (const auto& [lane, thread] : thread_) {
      add({{"ph", "M"},
           {"name", "thread_name"},
           {"pid", rank},
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
      add({{"ph", "X"},
           {"name", task.name},
           {"cat", task.op},
           {"pid", rank_},
           {"tid", thread},
           {"ts", time(record.start_ns)},
           {"dur", microseconds(record.done_ns - record.start_ns)},
           {"args",
            {{"step", step.step}, {"waited_us", microseconds(record.start_ns - record.head_ns)}}}});
      if (record.last_wait < task.waits.size())
        add_arrow(step, record, task.waits[record.last_wait], thread);
    }
  }

 private:
  static double microseconds(std::int64_t ns) { return static_cast<double>(ns) / 1000; }
  [[nodiscard]] double time(std::int64_t ns) const { return microseconds(ns + offset_ns_); }
  void add(ordered_json event) { trace_->events.push_back(std::move(event)); }

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
  const std::vector<NamedTask>* tasks_;
  std::int64_t rank_, offset_ns_;
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

// The tasks of the plans whose dumps were read so far, by digest. Ranks of a stage share a plan.
using TasksByDigest = std::map<std::string, std::vector<NamedTask>>;

void add_rank(Trace& trace, const RunDirectory& run, std::int64_t rank,
              const std::optional<std::int64_t>& only, TasksByDigest& known,
              std::set<std::int64_t>& steps, TraceSummary& summary) {
  const RingFile ring = read_records(run, rank);
  auto tasks = known.find(ring.plan_digest);
  if (tasks == known.end()) {
    const auto dump = run.plan(ring.plan_digest);
    tasks = known.emplace(ring.plan_digest, read_tasks(dump, ring.plan_digest)).first;
  }
  RankWriter writer(trace, tasks->second, rank, ring.writer ? ring.writer->clock_offset_ns : 0);
  for (const RingStep& kept : ring.steps) {
    if (kept.records.size() != tasks->second.size()) {
      throw Error(ErrorCode::bad_input,
                  fmt::format("the ring of rank {} has {} tasks a step, the plan {}", rank,
                              kept.records.size(), tasks->second.size()));
    }
    steps.insert(kept.step);
    if (only && *only != kept.step) continue;
    if (kept.end_ns == 0)
      summary.unfinished.push_back({rank, kept.step, last_done(kept, tasks->second)});
    writer.add(kept);
  }
  summary.ranks.push_back(rank);
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
  TasksByDigest tasks;
  std::set<std::int64_t> steps;
  for (const std::int64_t rank : ranks)
    add_rank(trace, run, rank, options.step, tasks, steps, summary);
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
  const ordered_json whole{{"displayTimeUnit", "ms"}, {"traceEvents", std::move(trace.events)}};
  write_text_atomically(output, whole.dump() + "\n");
  return summary;
}

}  // namespace megascale::observe
