#ifndef MEGASCALE_RUNTIME_EXECUTOR_H_
#define MEGASCALE_RUNTIME_EXECUTOR_H_

#include <chrono>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "megascale/base/task_function.h"
#include "megascale/base/task_record.h"
#include "megascale/base/wakeup.h"
#include "megascale/comm/communicator.h"
#include "megascale/plan/verify.h"

namespace megascale::runtime {

// What an executor needs to run one verified plan on one rank. All of it must outlive the executor.
struct BoundPlan {
  const plan::VerifiedPlan* plan = nullptr;
  std::span<std::byte> arena;            // at least plan.arena_nbytes() bytes, 64-byte aligned
  std::vector<TaskFunction*> functions;  // by op; null for transfers
  std::vector<comm::Communicator*> communicators;  // by communicator of the plan
};

// A rank's threads. Lanes are served by waits alone: the caller's thread serves the compute lane,
// one progress thread all communication lanes (it polls, and sleeps when nothing moves), one host
// thread the host lanes. The executor knows tasks, functions and communicators, and adds no wait
// that the plan lacks. Several plans (train, evaluate, decode) may be bound to one executor; one
// step runs at a time.
class Executor {
 public:
  struct Options {
    // Called before every task starts, on its lane's thread: tests inject delays here, and
    // faults: an Error that it throws is the task's.
    std::function<void(std::uint32_t task)> before_task;
    // What the progress thread sleeps on beside `wakeup`: the worker that communicators between
    // processes share. Must outlive the executor.
    EventSource* events = nullptr;
    // A step in which no task finishes for so long, and none runs here, fails with what every lane
    // waits for (control.timeout_seconds). Zero: it waits for ever.
    std::chrono::nanoseconds timeout{0};
  };
  // `wakeup` is the one that this rank's communicators notify.
  Executor(Wakeup& wakeup, Options options);
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;
  ~Executor();

  // Prepares a plan for running; returns its number.
  std::size_t bind(BoundPlan plan);
  // Runs the carried tasks of a plan alone: what would have run during the step before the first
  // one.
  void run_carried(std::size_t plan);
  // Runs one step; returns when every task that is not carried is done. `records`: one per task, or
  // empty; those of carried tasks may still be written until the next step of this plan has ended.
  // Throws the Error of the first task that failed, with its name; the executor can then run
  // nothing more, and says so by the same error. A carried task that fails stops the step that runs
  // then, or the next one. No peer touches the arena any more. A step that stalls (timeout) throws
  // ErrorCode::timeout with every waiting lane's task, what it waits for, and the ranks that have
  // not come.
  void run_step(std::size_t plan, std::span<TaskRecord> records);
  // Waits until carried tasks are done too.
  void drain();

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
  std::unique_ptr<Server> progress_, host_;
};

}  // namespace megascale::runtime

#endif  // MEGASCALE_RUNTIME_EXECUTOR_H_
