#ifndef MEGASCALE_CONTROL_FEWER_HOSTS_H_
#define MEGASCALE_CONTROL_FEWER_HOSTS_H_

#include <cstdint>
#include <vector>

#include "megascale/config/config.h"

namespace megascale::control {

// Returns the smaller numbers of hosts on which a job can run, the largest first, at most
// kMostSmallerSizes. Each host keeps its number of ranks and the batch stays the same, so there are
// fewer data-parallel ranks with more micro-batches each. `config` is that of the whole job, resolved;
// `hosts` divides its ranks. Each size is planned and verified, which takes seconds in large jobs.
// Throws Error (bad_usage) if there is none.
inline constexpr std::size_t kMostSmallerSizes = 16;
[[nodiscard]] std::vector<std::uint32_t> find_fewer_hosts(const Config& config,
                                                          std::uint32_t hosts);

}  // namespace megascale::control

#endif  // MEGASCALE_CONTROL_FEWER_HOSTS_H_
