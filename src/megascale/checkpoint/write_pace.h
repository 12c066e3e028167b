#ifndef MEGASCALE_CHECKPOINT_WRITE_PACE_H_
#define MEGASCALE_CHECKPOINT_WRITE_PACE_H_

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>

#include "megascale/base/error.h"

namespace megascale::checkpoint {

// Decides when a save writes or reads back its next block. One thread saves; any other thread may
// change the rate or end the save meanwhile, which takes effect at once.
class WritePace {
 public:
  WritePace() = default;
  // Sets the rate in bytes per second; 0: no limit. A save that waits for its turn goes on by the
  // new rate.
  void set_rate(double bytes_per_second);
  // Makes before_block() throw `reason` from now on.
  void cancel(const Error& reason);
  // Bytes of the blocks that have begun so far.
  [[nodiscard]] std::uint64_t nbytes() const;
  // Waits until the blocks before this one have had their time at the current rate. Throws the
  // Error of cancel().
  void before_block(std::size_t nbytes);

 private:
  using Clock = std::chrono::steady_clock;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  double rate_ = 0;
  std::uint64_t nbytes_ = 0;
  // When the next block may begin, at the rate of the blocks before it.
  Clock::time_point next_ = Clock::time_point::min();
  std::optional<Error> cancelled_;
};

}  // namespace megascale::checkpoint

#endif  // MEGASCALE_CHECKPOINT_WRITE_PACE_H_
