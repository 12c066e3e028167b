#ifndef MEGASCALE_SIMULATE_ISLANDS_H_
#define MEGASCALE_SIMULATE_ISLANDS_H_

#include <cstdint>
#include <limits>
#include <vector>

#include "megascale/simulate/job.h"

namespace megascale::simulate {

// A job divided into islands. Ranks of different islands affect each other only through transfers
// over network links, so never before the latency of such a transfer is over. Islands can therefore
// be simulated in parallel for that long.
struct Islands {
  std::uint32_t count = 1;
  std::vector<std::uint32_t> island_of;  // for each rank of the job
  std::vector<bool> is_remote;           // for each group: its transfers use network links
  // Shortest latency of a transfer of a remote group. Above 0; infinite if there is none.
  double lookahead_seconds = std::numeric_limits<double>::infinity();
};

// Divides a job. All ranks form one island if a group loads both network links and links inside a
// node, or if a network transfer has no latency.
[[nodiscard]] Islands find_islands(const Job& job);

}  // namespace megascale::simulate

#endif  // MEGASCALE_SIMULATE_ISLANDS_H_
