#ifndef MEGASCALE_RUNTIME_LANE_RUNNER_H_
#define MEGASCALE_RUNTIME_LANE_RUNNER_H_

#include <memory>
#include <span>
#include <vector>

#include "megascale/runtime/step_runner.h"

namespace megascale::runtime {

class TaskRepeater;

// Runs plans on the CPU. The order of tasks follows from lanes and waits of the plan alone; the
// lane runner knows tasks, functions and communicators, and adds no wait of its own.
//
// Threads of a rank:
// - the caller's thread serves the compute lane;
// - one progress thread serves all communication lanes: it polls, and sleeps when nothing moves;
// - one host thread serves the host lanes.
// If ranks are threads of one process, the caller's thread also serves the communication lanes for
// a moment (it takes a turn): while its own lane waits, and, if RunnerOptions::cores_are_full,
// after each of its tasks.
class LaneRunner final : public StepRunner {
 public:
  using Options = RunnerOptions;
  // `wakeup` is the one that this rank's communicators notify. It must outlive this object. If
  // ranks are threads (no RunnerOptions::events), the constructor makes its waits poll for 1 ms
  // before they sleep (Wakeup::set_look).
  LaneRunner(Wakeup& wakeup, Options options);
  ~LaneRunner() override;

  std::size_t bind(BoundPlan plan) override;
  void run_carried(std::size_t plan) override;
  void run_step(std::size_t plan, std::span<TaskRecord> records) override;
  [[nodiscard]] std::optional<StallReport> stall() const override;
  [[nodiscard]] std::byte* staging(std::size_t plan, plan::BufferId buffer) const noexcept override;
  [[nodiscard]] LaneThreads lane_threads() const noexcept override;
  void drain() override;

 private:
  struct Bound;
  struct Failure;
  class Patience;
  struct Run;
  class Server;

  Run& begin_run(Bound& bound, std::span<TaskRecord> records);

  Wakeup* wakeup_;
  Options options_;
  std::unique_ptr<Failure> failure_;
  std::unique_ptr<TaskRepeater> repeater_;  // null: RunnerOptions::repeat_interval is 0
  std::vector<std::unique_ptr<Bound>> plans_;
  std::uint64_t steps_ = 0;  // steps so far, of all plans
  std::unique_ptr<Server> progress_, host_;
};

}  // namespace megascale::runtime

#endif  // MEGASCALE_RUNTIME_LANE_RUNNER_H_
