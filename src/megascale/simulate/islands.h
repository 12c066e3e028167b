#ifndef MEGASCALE_SIMULATE_ISLANDS_H_
#define MEGASCALE_SIMULATE_ISLANDS_H_

#include <cstdint>
#include <limits>
#include <vector>

#include "megascale/simulate/job.h"

namespace megascale::simulate {

// A job cut into islands: ranks of different islands act on each other only through transfers over
// network links, and so never before the latency of one is over. That is what lets islands be
// simulated side by side for that long.
struct Islands {
  std::uint32_t count = 1;
  std::vector<std::uint32_t> island_of;  // by rank
  std::vector<bool> is_remote;           // by group: its transfers go over the network links
  // The shortest latency of a remote transfer: above 0, infinite where there is none.
  double lookahead_seconds = std::numeric_limits<double>::infinity();
};

// Where a group loads links of both kinds, or some network transfer has no latency, all ranks are
// one island.
[[nodiscard]] Islands find_islands(const Job& job);

}  // namespace megascale::simulate

#endif  // MEGASCALE_SIMULATE_ISLANDS_H_
