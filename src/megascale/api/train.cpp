// Training through the public interface. The callback runs on the thread of rank 0; what it throws
// cannot pass through the training, so the training is asked to stop and the exception is kept.
#include <atomic>
#include <exception>

#include "megascale/api/job_state.h"
#include "megascale/api/step_report.h"
#include "megascale/base/local_ranks.h"
#include "megascale/comm/process/process_rank.h"
#include "megascale/config/derived.h"
#include "megascale/job.h"
#include "megascale/train/trainer.h"

namespace megascale {
namespace {

StepReport report_of(const train::StepMetrics& metrics) {
  // The text of metrics.jsonl, so that a step has the same numbers here and when it is read later.
  return api::to_report(observe::parse_metrics_line(train::to_json_line(metrics)).value());
}

// Calls the user's function after each step.
class StepCallback {
 public:
  explicit StepCallback(const TrainOptions& options) : options_(options) {}
  void operator()(const train::StepMetrics& metrics) {
    if (!options_.on_step || thrown_) return;
    try {
      if (!options_.on_step(report_of(metrics))) stop_ = true;
    } catch (...) {
      thrown_ = std::current_exception();
      stop_ = true;
    }
  }
  [[nodiscard]] const std::atomic<bool>& stop() const noexcept { return stop_; }
  void throw_again() const {
    if (thrown_) std::rethrow_exception(thrown_);
  }

 private:
  const TrainOptions& options_;
  std::atomic<bool> stop_ = false;
  std::exception_ptr thrown_;
};

void require_no_launcher() {
  if (!comm::ProcessLaunch::from_environment()) return;
  throw Error(ErrorCode::bad_usage,
              "ranks of this call are threads of one process: expected no launcher, found the "
              "variables of one (RANK, WORLD_SIZE or those of mpirun or srun); ranks as processes "
              "are started by megascale train");
}

}  // namespace

TrainEnd Job::train(const TrainOptions& options) const {
  const Config& config = state_->loaded.config;
  require_no_launcher();
  require_local_ranks(static_cast<std::uint32_t>(world_size(config)), "threads");
  StepCallback callback(options);
  const train::TrainResult result =
      train::train(config, {.on_step = [&](const train::StepMetrics& metrics, bool /*log*/,
                                           double /*eta_seconds*/) { callback(metrics); },
                            .on_message =
                                [&](const std::string& message) {
                                  if (options.on_message) options.on_message(message);
                                },
                            .places = &state_->loaded.places,
                            .most_steps = options.most_steps,
                            .stop = &callback.stop()});
  callback.throw_again();
  return {.steps_done = result.steps_done,
          .interrupted = result.interrupted,
          .last = result.last ? std::optional(report_of(*result.last)) : std::nullopt};
}

}  // namespace megascale
