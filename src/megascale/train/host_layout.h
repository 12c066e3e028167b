#ifndef MEGASCALE_TRAIN_HOST_LAYOUT_H_
#define MEGASCALE_TRAIN_HOST_LAYOUT_H_

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "megascale/comm/coordination.h"
#include "megascale/parallel/rank_grid.h"

// Which ranks share the memory of a host, and where a second copy of a rank's state goes.
namespace megascale::train {

// The hosts of a job, by the memory that their ranks share.
struct HostLayout {
  std::vector<std::uint32_t>
      host_of;  // by rank; hosts are numbered in the order of their first rank
  std::uint32_t count = 1;
  std::string name;  // of the directory of copies in the memory of each host
  // Returns whether this is the first rank of its host. It makes and removes directories there.
  [[nodiscard]] bool leads(std::uint32_t rank) const noexcept;
};
// All ranks call it, with the directory of their host's memory. `name` is that of rank 0. Throws Error.
[[nodiscard]] HostLayout find_hosts(comm::Coordination& coordination,
                                    const std::filesystem::path& memory, const std::string& name);

// Where the second copies of the near ranks go (Coordination::near). Ranks are counted from the first of
// them here.
struct PeerChoice {
  // By rank: the rank that keeps its second copy too; the rank itself: none. No rank keeps two.
  std::vector<std::uint32_t> keepers;
  // Ranks with a second copy on another host; and of these, on a host without ranks of their tensor,
  // pipeline and data groups.
  std::uint32_t on_other_host = 0, outside_groups = 0;
  // Returns the distances (rank - keeper, cyclically) that occur, ascending.
  [[nodiscard]] std::vector<std::uint32_t> offsets() const;
};
// Returns a choice with as many copies outside of the groups as can be, and then as many on other hosts
// as can be. If one distance does as well as any choice, it is used for all ranks: then the copies are
// given in one transfer.
[[nodiscard]] PeerChoice choose_peers(const HostLayout& hosts, const comm::Coordination::Near& near,
                                      const parallel::RankGrid& grid);
// Returns the choice as a sentence for the log.
[[nodiscard]] std::string describe(const PeerChoice& choice);

}  // namespace megascale::train

#endif  // MEGASCALE_TRAIN_HOST_LAYOUT_H_
