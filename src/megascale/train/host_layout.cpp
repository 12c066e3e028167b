// Two ranks share a host's memory if their kernel has the same boot id and the memory's directory is
// the same file for both. Containers of one host that have a /dev/shm each count as hosts.
#include "megascale/train/host_layout.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <sstream>
#include <utility>

#include "megascale/base/error.h"
#include "megascale/base/files.h"

namespace megascale::train {
namespace {

std::string key_of(const std::filesystem::path& memory) {
  struct stat status {};
  if (::stat(memory.c_str(), &status) != 0) return "";
  std::string boot;
  try {
    boot = read_text("/proc/sys/kernel/random/boot_id", OpenMode::read_stream);
  } catch (const Error&) {  // an old kernel: device and inode must do
  }
  return fmt::format("{}:{:x}:{:x}", boot, status.st_dev, status.st_ino);
}

// Returns whether a rank of `host` is in the tensor, pipeline or data group of `rank`.
bool has_group_member(const HostLayout& hosts, const parallel::RankGrid& grid, std::uint32_t rank,
                      std::uint32_t host) {
  for (const graph::Axis axis : {graph::Axis::tensor, graph::Axis::pipeline, graph::Axis::data}) {
    for (const std::uint32_t member : grid.group(rank, {axis})) {
      if (member != rank && hosts.host_of[member] == host) return true;
    }
  }
  return false;
}

// What a rank's copy at a keeper is worth, by rank and keeper, counted from the first near rank: 0 on
// the same host, 1 on another one, 2 on one without ranks of the rank's groups.
using Worth = std::vector<std::vector<int>>;

Worth worth_of(const HostLayout& hosts, const comm::Coordination::Near& near,
               const parallel::RankGrid& grid) {
  Worth worth(near.count, std::vector<int>(near.count, 0));
  for (std::uint32_t i = 0; i < near.count; ++i) {
    for (std::uint32_t k = 0; k < near.count; ++k) {
      const std::uint32_t rank = near.first + i, host = hosts.host_of[near.first + k];
      if (host == hosts.host_of[rank]) continue;
      worth[i][k] = has_group_member(hosts, grid, rank, host) ? 1 : 2;
    }
  }
  return worth;
}

PeerChoice judge(std::vector<std::uint32_t> keepers, const Worth& worth) {
  PeerChoice choice{.keepers = std::move(keepers)};
  for (std::uint32_t i = 0; i < choice.keepers.size(); ++i) {
    std::uint32_t& keeper = choice.keepers[i];
    if (worth[i][keeper] == 0) keeper = i;
    choice.on_other_host += worth[i][keeper] > 0 ? 1 : 0;
    choice.outside_groups += worth[i][keeper] > 1 ? 1 : 0;
  }
  return choice;
}

// Assigns keepers to as many ranks as can be, each keeper once, by augmenting paths (Kuhn): first those
// worth 2, then those worth 1; a rank that has a keeper gets no worse one.
class Matching {
 public:
  explicit Matching(const Worth& worth) : worth_(worth), rank_of_(worth.size(), kNone) {
    for (const int least : {2, 1}) {
      for (std::uint32_t rank = 0; rank < worth.size(); ++rank) {
        if (std::find(rank_of_.begin(), rank_of_.end(), rank) != rank_of_.end()) continue;
        seen_.assign(worth.size(), false);
        (void)place(rank, least);
      }
    }
  }
  [[nodiscard]] std::vector<std::uint32_t> keepers() const {
    std::vector<std::uint32_t> keepers(rank_of_.size());
    for (std::uint32_t i = 0; i < keepers.size(); ++i) keepers[i] = i;
    for (std::uint32_t k = 0; k < rank_of_.size(); ++k) {
      if (rank_of_[k] != kNone) keepers[rank_of_[k]] = k;
    }
    return keepers;
  }

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;
  bool place(std::uint32_t rank, int least) {
    for (std::uint32_t keeper = 0; keeper < rank_of_.size(); ++keeper) {
      if (worth_[rank][keeper] < least || seen_[keeper]) continue;
      seen_[keeper] = true;
      const std::uint32_t former = rank_of_[keeper];
      if (former != kNone && !place(former, std::max(least, worth_[former][keeper]))) continue;
      rank_of_[keeper] = rank;
      return true;
    }
    return false;
  }
  const Worth& worth_;
  std::vector<std::uint32_t> rank_of_;  // by keeper
  std::vector<bool> seen_;
};

}  // namespace

bool HostLayout::leads(std::uint32_t rank) const noexcept {
  return std::find(host_of.begin(), host_of.end(), host_of[rank]) == host_of.begin() + rank;
}

HostLayout find_hosts(comm::Coordination& coordination, const std::filesystem::path& memory,
                      const std::string& name) {
  constexpr std::string_view kAbout = "which ranks share the memory of a host";
  const std::vector<std::string> keys = coordination.gather(key_of(memory), kAbout);
  std::string text;
  if (coordination.rank() == 0) {
    std::vector<std::size_t> numbers;
    std::vector<std::string> known;
    for (const std::string& key : keys) {
      const auto found = std::find(known.begin(), known.end(), key);
      numbers.push_back(static_cast<std::size_t>(found - known.begin()));
      if (found == known.end()) known.push_back(key);
    }
    text = fmt::format("{} {}", name, fmt::join(numbers, " "));
  }
  std::istringstream words(coordination.broadcast(text, kAbout));
  HostLayout hosts;
  words >> hosts.name;
  for (std::uint32_t host = 0; words >> host;) {
    hosts.host_of.push_back(host);
    hosts.count = std::max(hosts.count, host + 1);
  }
  return hosts;
}

std::vector<std::uint32_t> PeerChoice::offsets() const {
  std::set<std::uint32_t> offsets;
  const auto count = static_cast<std::uint32_t>(keepers.size());
  for (std::uint32_t i = 0; i < count; ++i) {
    if (keepers[i] != i) offsets.insert((i + count - keepers[i]) % count);
  }
  return {offsets.begin(), offsets.end()};
}

PeerChoice choose_peers(const HostLayout& hosts, const comm::Coordination::Near& near,
                        const parallel::RankGrid& grid) {
  const Worth worth = worth_of(hosts, near, grid);
  const auto value = [](const PeerChoice& choice) {
    return std::pair(choice.outside_groups, choice.on_other_host);
  };
  const PeerChoice most = judge(Matching(worth).keepers(), worth);
  for (std::uint32_t offset = 1; offset < near.count; ++offset) {
    std::vector<std::uint32_t> keepers;
    for (std::uint32_t i = 0; i < near.count; ++i)
      keepers.push_back((i + near.count - offset) % near.count);
    PeerChoice choice = judge(std::move(keepers), worth);
    if (value(choice) >= value(most)) return choice;
  }
  return most;
}

std::string describe(const PeerChoice& choice) {
  if (choice.on_other_host == 0)
    return "no second copies: all ranks that could keep them are on one host";
  return fmt::format(
      "second copies on other hosts for {} of {} ranks, {} of them on a host without ranks of "
      "their "
      "tensor, pipeline and data groups",
      choice.on_other_host, choice.keepers.size(), choice.outside_groups);
}

}  // namespace megascale::train
