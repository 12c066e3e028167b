#ifndef MEGASCALE_BASE_RUN_DIRECTORY_H_
#define MEGASCALE_BASE_RUN_DIRECTORY_H_

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

namespace megascale {

// The names of the files in a run directory, the folder that a run writes. No other code knows
// these names, except those inside checkpoints/: they belong to checkpoint/layout.h, since a folder
// of checkpoints may also stand alone. Training, benchmarks, simulations, traces and the
// configuration all use the names, so the class is in base/, below all of them.
//
//   config.toml                 the resolved configuration
//   plan.json                   summary and digest of rank 0's training plan
//   metrics.jsonl               one object per step
//   metrics.csv                 the same as a table, with observe.csv
//   reference.scores            of a training on preferences (train/reference_scores.h)
//   events/rank<R>.ring         records of the last steps of a rank
//   events/rank<R>-step<S>.ring records of a step of observe.trace_steps, counted from 0
//   events/steps-<HOST>.sqlite  numbers of the last steps of a host's ranks, with observe.stored_steps
//   events/plan-<DIGEST>.json   the plan that the records of a ring belong to
//   checkpoints/                unless checkpoint.dir names another folder
//   .owner                      locked by the run that writes here (train/directory_owner.h)
//   control/                    of a job with --robust; its own .owner is locked by the executor
//   control/job.sqlite          the driver's record of the job (control/job_record.h)
//   control/incident-<N>.json   where every rank stood when incident N was found
//   control/executors/<HOST>/   its .owner is locked by the executor of that host, if there are several
//   trace.json                  what `megascale trace` writes by default
//
// It is a value: it holds a path and accesses no file, except in ranks_with_rings(), step_stores()
// and those that return kept steps.
// Any thread may use it.
class RunDirectory {
 public:
  static constexpr std::string_view kConfig = "config.toml", kTrace = "trace.json";

  explicit RunDirectory(std::filesystem::path path) : path_(std::move(path)) {}
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
  [[nodiscard]] std::filesystem::path config() const { return path_ / kConfig; }
  [[nodiscard]] std::filesystem::path plan_summary() const { return path_ / "plan.json"; }
  [[nodiscard]] std::filesystem::path metrics() const { return path_ / "metrics.jsonl"; }
  [[nodiscard]] std::filesystem::path metrics_csv() const { return path_ / "metrics.csv"; }
  [[nodiscard]] std::filesystem::path reference_scores() const {
    return path_ / "reference.scores";
  }
  [[nodiscard]] std::filesystem::path events() const { return path_ / "events"; }
  [[nodiscard]] std::filesystem::path checkpoints() const { return path_ / "checkpoints"; }
  [[nodiscard]] std::filesystem::path control() const { return path_ / "control"; }
  [[nodiscard]] std::filesystem::path job_record() const { return control() / "job.sqlite"; }
  [[nodiscard]] std::filesystem::path incident(std::int64_t number) const;
  [[nodiscard]] std::filesystem::path executor(std::string_view host) const {
    return control() / "executors" / host;
  }
  [[nodiscard]] std::filesystem::path trace() const { return path_ / kTrace; }
  [[nodiscard]] std::filesystem::path ring(std::int64_t rank) const;
  [[nodiscard]] std::filesystem::path kept_ring(std::int64_t rank, std::int64_t step) const;
  [[nodiscard]] std::filesystem::path plan(std::string_view digest) const;
  [[nodiscard]] std::filesystem::path step_store(std::string_view host) const;

  // Returns the rank in the file name of a ring ("rank12.ring": 12), or nothing if it is not such a
  // name.
  [[nodiscard]] static std::optional<std::uint32_t> rank_of_ring(std::string_view file_name);
  // Returns the ranks that have a ring here, ascending; empty if events() cannot be read.
  [[nodiscard]] std::vector<std::uint32_t> ranks_with_rings() const;
  // Returns the files of step_store() that exist, sorted; empty if events() cannot be read.
  [[nodiscard]] std::vector<std::filesystem::path> step_stores() const;
  // Returns the steps for which kept_ring() of this rank exists, ascending; empty if events()
  // cannot be read.
  [[nodiscard]] std::vector<std::int64_t> kept_steps(std::int64_t rank) const;
  // Returns the same for all ranks that have such a file. It reads events() once: a job of n ranks
  // has n files there, so asking for each rank would take n * n time.
  [[nodiscard]] std::map<std::uint32_t, std::vector<std::int64_t>> kept_steps_by_rank() const;

 private:
  std::filesystem::path path_;
};

}  // namespace megascale

#endif  // MEGASCALE_BASE_RUN_DIRECTORY_H_
