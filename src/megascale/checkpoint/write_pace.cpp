// Spaces the blocks of a save out in time. Each block moves the start of the next one by the time
// that it takes at the rate. A save that the disk delays does not hurry afterwards, since a burst
// would disturb the steps beside it.
#include "megascale/checkpoint/write_pace.h"

#include <algorithm>

namespace megascale::checkpoint {

void WritePace::set_rate(double bytes_per_second) {
  const std::lock_guard lock(mutex_);
  rate_ = bytes_per_second;
  next_ = Clock::now();
  changed_.notify_all();
}

void WritePace::cancel(const Error& reason) {
  const std::lock_guard lock(mutex_);
  if (!cancelled_) cancelled_ = reason;
  changed_.notify_all();
}

std::uint64_t WritePace::nbytes() const {
  const std::lock_guard lock(mutex_);
  return nbytes_;
}

void WritePace::before_block(std::size_t nbytes) {
  std::unique_lock lock(mutex_);
  while (!cancelled_ && rate_ > 0 && Clock::now() < next_) changed_.wait_until(lock, next_);
  if (cancelled_) throw Error(*cancelled_);
  nbytes_ += nbytes;
  if (!(rate_ > 0)) return;
  constexpr double kLongestTurn = 3600;  // seconds; a turn of any rate then fits into a time_point
  const std::chrono::duration<double> turn(
      std::min(static_cast<double>(nbytes) / rate_, kLongestTurn));
  next_ = std::max(next_, Clock::now()) + std::chrono::duration_cast<Clock::duration>(turn);
}

}  // namespace megascale::checkpoint
