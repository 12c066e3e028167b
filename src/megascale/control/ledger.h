#ifndef MEGASCALE_CONTROL_LEDGER_H_
#define MEGASCALE_CONTROL_LEDGER_H_

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "megascale/control/records.h"

// Where the time of a job went: every nanosecond of its sessions is in exactly one bucket.
namespace megascale::control {

enum class Bucket : std::uint8_t {
  stepping,          // steps that were done for the first time
  checkpoint_stall,  // steps waited for a checkpoint
  detection,         // from the last progress of an attempt until its failure was found
  checks,            // self-checks
  restart,           // ending ranks, starting them, loading the state; the first start too
  repeated,          // steps that an earlier attempt had done and lost
  idle               // waiting: back-off
};
inline constexpr std::size_t kBuckets = 7;
[[nodiscard]] std::string_view to_string(Bucket bucket) noexcept;

struct Ledger {
  std::array<std::int64_t, kBuckets> ns{};
  std::int64_t wall_ns = 0;  // of all sessions; the time between sessions does not count
  [[nodiscard]] double seconds(Bucket bucket) const noexcept {
    return static_cast<double>(ns[static_cast<std::size_t>(bucket)]) * 1e-9;
  }
  // The share of effective training time: steps done for the first time, relative to all time. 0 to
  // 1; 0 without any time.
  [[nodiscard]] double effective() const noexcept;
};

// Makes the ledger of an event log. A session without an end in the log lasts until `alive_ns`, if
// it is the last one, else until its last event. Pure.
[[nodiscard]] Ledger make_ledger(std::span<const LogEntry> log, std::int64_t alive_ns);

}  // namespace megascale::control

#endif  // MEGASCALE_CONTROL_LEDGER_H_
