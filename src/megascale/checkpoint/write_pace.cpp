// Spaces the blocks of a save out in time. Each block moves the start of the next one by the time
// that it takes at the rate. A save that the disk delays does not write what it missed in one burst,
// since that would disturb the steps beside it: at most it becomes faster by a factor.
#include "megascale/checkpoint/write_pace.h"

#include <algorithm>

namespace megascale::checkpoint {

void BlockTurns::begin_block(std::size_t nbytes, Clock::time_point now) noexcept {
  if (!(rate_.bytes_per_second > 0)) return;
  constexpr double kLongestTurn = 3600;  // seconds; a turn of any rate then fits into a time_point
  const std::chrono::duration<double> turn(
      std::min(static_cast<double>(nbytes) / rate_.bytes_per_second, kLongestTurn));
  const auto in_clock = [](std::chrono::duration<double> one) {
    return std::chrono::duration_cast<Clock::duration>(one);
  };
  planned_ += in_clock(turn);
  next_ = std::max(planned_, now + in_clock(turn / rate_.catch_up));
}

void WritePace::set_rate(WriteRate rate) {
  const std::lock_guard lock(mutex_);
  turns_ = BlockTurns(rate, BlockTurns::Clock::now());
  changed_.notify_all();
}

void WritePace::cancel(const Error& reason) {
  const std::lock_guard lock(mutex_);
  if (!cancelled_) cancelled_ = reason;
  changed_.notify_all();
}

void WritePace::before_block(std::size_t nbytes) {
  std::unique_lock lock(mutex_);
  while (!cancelled_ && BlockTurns::Clock::now() < turns_.next())
    changed_.wait_until(lock, turns_.next());
  if (cancelled_) throw Error(*cancelled_);
  turns_.begin_block(nbytes, BlockTurns::Clock::now());
}

}  // namespace megascale::checkpoint
