#include "megascale/serve/stream.h"

#include <fmt/format.h>

namespace megascale::serve {

void StopFlag::request() noexcept {
  {
    const std::lock_guard lock(mutex_);
    requested_.store(true);
  }
  changed_.notify_all();
}

void StopFlag::wait_for(std::chrono::milliseconds duration) const {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, duration, [this] { return requested_.load(); });
}

StreamPlace::StreamPlace(std::atomic<std::size_t>& used, std::size_t most) noexcept
    : used_(&used), taken_(used.fetch_add(1) < most) {
  if (!taken_) used.fetch_sub(1);
}

StreamPlace::~StreamPlace() {
  if (taken_) used_->fetch_sub(1);
}

std::string MetricsStream::next() {
  for (auto waited = kPoll * 0; !stops_->requested(); waited += kPoll) {
    std::int64_t generation = 0;
    auto rows = run_->rows_after(after_, kMostRows, generation);
    if (generation_ >= 0 && generation != generation_) {
      // The run has taken back steps: the client must ask for all of them again.
      generation_ = generation;
      after_ = 0;
      return fmt::format("event: reset\ndata: {{\"generation\": {}}}\n\n", generation);
    }
    generation_ = generation;
    if (!rows.empty()) {
      after_ = rows.back().step;
      const Json json{{"generation", generation}, {"columns", columns_of(rows)}};
      return "event: metrics\ndata: " + json.dump() + "\n\n";
    }
    if (waited >= kSilence) return ": nothing new\n\n";
    stops_->wait_for(kPoll);
  }
  return "";
}

}  // namespace megascale::serve
