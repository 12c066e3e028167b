#ifndef MEGASCALE_DIAGNOSE_EXCHANGE_H_
#define MEGASCALE_DIAGNOSE_EXCHANGE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "megascale/base/transfer_rule.h"
#include "megascale/comm/process/process_rank.h"

namespace megascale::diagnose {

// A collective whose result is known beforehand.
struct Exchange {
  const TransferRule* rule = &transfer_rules::all_to_all;  // all_to_all or all_reduce
  std::string key;                                         // of the group (ProcessRank::Options)
  std::vector<std::uint32_t> members;                      // ranks in group order, at least two
  std::uint32_t my_index = 0;
};

// The bytes of memory that an exchange uses: what a member sends, and what it receives.
inline constexpr std::size_t kExchangeNbytes = std::size_t{8} << 20U;

// Runs the collective several times on the members, with the ranks' arena `memory`
// (kExchangeNbytes), and compares what arrives with what must arrive. Returns the bus bandwidth in
// bytes per second, as nccl-tests define it, of the fastest run. Throws Error: corrupt_data if other
// bytes arrive; timeout, which names the members that are waited for, after `limit_seconds`; the
// errors of the communicator.
[[nodiscard]] double run_exchange(comm::ProcessRank& rank, std::span<std::byte> memory,
                                  const Exchange& exchange, double limit_seconds);

}  // namespace megascale::diagnose

#endif  // MEGASCALE_DIAGNOSE_EXCHANGE_H_
