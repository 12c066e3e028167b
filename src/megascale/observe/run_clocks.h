#ifndef MEGASCALE_OBSERVE_RUN_CLOCKS_H_
#define MEGASCALE_OBSERVE_RUN_CLOCKS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "megascale/observe/clock_fit.h"
#include "megascale/observe/rank_transfers.h"
#include "megascale/observe/ring_file.h"

namespace megascale::observe {

// The records of one rank, and its transfers.
struct RankRing {
  const RingFile::Writer* writer = nullptr;  // may be null, as RingFile::writer may be absent
  std::span<const RingStep> steps;
  RankTransfers transfers;  // empty: not known
};
// The clock of the ranks of one host.
struct HostClock {
  std::string host;  // "" if the rings do not name it
  ClockFit fit;      // to the clock of the first rank
};
struct RunClocks {
  std::vector<HostClock> hosts;      // the first one is the reference
  std::vector<std::size_t> host_of;  // by rank, as given
  std::int64_t violation_ns = 0;     // ClockFits::violation_ns
  [[nodiscard]] const ClockFit& of(std::size_t rank) const { return hosts[host_of[rank]].fit; }
  // Returns the largest uncertainty of a host; nothing if that of one is not known.
  [[nodiscard]] std::optional<std::int64_t> uncertainty_ns() const;
};
// Aligns the clocks of the ranks' hosts. Processes of one host share a clock. A clock that no transfer
// connects to the first one keeps the offset that its ring names. Pure.
[[nodiscard]] RunClocks align_clocks(std::span<const RankRing> ranks);

}  // namespace megascale::observe

#endif  // MEGASCALE_OBSERVE_RUN_CLOCKS_H_
