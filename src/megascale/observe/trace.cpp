// Converts a record ring to the Trace Event Format. The ring holds only times; names, lanes and
// waits of the tasks come from the dump of the plan, which a run writes once beside its rings. Both
// name the plan's digest, so a wrong pair is refused. Steps of dead runs are exported as far as
// they went.
#include "megascale/observe/trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

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

// Collects the events of one rank.
class TraceWriter {
 public:
  TraceWriter(const std::vector<NamedTask>& tasks, std::int64_t rank)
      : tasks_(&tasks), rank_(rank) {
    for (std::size_t id = 0; id < tasks.size(); ++id) {
      auto& lane = lanes_[tasks[id].lane];
      if (lane.empty()) thread_.emplace(tasks[id].lane, thread_.size());
      lane.push_back(id);
    }
    events_.push_back({{"ph", "M"},
                       {"name", "process_name"},
                       {"pid", rank},
                       {"args", {{"name", fmt::format("rank {}", rank)}}}});
    for (const auto& [lane, thread] : thread_) {
      events_.push_back({{"ph", "M"},
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
      events_.push_back(
          {{"ph", "X"},
           {"name", task.name},
           {"cat", task.op},
           {"pid", rank_},
           {"tid", thread},
           {"ts", microseconds(record.start_ns)},
           {"dur", microseconds(record.done_ns - record.start_ns)},
           {"args",
            {{"step", step.step}, {"waited_us", microseconds(record.start_ns - record.head_ns)}}}});
      if (record.last_wait < task.waits.size())
        add_arrow(step, record, task.waits[record.last_wait], thread);
    }
  }

  [[nodiscard]] std::size_t events() const noexcept { return events_.size(); }
  [[nodiscard]] std::string text() const {
    return ordered_json{{"displayTimeUnit", "ms"}, {"traceEvents", events_}}.dump() + "\n";
  }

 private:
  static double microseconds(std::int64_t ns) { return static_cast<double>(ns) / 1000; }

  // Adds an arrow from the end of the task that satisfied the wait to the start of the task that
  // waited.
  void add_arrow(const RingStep& step, const TaskRecord& to,
                 const std::pair<std::string, std::size_t>& wait, std::size_t thread) {
    const std::size_t from_id = lanes_.at(wait.first).at(wait.second - 1);
    const TaskRecord& from = step.records[from_id];
    ++arrows_;
    events_.push_back({{"ph", "s"},
                       {"name", "wait"},
                       {"cat", "wait"},
                       {"id", arrows_},
                       {"pid", rank_},
                       {"tid", thread_.at(wait.first)},
                       {"ts", microseconds(from.done_ns)}});
    events_.push_back({{"ph", "f"},
                       {"bp", "e"},
                       {"name", "wait"},
                       {"cat", "wait"},
                       {"id", arrows_},
                       {"pid", rank_},
                       {"tid", thread},
                       {"ts", microseconds(to.start_ns)}});
  }

  const std::vector<NamedTask>* tasks_;
  std::int64_t rank_;
  std::map<std::string, std::vector<std::size_t>> lanes_;  // for each lane: its tasks, in order
  std::map<std::string, std::size_t> thread_;  // for each lane: its thread number in the trace
  std::size_t arrows_ = 0;
  ordered_json events_ = ordered_json::array();
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

}  // namespace

TraceSummary write_trace(const std::filesystem::path& run_dir, std::int64_t rank,
                         std::optional<std::int64_t> step, const std::filesystem::path& output) {
  const RunDirectory run(run_dir);
  const RingFile ring = read_records(run, rank);
  const auto tasks = read_tasks(run.plan(ring.plan_digest), ring.plan_digest);
  TraceSummary summary{.output = output};
  TraceWriter writer(tasks, rank);
  for (const RingStep& kept : ring.steps) {
    if (kept.records.size() != tasks.size()) {
      throw Error(ErrorCode::bad_input, fmt::format("the ring has {} tasks a step, the plan {}",
                                                    kept.records.size(), tasks.size()));
    }
    summary.steps.push_back(kept.step);
    if (kept.end_ns == 0) {
      summary.unfinished_step = kept.step;
      summary.last_task = last_done(kept, tasks);
    }
    if (!step || *step == kept.step) writer.add(kept);
  }
  if (step && std::find(summary.steps.begin(), summary.steps.end(), *step) == summary.steps.end()) {
    throw Error(
        ErrorCode::bad_input,
        fmt::format("expected a step whose records rank {} has, found {}; it has [{}]; the ring "
                    "holds the last observe.ring_steps steps, and observe.trace_steps keeps others",
                    rank, *step, fmt::join(summary.steps, ", ")));
  }
  summary.events = writer.events();
  write_text_atomically(output, writer.text());
  return summary;
}

}  // namespace megascale::observe
