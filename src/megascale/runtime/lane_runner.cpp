// The threads of the CPU's lane runner. A Server is a thread that serves a fixed set of lanes. All
// threads that serve a step sleep on one Wakeup, which every finished task and every communicator
// notifies. Run (lane_run.h) holds the rules of a lane; this file decides which thread advances it
// and when.
#include "megascale/runtime/lane_runner.h"

#include <unistd.h>

#include <array>
#include <mutex>
#include <thread>

#include "megascale/base/short_slices.h"
#include "megascale/runtime/lane_run.h"

namespace megascale::runtime {
namespace {

using graph::Lane;
constexpr std::array kProgressLanes{
    Lane::tensor,        Lane::context,          Lane::expert,
    Lane::data,          Lane::forward_send,     Lane::forward_receive,
    Lane::backward_send, Lane::backward_receive, Lane::step};
constexpr std::array kHostLanes{Lane::host_in, Lane::host_out};

}  // namespace

// A thread that serves some lanes, of one run after the other. It sleeps while no lane can advance.
// If it has no run to serve and no events to handle, tasks of other lanes do not wake it. The
// compute lane's thread may take a turn at its lanes.
class LaneRunner::Server {
 public:
  // `events`: a source that also wakes it, or null.
  Server(Wakeup& wakeup, EventSource* events, std::span<const Lane> lanes)
      : wakeup_(&wakeup), events_(events), lanes_(lanes) {
    thread_ = std::thread([this] {
      id_.store(::gettid());
      id_.notify_one();
      // This thread shares its core with kernels. Messages must not wait until the time slice of a
      // kernel ends.
      if (events_ != nullptr) ask_for_short_slices();
      serve();
    });
  }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  ~Server() {
    stop_.store(true, std::memory_order_release);
    wakeup_->notify();
    added_.notify();
    thread_.join();
  }
  // Queues a run. At most two are queued, since begin_run() waits until fewer are.
  void add(Run& run) noexcept {
    {
      const std::lock_guard lock(mutex_);
      MEGASCALE_CHECK(queued_ < queue_.size(), "more runs than two are under way");
      queue_[queued_++] = &run;
    }
    added_.notify();
  }
  // Called by the compute lane's thread: advances the lanes, unless another thread is doing so.
  // Returns false if nothing moved.
  bool help() noexcept {
    if (!take_turn()) return false;
    const bool moved = advance(Run::By::compute);
    end_turn();
    return moved;
  }
  // Returns the number of its thread.
  [[nodiscard]] int id() const noexcept {
    id_.wait(0);
    return id_.load();
  }
  [[nodiscard]] std::size_t queued() const noexcept {
    const std::lock_guard lock(mutex_);
    return queued_;
  }

 private:
  void serve() {
    for (;;) {
      // The epochs are read before the state that notifications announce. So a notification that
      // comes in between is not missed by the sleep below.
      const std::uint32_t epoch = wakeup_->epoch(), added = added_.epoch();
      if (stop_.load(std::memory_order_acquire)) return;
      if (events_ == nullptr && queued() == 0) {
        added_.wait(added);
        continue;
      }
      if (!take_turn()) {
        // The thread that has the turn may have missed the latest change. It will notify this
        // thread at the end of its turn.
        passed_over_.store(true);
        if (!take_turn()) {
          sleep(epoch);
          continue;
        }
      }
      const bool moved = advance(Run::By::own);
      end_turn();
      if (!moved) sleep(epoch);
    }
  }

  // Advances every lane of the first queued run as far as possible. Returns false if nothing moved.
  // Only the thread that has the turn may call it.
  bool advance(Run::By by) noexcept {
    Run* run = front();
    if (run == nullptr) return false;
    bool moved = false, finished = true;
    for (const Lane lane : lanes_) {
      while (run->advance(lane, by)) moved = true;
      finished = finished && run->finished(lane);
    }
    if (finished || (run->failed() && quiet(*run))) {
      pop();
      wakeup_->notify();
      moved = true;
    }
    return moved;
  }

  bool take_turn() noexcept { return !turn_.exchange(true); }
  void end_turn() noexcept {
    turn_.store(false);
    if (passed_over_.exchange(false)) wakeup_->notify();
  }

  void sleep(std::uint32_t epoch) noexcept {
    if (events_ == nullptr) return wakeup_->wait(epoch);
    wakeup_->wait(epoch, *events_);
  }

  bool quiet(Run& run) noexcept {
    bool all = true;
    for (const Lane lane : lanes_) all = run.quiet(lane) && all;
    return all;
  }

  Run* front() noexcept {
    const std::lock_guard lock(mutex_);
    return queued_ == 0 ? nullptr : queue_[0];
  }
  void pop() noexcept {
    const std::lock_guard lock(mutex_);
    queue_[0] = queue_[1];
    --queued_;
  }

  Wakeup* wakeup_;
  Wakeup added_;  // notified when a run is queued
  EventSource* events_;
  std::span<const Lane> lanes_;
  mutable std::mutex mutex_;
  std::array<Run*, 2> queue_{};
  std::size_t queued_ = 0;
  std::atomic<bool> stop_{false};
  std::atomic<bool> turn_{false}, passed_over_{false};
  std::atomic<int> id_{0};  // 0: the thread has not begun
  std::thread thread_;
};

// The wait of the rank's own thread while its compute lane cannot advance, bounded by the timeout.
class LaneRunner::Patience {
 public:
  Patience(Run& run, std::chrono::nanoseconds timeout) noexcept : run_(&run), timeout_(timeout) {}
  // Waits until a notification comes, or until the step is given up because no task finishes.
  void wait(Wakeup& wakeup, std::uint32_t epoch) noexcept {
    if (timeout_ == timeout_.zero() || run_->failed()) return wakeup.wait(epoch);
    const auto now = std::chrono::steady_clock::now();
    // A long task on a host lane, for example on a slow disk, is not a stall.
    if (const std::uint64_t finished = run_->tasks_finished();
        finished != finished_ || run_->host_task_runs()) {
      finished_ = finished;
      since_ = now;
    }
    if (now - since_ >= timeout_) return run_->fail_stalled(timeout_);
    (void)wakeup.wait_until(epoch, since_ + timeout_);
  }

 private:
  Run* run_;
  std::chrono::nanoseconds timeout_;
  std::uint64_t finished_ = ~std::uint64_t{0};
  std::chrono::steady_clock::time_point since_;
};

LaneRunner::LaneRunner(Wakeup& wakeup, Options options)
    : wakeup_(&wakeup),
      options_(std::move(options)),
      failure_(std::make_unique<Failure>()),
      progress_(std::make_unique<Server>(wakeup, options_.events, kProgressLanes)),
      host_(std::make_unique<Server>(wakeup, nullptr, kHostLanes)) {
  // Ranks that are threads mostly wait for each other for less than a millisecond: poll that long
  // before sleeping. Ranks that are processes must not: their progress threads sleep until messages
  // come, and need this core.
  if (options_.events == nullptr) wakeup.set_look(std::chrono::milliseconds(1));
  if (options_.repeat_interval > 0)
    repeater_ = std::make_unique<TaskRepeater>(options_.repeat_interval);
}

LaneRunner::~LaneRunner() = default;

std::size_t LaneRunner::bind(BoundPlan plan) {
  auto bound = std::make_unique<Bound>(std::move(plan));
  if (repeater_) repeater_->prepare(*bound->plan.plan);
  for (auto& run : bound->runs) {
    run = std::make_unique<Run>(*bound, *wakeup_, options_, *failure_);
    run->repeater = repeater_.get();
  }
  {
    const std::lock_guard lock(failure_->mutex);
    for (comm::Communicator* communicator : bound->plan.communicators) {
      if (communicator != nullptr) failure_->communicators.push_back(communicator);
    }
  }
  plans_.push_back(std::move(bound));
  return plans_.size() - 1;
}

void LaneRunner::run_carried(std::size_t plan) {
  drain();
  if (failure_->failed.load(std::memory_order_acquire)) throw failure_->get();
  plans_[plan]->run_carried();
}

LaneRunner::Run& LaneRunner::begin_run(Bound& bound, std::span<TaskRecord> records) {
  Run& run = *bound.runs[bound.next_run];
  bound.next_run = 1 - bound.next_run;
  // Carried tasks of the previous run may still be under way; this run queues behind them. Those of
  // the run before that must be done, since this run uses the same Run object.
  for (;;) {
    const std::uint32_t epoch = wakeup_->epoch();
    if (progress_->queued() < 2 && host_->queued() < 2) break;
    wakeup_->wait(epoch);
  }
  run.reset(records, bound.steps++, steps_++ % kStepsPerCpuTime == 0);
  progress_->add(run);
  host_->add(run);
  wakeup_->notify();
  return run;
}

void LaneRunner::run_step(std::size_t plan, std::span<TaskRecord> records) {
  if (failure_->failed.load(std::memory_order_acquire)) throw failure_->get();
  Run& run = begin_run(*plans_[plan], records);
  Patience patience(run, options_.timeout);
  for (;;) {
    const std::uint32_t epoch = wakeup_->epoch();
    bool moved = false;
    while (run.advance(Lane::compute)) {
      moved = true;
      if (options_.cores_are_full && options_.events == nullptr) progress_->help();
    }
    // The progress thread may have to wait for a core. This thread has one and nothing else to do.
    if (!moved && options_.events == nullptr) moved = progress_->help();
    if (run.step_finished()) return;
    if (run.failed() && run.quiet(Lane::compute)) break;
    if (!moved) patience.wait(*wakeup_, epoch);
  }
  drain();
  throw failure_->get();
}

std::optional<StallReport> LaneRunner::stall() const {
  const std::lock_guard lock(failure_->mutex);
  return failure_->stall;
}

std::byte* LaneRunner::staging(std::size_t plan, plan::BufferId buffer) const noexcept {
  return plans_[plan]->begin_of(buffer);
}

LaneThreads LaneRunner::lane_threads() const noexcept {
  return {.transfers = progress_->id(), .host = host_->id()};
}

void LaneRunner::drain() {
  for (;;) {
    const std::uint32_t epoch = wakeup_->epoch();
    if (progress_->queued() == 0 && host_->queued() == 0) return;
    wakeup_->wait(epoch);
  }
}

}  // namespace megascale::runtime
