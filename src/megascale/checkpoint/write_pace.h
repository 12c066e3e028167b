#ifndef MEGASCALE_CHECKPOINT_WRITE_PACE_H_
#define MEGASCALE_CHECKPOINT_WRITE_PACE_H_

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <optional>

#include "megascale/base/error.h"

namespace megascale::checkpoint {

// How fast a save may write and read back.
struct WriteRate {
  double bytes_per_second = 0;  // 0: no limit
  // By what factor a save that the disk delayed may be faster until it has caught up; 1: it stays
  // late.
  double catch_up = 1;
};

// When the blocks of a save may begin. Without delays they are spaced out evenly.
class BlockTurns {
 public:
  using Clock = std::chrono::steady_clock;
  BlockTurns() = default;
  BlockTurns(WriteRate rate, Clock::time_point now) noexcept
      : rate_(rate), planned_(now), next_(now) {}
  // When the next block may begin.
  [[nodiscard]] Clock::time_point next() const noexcept { return next_; }
  // A block of so many bytes begins now, not before next().
  void begin_block(std::size_t nbytes, Clock::time_point now) noexcept;

 private:
  WriteRate rate_;
  Clock::time_point planned_;  // when the next block would begin if none had been delayed
  Clock::time_point next_ = Clock::time_point::min();
};

// Decides when a save writes or reads back its next block. One thread saves; any other thread may
// change the rate or end the save meanwhile, which takes effect at once.
class WritePace {
 public:
  WritePace() = default;
  // A save that waits for its turn goes on by the new rate.
  void set_rate(WriteRate rate);
  // Makes before_block() throw `reason` from now on.
  void cancel(const Error& reason);
  // Waits until the blocks before this one have had their time at the current rate. Throws the
  // Error of cancel().
  void before_block(std::size_t nbytes);

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  BlockTurns turns_;
  std::optional<Error> cancelled_;
};

}  // namespace megascale::checkpoint

#endif  // MEGASCALE_CHECKPOINT_WRITE_PACE_H_
