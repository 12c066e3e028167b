#ifndef MEGASCALE_TRAIN_METRICS_H_
#define MEGASCALE_TRAIN_METRICS_H_

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "megascale/base/error.h"
#include "megascale/base/files.h"
#include "megascale/observe/metrics_history.h"
#include "megascale/train/routing_metrics.h"

namespace megascale::train {

// Means over the pairs of a training on preferences. A reward is beta times the log-probability of an answer
// relative to the reference (kernels/preference_formulas.h).
struct RewardMetrics {
  double chosen = 0, rejected = 0;
  double accuracy = 0;  // the share of pairs whose chosen answer has the larger reward, 0 to 1
  [[nodiscard]] double margin() const noexcept { return chosen - rejected; }
};

// One step as users see it: a line of metrics.jsonl and, at an interval, of the log.
struct StepMetrics {
  std::int64_t step = 0;  // steps done, this one included
  double loss = 0;        // mean over the valid tokens, nats
  // Mean of `loss` over the steps since the last line of the log, this one included. Steps whose
  // loss is not finite are left out. Only for the log.
  double mean_loss = 0;
  double grad_norm = 0;  // before clipping
  double lr = 0;
  double step_seconds = 0;
  double tokens_per_second = 0;  // without padding
  // FLOP/s of the step relative to the peak of all ranks (0 to 1), counted in three ways: see
  // plan::StepFlops.
  double mfu = 0, mfu_megatron = 0, hfu = 0;
  std::int64_t consumed_tokens = 0;   // of all steps done, without padding
  std::int64_t consumed_samples = 0;  // of all steps done
  // Idle time of rank 0's compute lane in this step: see observe::IdleTime.
  double exposed_comm_seconds = 0, bubble_seconds = 0, data_wait_seconds = 0;
  std::uint64_t memory_bytes = 0;  // the largest arena of all ranks
  bool skipped = false;            // no update: loss or gradient norm were not finite
  std::int64_t skipped_steps = 0;  // of all steps done
  // nats; present if this step was evaluated and there is a validation set without a name.
  std::optional<double> validation_loss;
  std::vector<observe::NamedLoss> validation_losses;  // likewise, of data.validation_sets
  [[nodiscard]] bool is_evaluated() const noexcept {
    return validation_loss.has_value() || !validation_losses.empty();
  }
  // How long training stood still after this step, while the state was copied for a checkpoint.
  // Present if the checkpoint is then written beside the next steps.
  std::optional<double> checkpoint_stall_seconds;
  std::optional<RoutingMetrics> routing;  // of models with experts
  // Of a training on preferences, whose losses are means over pairs; the second as validation_loss.
  std::optional<RewardMetrics> rewards, validation_rewards;
};

// Averages the losses between two lines of the log.
class MeanLoss {
 public:
  // Adds the loss of a step and returns the mean so far; NaN if no loss was finite. `ends`: the
  // step is the last one of the interval, so that the next one begins a new mean.
  double add(double loss, bool ends) noexcept;

 private:
  double sum_ = 0;
  std::int64_t count_ = 0;
};

// Returns the line of metrics.jsonl as one JSON object, without a line end. A number that is not
// finite becomes null.
[[nodiscard]] std::string to_json_line(const StepMetrics& metrics);
// Returns the line of the log, without a line end. `eta_seconds`: time until the last step.
[[nodiscard]] std::string to_log_line(const StepMetrics& metrics, std::int64_t train_iters,
                                      double eta_seconds);

// Writes metrics.jsonl of a run: one JSON object per step, each written to the file at once. If a
// run resumes at step k, the lines of later steps are removed, so every step stands in the file
// once. Lines that cannot be written (the disk is full) are kept in memory and written with a later
// line. One thread may use it.
class MetricsFile {
 public:
  // Opens or creates the file and removes the lines of steps after `steps_done`. Lines that are no
  // such object are removed too; each but a torn last one is reported to `on_message` with its
  // number and content. Throws Error (io).
  MetricsFile(std::filesystem::path path, std::int64_t steps_done,
              const std::function<void(const std::string&)>& on_message);
  // Appends a line. Returns nothing, or the reason if this line and perhaps earlier ones could not
  // be written yet. Throws Error if a partly written line cannot be removed again.
  [[nodiscard]] std::optional<Error> write(const StepMetrics& metrics);
  // Returns false if the path no longer names this file: somebody has moved or deleted it, or the
  // run directory.
  [[nodiscard]] bool is_in_place() const noexcept;

 private:
  std::filesystem::path path_;
  FileHandle file_;
  std::uint64_t nbytes_ = 0;  // of whole lines in the file
  std::string unwritten_;
};

}  // namespace megascale::train

#endif  // MEGASCALE_TRAIN_METRICS_H_
