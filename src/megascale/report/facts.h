#ifndef MEGASCALE_REPORT_FACTS_H_
#define MEGASCALE_REPORT_FACTS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "megascale/control/job_status.h"
#include "megascale/observe/anomalies.h"
#include "megascale/observe/decline.h"
#include "megascale/serve/run_view.h"

// Facts about a run, gathered once from its directory. `report`, `top` and `compare` print them and
// compute nothing themselves. Plain data.
namespace megascale::report {

enum class RunState : std::uint8_t {
  simulated,  // the directory was kept by a simulation
  waiting,    // no step has ended yet
  running,    // a rank is alive on this host
  complete,   // all steps are done
  stopped,    // the ranks have ended before the last step
  elsewhere   // the ranks belong to other hosts: only the age of the metrics tells
};
[[nodiscard]] std::string_view to_string(RunState state) noexcept;

// Layout and size of the job.
struct JobFacts {
  std::uint32_t ranks = 0, tensor = 1, context = 1, data = 1, pipeline = 1;
  std::int64_t parameters = 0, tokens_per_step = 0, train_iters = 0;
  // Arena of a rank of each stage by plan::Category, exact.
  struct Stage {
    std::uint64_t arena_bytes = 0;
    std::array<std::uint64_t, plan::kCategoryCount> by_category{};
  };
  std::vector<Stage> stages;
};

// Medians over the last steps; NaN: not known.
struct Rates {
  std::size_t steps = 0;  // of which medians are taken: at most kRateSteps
  double step_seconds = 0, tokens_per_second = 0, mfu = 0, hfu = 0;
};
inline constexpr std::size_t kRateSteps = 100;

// The time of one lane: means over the ranks and steps.
struct LaneFacts {
  graph::Lane lane = graph::Lane::compute;
  observe::LaneTime time;
};
struct RankLine {
  std::uint32_t rank = 0;
  std::string host;
  observe::StepTimes times;  // means over the steps
  double usual_compute = 0;  // the median of the ranks with the same work
  // By which it computes longer than they do: 0.1 is 10 %.
  [[nodiscard]] double excess() const noexcept {
    return usual_compute > 0 ? times.compute / usual_compute - 1 : 0;
  }
};
// Findings in the records of the last steps.
struct RecordFacts {
  std::vector<std::int64_t> steps;  // that all ranks have recorded, counted from 0
  observe::StepTimes times;         // mean over the ranks, then median over the steps
  std::vector<LaneFacts> lanes;     // that carry transfers and have some
  std::vector<RankLine> ranks;      // the largest excess first
  std::vector<observe::Straggler> stragglers;
  std::size_t least_steps = 0;        // with fewer steps nobody is named
  std::int64_t dropped = 0;           // steps times ranks that observe.stored_steps did not store
  std::vector<std::string> problems;  // of ranks whose records cannot be used
};

// Of a job with a driver.
struct DriverFacts {
  control::JobStatus status;
  std::vector<control::Incident> incidents;
};

struct RunFacts {
  std::string name, path;
  RunState state = RunState::waiting;
  std::vector<observe::MetricsRow> rows;
  double age_seconds = 0;  // of the newest row
  std::optional<Config> config;
  JobFacts job;
  Rates rates;
  std::optional<RecordFacts> records;
  std::string no_records;  // why there are none
  std::optional<DriverFacts> driver;
  std::vector<observe::Anomaly> anomalies;
  std::optional<observe::Decline> decline;

  [[nodiscard]] std::int64_t steps_done() const noexcept {
    return rows.empty() ? 0 : rows.back().step;
  }
  // Seconds until the last step, at the rate of the last steps; nothing if it is not known.
  [[nodiscard]] std::optional<double> seconds_left() const;
  // The newest value of a metric that is not NaN.
  [[nodiscard]] std::optional<double> newest(std::string_view metric) const;
  // The newest loss of each named validation set, by name.
  [[nodiscard]] std::vector<observe::NamedLoss> newest_validation() const;
};

// Reads a run directory: of a training that goes on, has ended or is dead, or of a simulation. `run`
// may be read again later; it then reads only what is new. Throws Error: bad_usage, with what to do, if
// the directory does not exist or holds no run; the errors of the readers.
[[nodiscard]] RunFacts read_facts(serve::RunView& run);
// Opens the directory. Throws Error (bad_usage) if it does not exist.
[[nodiscard]] std::unique_ptr<serve::RunView> open_run(const std::filesystem::path& run_dir);

}  // namespace megascale::report

#endif  // MEGASCALE_REPORT_FACTS_H_
