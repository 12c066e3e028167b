#include "megascale/train/background_sink.h"

#include <fmt/format.h>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "megascale/base/error.h"

namespace megascale::train {

struct BackgroundSink::Shared {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<StepMetrics> waiting;
  bool writing = false, ends = false;
  std::int64_t dropped = 0;
  std::string failure;  // of the writer, which then ends
  [[nodiscard]] bool idle() const { return (waiting.empty() && !writing) || !failure.empty(); }
};

BackgroundSink::BackgroundSink(std::string name, Write write, std::chrono::milliseconds patience)
    : name_(std::move(name)), patience_(patience), shared_(std::make_shared<Shared>()) {
  // Detached: a writer that is stuck in a call of the system can neither be ended nor joined.
  std::thread([shared = shared_, write = std::move(write)] { serve(shared, write); }).detach();
}

BackgroundSink::~BackgroundSink() {
  (void)flush();
  const std::lock_guard lock(shared_->mutex);
  shared_->ends = true;
  shared_->changed.notify_all();
}

void BackgroundSink::serve(const std::shared_ptr<Shared>& shared, const Write& write) {
  std::unique_lock lock(shared->mutex);
  while (true) {
    shared->changed.wait(lock, [&] { return shared->ends || !shared->waiting.empty(); });
    if (shared->ends) return;
    const StepMetrics metrics = shared->waiting.front();
    shared->waiting.pop_front();
    shared->writing = true;
    lock.unlock();
    std::string failure;
    try {
      write(metrics);
    } catch (const std::exception& error) {
      failure = error.what();
    }
    lock.lock();
    shared->writing = false;
    if (!failure.empty()) {
      shared->failure = failure;
      shared->dropped += static_cast<std::int64_t>(shared->waiting.size()) + 1;
      shared->waiting.clear();
    }
    shared->changed.notify_all();
    if (!failure.empty()) return;
  }
}

std::optional<std::string> BackgroundSink::push(const StepMetrics& metrics) {
  const std::lock_guard lock(shared_->mutex);
  if (shared_->failure.empty() && shared_->waiting.size() < kMostWaiting) {
    shared_->waiting.push_back(metrics);
    shared_->changed.notify_all();
    return std::nullopt;
  }
  ++shared_->dropped;
  if (std::exchange(told_, true)) return std::nullopt;
  if (!shared_->failure.empty())
    return fmt::format("{}: {}; nothing more is written there, training goes on", name_,
                       shared_->failure);
  return fmt::format(
      "{}: the writer is {} steps behind; steps are left out there from step {} on, training "
      "goes on",
      name_, kMostWaiting, metrics.step);
}

std::int64_t BackgroundSink::dropped() const {
  const std::lock_guard lock(shared_->mutex);
  return shared_->dropped;
}

std::string BackgroundSink::failure() const {
  const std::lock_guard lock(shared_->mutex);
  return shared_->failure;
}

bool BackgroundSink::flush() {
  std::unique_lock lock(shared_->mutex);
  return shared_->changed.wait_for(lock, patience_, [&] { return shared_->idle(); });
}

}  // namespace megascale::train
