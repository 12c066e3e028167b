#ifndef MEGASCALE_RUNTIME_LANE_RUNNER_H_
#define MEGASCALE_RUNTIME_LANE_RUNNER_H_

#include <memory>
#include <span>
#include <vector>

#include "megascale/runtime/step_runner.h"

namespace megascale::runtime {

// A rank's threads. Lanes are served by waits alone: the caller's thread serves the compute lane,
// one progress thread all communication lanes (it polls, and sleeps when nothing moves), one host
// thread the host lanes. Between ranks that are threads the caller's thread takes a turn at the
// communication lanes while its own waits, and after each of its tasks where cores are full. The
// lane runner knows tasks, functions and communicators, and adds no wait that the plan lacks.
// Several plans (train, evaluate, decode) may be bound to one runner; one step runs at a time.
class LaneRunner final : public StepRunner {
 public:
  using Options = RunnerOptions;
  // `wakeup` is the one that this rank's communicators notify.
  LaneRunner(Wakeup& wakeup, Options options);
  ~LaneRunner() override;

  std::size_t bind(BoundPlan plan) override;
  void run_carried(std::size_t plan) override;
  void run_step(std::size_t plan, std::span<TaskRecord> records) override;
  [[nodiscard]] std::optional<StallReport> stall() const override;
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
  std::vector<std::unique_ptr<Bound>> plans_;
  std::uint64_t steps_ = 0;  // of all plans so far
  std::unique_ptr<Server> progress_, host_;
};

}  // namespace megascale::runtime

#endif  // MEGASCALE_RUNTIME_LANE_RUNNER_H_
