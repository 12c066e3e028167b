#ifndef MEGASCALE_SERVE_RUN_VIEW_H_
#define MEGASCALE_SERVE_RUN_VIEW_H_

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "megascale/config/config.h"
#include "megascale/observe/metrics_history.h"
#include "megascale/serve/hang_watch.h"
#include "megascale/serve/rank_json.h"
#include "megascale/serve/rank_reader.h"

namespace megascale::serve {

using Json = nlohmann::ordered_json;

// Returns {"step": [...], "loss": [...], ...}; metrics that no row has are left out. Columns are
// shorter than an object for each row, and what plots take.
[[nodiscard]] Json columns_of(const std::vector<observe::MetricsRow>& rows);

// One run directory as JSON. It only reads: the run may be going on, be finished, or be dead. Answers
// come from what was read last; at most once in RankReader::kRefresh the files are looked at again. If the
// records of all ranks take longer to read than kPatience, the answer tells of those that are read so
// far. Any thread may call the functions; they throw Error: bad_usage if the run lacks what is asked for
// (the message says what writes it), and the errors of the readers.
class RunView {
 public:
  static constexpr std::chrono::milliseconds kPatience{500};
  explicit RunView(const std::filesystem::path& run_dir);

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  // Before other threads use the object.
  void use_path_as_name() { name_ = run_.path().string(); }
  void allow_evicting() noexcept { can_evict_ = true; }
  [[nodiscard]] const RunDirectory& directory() const noexcept { return run_; }
  // Begins to read the records of the ranks, if there are any, and returns at once or when the job is
  // planned. Throws nothing.
  void begin() noexcept;
  // Name, path, state, size of the job, newest metrics.
  [[nodiscard]] Json summary();
  // At most `points` rows of the steps after `after`: older ones become means (observe::thin_out()).
  // Also the steps that ended with a checkpoint.
  [[nodiscard]] Json metrics(std::int64_t after, std::size_t points);
  // The heat map: one value for each rank and column, the mean over the last `steps` common steps.
  [[nodiscard]] Json ranks(std::size_t steps, const ColumnKeys& keys);
  // The groups of a rank, with their bytes.
  [[nodiscard]] Json peers(std::uint32_t rank);
  // Which rank holds up the job.
  [[nodiscard]] Json hang();
  // One rank beside the median of the ranks with the same work, step by step.
  [[nodiscard]] Json rank(std::uint32_t rank, std::size_t steps);
  // The tasks of some ranks in one step (-1: the newest that all of them have).
  [[nodiscard]] Json timeline(const std::vector<std::uint32_t>& ranks, std::int64_t step);
  // The memory of a rank in the course of a step (-1: the newest), by category.
  [[nodiscard]] Json memory(std::uint32_t rank, std::int64_t step, std::size_t points);
  // How evenly tokens go to experts, in at most `steps` steps (routing_json.h).
  [[nodiscard]] Json routing(std::size_t steps);
  // Layout, memory by category, FLOPs.
  [[nodiscard]] Json plan();
  // Of a job with a driver: incidents, attempts, hosts and the ledger of its time.
  [[nodiscard]] Json job();

  // The rows after `after`, for a stream: at most `most`. `generation`: of the rows; a caller that
  // sees it change has rows that the run has taken back.
  [[nodiscard]] std::vector<observe::MetricsRow> rows_after(std::int64_t after, std::size_t most,
                                                            std::int64_t& generation);
  [[nodiscard]] std::optional<observe::MetricsRow> newest_row();
  // Ranks with numbers, their newest step, and slow ranks, for /metrics. Empty if there are none.
  struct RankFacts {
    std::map<std::uint32_t, observe::RankStep> newest;
    std::vector<observe::Straggler> stragglers;
  };
  [[nodiscard]] RankFacts rank_facts();
  // Number of ranks of the job.
  [[nodiscard]] std::uint32_t world_size();
  // Steps of the whole training; 0 if the configuration cannot be read.
  [[nodiscard]] std::int64_t planned_steps();
  // All rows, for a report.
  [[nodiscard]] std::vector<observe::MetricsRow> rows();
  // Calls `visit` with the configuration and the numbers of all ranks, once they are read. `least_steps`:
  // of RankHistory::stragglers(). Other threads wait meanwhile.
  using VisitRanks =
      std::function<void(const Config& config, const RankHistory& ranks, std::size_t least_steps)>;
  void visit_ranks(const VisitRanks& visit);

 private:
  // All that follows from a configuration.
  struct Planned {
    Config config;
    std::string text;    // of the configuration
    std::string digest;  // of the plan that was recorded; "" without a ramp of the batch
    job::JobPlan job;
    JobWorks works;
    RankReader ranks;
    Planned(const RunDirectory& run, Config of_run, std::string text, std::string digest);
  };
  [[nodiscard]] std::string_view kind() const;
  void refresh_metrics();
  // Of the configuration as it is now. If the batch grows, of the newest size that has records.
  [[nodiscard]] std::shared_ptr<Planned> planned();
  // FLOP/s that the run's MFU counts as the peak of a rank; nothing before the first step.
  [[nodiscard]] std::optional<double> peak_of_rank(const job::JobPlan& job);
  [[nodiscard]] std::size_t least_steps() const;

  RunDirectory run_;
  std::string name_;
  bool can_evict_ = false;
  // No two of these are held at a time, so that nobody who asks for metrics waits for a plan.
  std::mutex metrics_mutex_, plan_mutex_, hang_mutex_;
  observe::MetricsHistory metrics_;
  std::int64_t metrics_read_ns_ = 0;
  std::shared_ptr<Planned> planned_;
  HangWatch hang_watch_;
};

}  // namespace megascale::serve

#endif  // MEGASCALE_SERVE_RUN_VIEW_H_
