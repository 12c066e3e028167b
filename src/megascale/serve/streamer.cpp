#include "megascale/serve/streamer.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "megascale/base/error.h"
#include "megascale/job/batch_plans.h"
#include "megascale/launch/process_state.h"
#include "megascale/observe/ring_head.h"
#include "megascale/serve/give_way.h"
#include "megascale/serve/ring_follower.h"

namespace megascale::serve {

struct Streamer::Shared {
  Config config;
  Options options;
  OnMessage on_message;
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<StoredStep> waiting;
  std::int64_t dropped = 0, untold = 0;  // in all; since the sink was last called
  std::int64_t first_step = -1;          // that the ranks do; -1: not known
  bool stops = false, read_all = false, writing = false, failed = false;

  void drop(std::int64_t count) {
    const std::lock_guard lock(mutex);
    dropped += count;
    untold += count;
  }
  void push(StoredStep step) {
    const std::lock_guard lock(mutex);
    if (failed) {
      ++dropped;
      return;
    }
    if (waiting.size() >= options.most_waiting) {
      ++dropped;
      ++untold;
      waiting.pop_front();
    }
    waiting.push_back(std::move(step));
    changed.notify_all();
  }
  // Reports the first failure. A rank must not see any.
  void fail(const std::string& what) {
    {
      const std::lock_guard lock(mutex);
      if (failed) return;
      failed = true;
      dropped += static_cast<std::int64_t>(waiting.size());
      waiting.clear();
      changed.notify_all();
    }
    on_message(fmt::format("{}; no more steps are stored or sent, training goes on", what));
  }
};

namespace {

// Finds the new steps of this host's ranks.
class NewSteps {
 public:
  explicit NewSteps(const Config& config)
      : config_(config), plan_(std::make_unique<Plan>(config, std::string())) {}
  // Hands each step of each rank to `push` once. `first` is the first step of the ranks, or -1. Calls
  // `drop` with the number of steps that a ring has lost before they were seen. Returns the largest
  // number of new steps of a rank.
  template <class Push, class Drop>
  std::int64_t read(std::int64_t first, Push push, Drop drop) {
    follow_plan();
    std::int64_t most = 0;
    for (const std::uint32_t rank : plan_->follower.list()) {
      auto news = plan_->follower.look(rank);
      if (!news) continue;
      // A new process may do steps again.
      if (std::exchange(processes_[rank], news->process_id) != news->process_id) newest_[rank] = -1;
      std::int64_t& newest = newest_[rank];
      const std::int64_t before = newest;
      for (auto& [step, entry] : news->steps) {
        const std::int64_t expected = newest >= 0 ? newest + 1 : first;
        if (expected >= 0 && step > expected) drop(step - expected);
        newest = step;
        push({.rank = rank,
              .step = step,
              .host = news->host,
              .work = plan_->works.work_of(rank),
              .entry = std::move(entry)});
      }
      if (before >= 0) most = std::max(most, newest - before);
    }
    return most;
  }

 private:
  // All that follows from a plan.
  struct Plan {
    Plan(const Config& config, std::string recorded)
        : digest(std::move(recorded)),
          job(proven(config, digest)),
          works(job),
          follower(RunDirectory(config.train.run_dir), works, launch::own_host_name()) {}
    std::string digest;  // that was looked for
    job::JobPlan job;
    JobWorks works;
    RingFollower follower;
  };
  static job::JobPlan proven(const Config& config, const std::string& digest) {
    job::JobPlan job = job::plan_of_records(config, digest);
    job::require_proven(job);
    return job;
  }
  // Makes the plan anew if the batch has another size now.
  void follow_plan() {
    if (config_.train.rampup_batch_size.empty()) return;
    const auto& rings = plan_->follower.list();
    if (rings.empty()) return;
    std::string digest =
        observe::read_plan_digest(RunDirectory(config_.train.run_dir).ring(rings.front()));
    if (!digest.empty() && digest != plan_->digest)
      plan_ = std::make_unique<Plan>(config_, std::move(digest));
  }
  Config config_;
  std::unique_ptr<Plan> plan_;
  std::map<std::uint32_t, std::int64_t> newest_;      // the last step that was handed on, by rank
  std::map<std::uint32_t, std::uint32_t> processes_;  // whose steps these are
};

// Looks more often if a ring was half new at the last look, and less often if it was hardly new. So a
// ring loses no step, and long steps cost few looks. After more than kSafe the other half of the ring still takes
// longer than the thread waits for a core on a busy system, so half of it may be new.
std::chrono::milliseconds next_period(std::chrono::milliseconds period, std::int64_t new_steps,
                                      std::int64_t ring_steps, std::chrono::milliseconds longest) {
  constexpr std::chrono::milliseconds kShortest{2}, kSafe{250};
  if (2 * new_steps > ring_steps) return std::max(kShortest, period / 2);
  const std::int64_t part = period >= kSafe ? 4 : 8;
  if (part * new_steps <= ring_steps) return std::min(longest, period * 2);
  return period;
}

template <class SharedState>
void read_rings(SharedState& shared) {
  give_way();
  try {
    NewSteps steps(shared.config);
    std::chrono::milliseconds period =
        std::min(shared.options.period, std::chrono::milliseconds(10));
    bool last = false;
    while (!last) {
      std::int64_t first = -1;
      {
        std::unique_lock lock(shared.mutex);
        shared.changed.wait_for(lock, period, [&] { return shared.stops || shared.failed; });
        if (shared.failed) break;
        last = shared.stops;
        first = shared.first_step;
      }
      const std::int64_t most = steps.read(
          first, [&](StoredStep step) { shared.push(std::move(step)); },
          [&](std::int64_t count) { shared.drop(count); });
      period = next_period(period, most, shared.config.observe.ring_steps, shared.options.period);
    }
  } catch (const std::exception& error) {
    shared.fail(error.what());
  }
  const std::lock_guard lock(shared.mutex);
  shared.read_all = true;
  shared.changed.notify_all();
}

template <class SharedState>
void write_steps(SharedState& shared, const Streamer::Sink& sink) {
  give_way();
  constexpr std::size_t kMostAtOnce = 4096;
  constexpr int kLooksPerCall = 2;
  while (true) {
    std::vector<StoredStep> batch;
    std::int64_t dropped = 0;
    {
      std::unique_lock lock(shared.mutex);
      shared.changed.wait(
          lock, [&] { return !shared.waiting.empty() || shared.read_all || shared.failed; });
      if (shared.waiting.empty() || shared.failed) return;
      // One call for the steps of several looks costs much less than one for each step.
      shared.changed.wait_for(lock, kLooksPerCall * shared.options.period, [&] {
        return shared.read_all || shared.failed ||
               2 * shared.waiting.size() >= shared.options.most_waiting;
      });
      if (shared.failed) return;
      while (!shared.waiting.empty() && batch.size() < kMostAtOnce) {
        batch.push_back(std::move(shared.waiting.front()));
        shared.waiting.pop_front();
      }
      dropped = std::exchange(shared.untold, 0);
      shared.writing = true;
    }
    try {
      sink(batch, dropped);
    } catch (const std::exception& error) {
      {
        const std::lock_guard lock(shared.mutex);
        shared.dropped += static_cast<std::int64_t>(batch.size());
      }
      shared.fail(error.what());
    }
    const std::lock_guard lock(shared.mutex);
    shared.writing = false;
    shared.changed.notify_all();
  }
}

}  // namespace

Streamer::Streamer(const Config& config, Sink sink, OnMessage on_message, const Options& options)
    : shared_(std::make_shared<Shared>()) {
  shared_->config = config;
  shared_->options = options;
  shared_->on_message = std::move(on_message);
  // Detached: a thread that is stuck in a call of the system can neither be ended nor joined.
  std::thread([shared = shared_] { read_rings(*shared); }).detach();
  std::thread([shared = shared_, sink = std::move(sink)] { write_steps(*shared, sink); }).detach();
}

Streamer::~Streamer() {
  std::unique_lock lock(shared_->mutex);
  shared_->stops = true;
  shared_->changed.notify_all();
  shared_->changed.wait_for(lock, shared_->options.patience, [&] {
    const bool written = shared_->waiting.empty() && !shared_->writing;
    return shared_->read_all && (shared_->failed || written);
  });
  shared_->failed = true;  // ends the threads as soon as they can
  shared_->changed.notify_all();
}

void Streamer::begin(std::int64_t steps_done) {
  const std::lock_guard lock(shared_->mutex);
  shared_->first_step = steps_done;
}

std::int64_t Streamer::dropped() const {
  const std::lock_guard lock(shared_->mutex);
  return shared_->dropped;
}

Streamer::Sink join_sinks(std::vector<Streamer::Sink> sinks, Streamer::OnMessage on_message) {
  return [sinks = std::move(sinks), on_message = std::move(on_message)](
             std::span<const StoredStep> steps, std::int64_t dropped) mutable {
    for (auto sink = sinks.begin(); sink != sinks.end();) {
      try {
        (*sink)(steps, dropped);
        ++sink;
      } catch (const std::exception& error) {
        if (sinks.size() == 1) throw;
        on_message(fmt::format("{}; no more steps go there, training goes on", error.what()));
        sink = sinks.erase(sink);
      }
    }
  };
}

Streamer::Sink store_sink(const Config& config, Streamer::OnMessage on_message) {
  const RunDirectory run(config.train.run_dir);
  return [path = run.step_store(launch::own_host_name()), most = config.observe.stored_steps,
          store = std::shared_ptr<StepStore>(), on_message = std::move(on_message),
          lost = std::int64_t{0},
          told = false](std::span<const StoredStep> steps, std::int64_t dropped) mutable {
    lost += dropped;
    try {
      if (!store) store = std::make_shared<StepStore>(path, most);
      store->write(steps);
      if (lost > 0) store->add_dropped(std::exchange(lost, 0));
      told = false;
    } catch (const Error& error) {
      if (error.code() != ErrorCode::timeout) throw;  // else another program has locked the file
      if (!std::exchange(told, true)) {
        on_message(fmt::format("{}; steps are dropped and counted until another program unlocks it",
                               error.what()));
      }
      lost += static_cast<std::int64_t>(steps.size());
    }
  };
}

}  // namespace megascale::serve
