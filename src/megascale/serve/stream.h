#ifndef MEGASCALE_SERVE_STREAM_H_
#define MEGASCALE_SERVE_STREAM_H_

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>

#include "megascale/serve/run_view.h"

namespace megascale::serve {

// Set once; wakes those that wait for it. Any thread may use it.
class StopFlag {
 public:
  void request() noexcept;
  [[nodiscard]] bool requested() const noexcept { return requested_.load(); }
  // Returns after `duration`, or at once if the flag is set.
  void wait_for(std::chrono::milliseconds duration) const;

 private:
  std::atomic<bool> requested_{false};
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
};

// One of a bounded number of places, for as long as the object lives.
class StreamPlace {
 public:
  StreamPlace(std::atomic<std::size_t>& used, std::size_t most) noexcept;
  StreamPlace(const StreamPlace&) = delete;
  StreamPlace& operator=(const StreamPlace&) = delete;
  ~StreamPlace();
  [[nodiscard]] bool taken() const noexcept { return taken_; }

 private:
  std::atomic<std::size_t>* used_;
  bool taken_;
};

// The new metrics of a run as server-sent events. Each has the event name "metrics" and the data
// {"generation", "columns"}. If the run resumes and takes back steps, the event "reset" comes, and all rows
// follow again. A comment is sent if there is nothing else, so that a client that is gone
// is noticed. For one thread at a time.
class MetricsStream {
 public:
  static constexpr std::size_t kMostRows = 500;  // of one event
  static constexpr std::chrono::milliseconds kPoll{500}, kSilence{2000};

  MetricsStream(RunView& run, std::int64_t after, const StopFlag& stops)
      : run_(&run), after_(after), stops_(&stops) {}
  // Waits for new rows, at most kSilence. Returns the text to send; "" once the server stops.
  [[nodiscard]] std::string next();

 private:
  RunView* run_;
  std::int64_t after_;
  std::int64_t generation_ = -1;
  const StopFlag* stops_;
};

}  // namespace megascale::serve

#endif  // MEGASCALE_SERVE_STREAM_H_
