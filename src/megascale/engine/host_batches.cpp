// Shares batches over memory that several threads or processes map. The memory holds for every
// member its number of finished turns, for every slot a state word and the step, then the slots'
// data. The state word holds turn and phase (reading, full, failed). The member that changes the
// word of a free slot to "reading" by compare-and-swap is the reader. The others sleep on the word
// with a futex, which also works between processes, and look from time to time whether to give up.
#include "megascale/engine/host_batches.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <climits>
#include <ctime>

#include "megascale/base/error.h"

namespace megascale::engine {
namespace {

// Bytes of a cache line. Each slot's state and each member's turns get a line of their own, since
// different threads write them.
constexpr std::uint64_t kLine = 64;
constexpr std::uint64_t kFieldCount = std::tuple_size_v<HostBatches::Fields>;

// How often a waiting member calls Waiting::is_vain.
constexpr std::chrono::milliseconds kLook{20};

std::uint64_t slot_nbytes(const HostBatches::Shape& shape) noexcept {
  const std::uint64_t nbytes =
      kFieldCount * sizeof(std::int32_t) * shape.tokens * shape.micro_batches;
  return (nbytes + kLine - 1) / kLine * kLine;
}

// Sleeps while the word has this value. It may wake up early. The futex is not private to the
// process, since the word may lie in a shared segment.
void sleep_while(const std::uint32_t& word, std::uint32_t value,
                 std::chrono::nanoseconds at_most) noexcept {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(at_most);
  const std::timespec timeout{.tv_sec = seconds.count(), .tv_nsec = (at_most - seconds).count()};
  ::syscall(SYS_futex, &word, FUTEX_WAIT, value, &timeout, nullptr, 0);
}
void wake_all(const std::uint32_t& word) noexcept {
  ::syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

}  // namespace

std::uint64_t HostBatches::nbytes(const Shape& shape) noexcept {
  return kLine * (shape.members + kSlots) + kSlots * slot_nbytes(shape);
}

HostBatches::HostBatches(std::span<std::byte> memory, const Shape& shape, Waiting waiting)
    : memory_(memory), shape_(shape), waiting_(std::move(waiting)) {
  MEGASCALE_CHECK(memory.size() >= nbytes(shape) &&
                      reinterpret_cast<std::uintptr_t>(memory.data()) % kLine == 0,
                  "memory for the batches of a host");
}

// The low 2 bits are the phase, the other 30 are the turn + 1. Zeroed memory thus is no turn's
// state.
std::uint32_t HostBatches::state(std::uint64_t turn, Phase phase) noexcept {
  return static_cast<std::uint32_t>((turn + 1) << 2U) | static_cast<std::uint32_t>(phase);
}
std::uint64_t& HostBatches::turns_of(std::uint32_t member) const noexcept {
  return *reinterpret_cast<std::uint64_t*>(memory_.data() + kLine * member);
}
std::uint32_t& HostBatches::state_of(std::uint64_t slot) const noexcept {
  return *reinterpret_cast<std::uint32_t*>(memory_.data() + kLine * (shape_.members + slot));
}
std::int64_t& HostBatches::step_of(std::uint64_t slot) const noexcept {
  return *reinterpret_cast<std::int64_t*>(memory_.data() + kLine * (shape_.members + slot) +
                                          sizeof(std::int64_t));
}
HostBatches::Fields HostBatches::fields(std::uint64_t slot,
                                        std::uint32_t micro_batch) const noexcept {
  std::byte* begin =
      memory_.data() + kLine * (shape_.members + kSlots) + slot * slot_nbytes(shape_);
  auto* values = reinterpret_cast<std::int32_t*>(begin) + kFieldCount * shape_.tokens * micro_batch;
  Fields result;
  for (std::uint64_t f = 0; f < kFieldCount; ++f) {
    result[f] = {values + f * shape_.tokens, shape_.tokens};
  }
  return result;
}

bool HostBatches::is_left(std::uint64_t turn) const noexcept {
  for (std::uint32_t member = 0; member < shape_.members; ++member) {
    const std::uint64_t done = std::atomic_ref(turns_of(member)).load(std::memory_order_acquire);
    if (done + kSlots <= turn) return false;
  }
  return true;
}

void HostBatches::read_into(std::uint64_t turn, std::int64_t step, const Read& read) {
  const std::uint64_t slot = turn % kSlots;
  std::atomic_ref word(state_of(slot));
  const auto finish = [&](Phase phase) {
    word.store(state(turn, phase), std::memory_order_release);
    wake_all(state_of(slot));
  };
  try {
    step_of(slot) = step;
    for (std::uint32_t m = 0; m < shape_.micro_batches; ++m) read(m, fields(slot, m));
  } catch (...) {
    finish(Phase::failed);
    throw;
  }
  finish(Phase::full);
}

bool HostBatches::provide(std::uint64_t turn, std::int64_t step, const Read& read) {
  const std::uint64_t slot = turn % kSlots;
  std::atomic_ref word(state_of(slot));
  const auto deadline = std::chrono::steady_clock::now() + waiting_.at_most;
  std::uint32_t now = word.load(std::memory_order_acquire);
  for (;;) {
    if (now == state(turn, Phase::full)) return step_of(slot) == step;
    if (now == state(turn, Phase::failed)) return false;
    if (now == state(turn, Phase::reading)) {
      const auto left = deadline - std::chrono::steady_clock::now();
      if (left <= std::chrono::nanoseconds::zero()) return false;
      if (waiting_.is_vain && waiting_.is_vain()) return false;
      sleep_while(state_of(slot), now, std::min<std::chrono::nanoseconds>(left, kLook));
      now = word.load(std::memory_order_acquire);
    } else if (!is_left(turn)) {
      return false;
    } else if (word.compare_exchange_strong(now, state(turn, Phase::reading),
                                            std::memory_order_acq_rel)) {
      read_into(turn, step, read);
      return true;
    }
  }
}

void HostBatches::next(std::uint32_t member, std::int64_t step, const Fields& own, const Read& read,
                       const Take& take) {
  std::atomic_ref turns(turns_of(member));
  const std::uint64_t turn = turns.load(std::memory_order_relaxed);
  const bool provided = provide(turn, step, read);
  for (std::uint32_t m = 0; m < shape_.micro_batches; ++m) {
    if (!provided) read(m, own);
    take(m, provided ? fields(turn % kSlots, m) : own);
  }
  turns.store(turn + 1, std::memory_order_release);
}

}  // namespace megascale::engine
