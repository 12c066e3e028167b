#ifndef MEGASCALE_TRAIN_METRICS_H_
#define MEGASCALE_TRAIN_METRICS_H_

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "megascale/base/error.h"
#include "megascale/base/files.h"

namespace megascale::train {

// One step as users see it: a line of metrics.jsonl and, at an interval, of the log.
struct StepMetrics {
  std::int64_t step = 0;  // from 1: steps done
  double loss = 0;        // mean over the valid tokens, nats
  double grad_norm = 0;
  double lr = 0;
  double step_seconds = 0;
  double tokens_per_second = 0;
  double mfu = 0, mfu_megatron = 0, hfu = 0;  // shares of the peak measured at start
  std::int64_t consumed_tokens = 0;
  double exposed_comm_seconds = 0, bubble_seconds = 0, data_wait_seconds = 0;
  std::uint64_t memory_bytes = 0;  // the arena
  bool skipped = false;            // the update was not applied: something was not finite
  std::int64_t skipped_steps = 0;  // so far
  std::optional<double> validation_loss;
};

[[nodiscard]] std::string to_json_line(const StepMetrics& metrics);
[[nodiscard]] std::string to_log_line(const StepMetrics& metrics, std::int64_t train_iters,
                                      double eta_seconds);

// metrics.jsonl of a run: one object per step, appended and pushed to the kernel at once. After a
// resume at step k, lines of later steps are cut off: the file tells one history. Lines that a full
// disk refuses are kept and written with a later one.
class MetricsFile {
 public:
  // Throws Error (io).
  MetricsFile(std::filesystem::path path, std::int64_t steps_done);
  // The reason where this line and maybe some before it are not written yet.
  [[nodiscard]] std::optional<Error> write(const StepMetrics& metrics);

 private:
  std::filesystem::path path_;
  FileHandle file_;
  std::uint64_t nbytes_ = 0;  // of whole lines in the file
  std::string unwritten_;
};

}  // namespace megascale::train

#endif  // MEGASCALE_TRAIN_METRICS_H_
