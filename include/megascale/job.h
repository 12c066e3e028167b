#ifndef MEGASCALE_JOB_H_
#define MEGASCALE_JOB_H_

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "megascale/run.h"

// A training job: its configuration, and what can be asked of it before and while it runs. All
// functions throw megascale::Error.
namespace megascale {

// What a rank of one pipeline stage holds and does in a step. Ranks of a stage are alike.
struct PlannedStage {
  std::uint32_t first_rank = 0, ranks = 0;
  // Bytes of the rank's arena: exact, since every byte is placed before the run. The sum of the
  // categories differs from it by padding and by bytes that two of them share.
  std::uint64_t memory_bytes = 0;
  std::map<std::string, std::uint64_t> memory_by_category;
  std::uint64_t tasks = 0;  // of a step
  double sent_bytes = 0;    // to other ranks, in a step
  std::string digest;       // of the plan
};
struct Plan {
  std::vector<std::string> violations;  // empty: proven free of deadlocks and hazards
  std::uint32_t world_size = 0;
  std::int64_t parameters = 0, tokens_per_step = 0;
  double flops = 0, model_flops = 0;  // of a step on all ranks: executed; credited by mfu
  std::vector<PlannedStage> stages;
  [[nodiscard]] bool verified() const noexcept { return violations.empty(); }
};

// A simulated step. Times are seconds; shares are from 0 to 1.
struct StepForecast {
  double seconds = 0, tokens_per_second = 0;
  double mfu = 0, hfu = 0;
  double exposed_comm_seconds = 0, bubble_seconds = 0;  // means over the ranks
  std::uint64_t memory_bytes = 0;                       // of the rank with the largest arena
  bool fits = false;                                    // in the memory of the cluster's devices
};

struct TrainOptions {
  // Called after every step, on a thread of the training, which waits for it. False asks to stop: the
  // training makes one more step, of which it also tells, saves a checkpoint and returns. An exception
  // stops it in the same way, and train() throws it again. May be empty.
  std::function<bool(const StepReport& step)> on_step;
  // Called with what the training has to tell, on any of its threads. May be empty.
  std::function<void(const std::string& message)> on_message;
  // The most steps of this call, which then saves and returns. Empty: until train.train_iters.
  std::optional<std::int64_t> most_steps;
};
struct TrainEnd {
  std::int64_t steps_done = 0;     // in total, earlier runs included
  bool interrupted = false;        // it ended before train.train_iters
  std::optional<StepReport> last;  // the last step of this call; empty if it made none
};

// Immutable; copies share their content. Several threads may use one job, but only one may train,
// since a run directory has one owner.
class Job {
 public:
  // Reads a configuration file, or its text. An override is "section.key=value" and wins over the
  // file. Keys of [model] that nobody gives come from the checkpoint that the run starts from. One
  // Error holds all mistakes, each with its line and key.
  [[nodiscard]] static Job from_file(const std::filesystem::path& file,
                                     std::span<const std::string> overrides = {});
  [[nodiscard]] static Job from_text(std::string_view toml,
                                     std::span<const std::string> overrides = {});

  // Returns the resolved configuration, with every key, as TOML.
  [[nodiscard]] std::string configuration() const;
  // Returns the value of a key as TOML: value("model.num_layers") is "12". Error: no such key.
  [[nodiscard]] std::string value(std::string_view key) const;
  [[nodiscard]] std::filesystem::path run_directory() const;

  // Returns everything that prevents this job from being trained on this machine: plans, memory,
  // kernels, devices, data, the checkpoint that it starts from. Empty: nothing.
  [[nodiscard]] std::vector<std::string> problems() const;
  // Plans and verifies the job. It needs no devices.
  [[nodiscard]] Plan plan() const;
  // Simulates a step on the cluster that a file describes (clusters/*.toml).
  [[nodiscard]] StepForecast simulate(const std::filesystem::path& cluster_file) const;
  // Trains with all ranks as threads of this process; resumes if the run directory has a checkpoint.
  TrainEnd train(const TrainOptions& options = {}) const;

 private:
  struct State;
  explicit Job(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  std::shared_ptr<const State> state_;
};

}  // namespace megascale

#endif  // MEGASCALE_JOB_H_
