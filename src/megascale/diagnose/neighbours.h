#ifndef MEGASCALE_DIAGNOSE_NEIGHBOURS_H_
#define MEGASCALE_DIAGNOSE_NEIGHBOURS_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "megascale/comm/process/process_rank.h"
#include "megascale/diagnose/check.h"

namespace megascale::diagnose {

// What a host tells the others after its own checks.
struct HostSummary {
  std::string host, compute_kind, compute_digest;
  bool passed = false;
  std::int64_t wall_ns = 0;  // its wall clock, read by all hosts at about the same time
};

// What is wrong with a host compared with the others; an empty text: nothing.
struct Difference {
  std::string text;
  bool certain = true;  // false: it is this host or another one
};
// Compares hosts; the result has one element for each. Hosts of one kind must have one digest: the
// hosts that differ from most are named, or all of them if no digest has the majority. Clocks may
// differ from their median by at most a minute.
[[nodiscard]] std::vector<Difference> compare_hosts(std::span<const HostSummary> hosts);

// The rest of the checks, on one process of each host, which a launcher has started: compares this
// host with the others, then runs all_reduce with both neighbours (by rank, as in a ring) whose
// checks have passed. Adds two checks to `own`. Returns the reports of all hosts on rank 0, and that
// of this host on other ranks. Throws Error if the hosts cannot meet.
[[nodiscard]] std::vector<HostReport> check_neighbours(const comm::ProcessLaunch& launch,
                                                       HostReport own);

}  // namespace megascale::diagnose

#endif  // MEGASCALE_DIAGNOSE_NEIGHBOURS_H_
