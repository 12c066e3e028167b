#ifndef MEGASCALE_BASE_LOCAL_RANKS_H_
#define MEGASCALE_BASE_LOCAL_RANKS_H_

#include <cstdint>

namespace megascale {

// The most ranks that one host runs, as threads or as processes. Hosts have a few hundred cores; a
// larger number is a job that was meant for several hosts.
inline constexpr std::uint32_t kMostLocalRanks = 1024;

// Throws Error (bad_usage) if `ranks` exceeds kMostLocalRanks. `what` are "threads" or "processes".
void require_local_ranks(std::uint32_t ranks, const char* what);

}  // namespace megascale

#endif  // MEGASCALE_BASE_LOCAL_RANKS_H_
