// Packs lifetimes: the largest first, each at the lowest free offset. Those that are placed stand in
// blocks, in the order of their offsets. A block whose members are all alive together with the next
// lifetime, and that has no gap wide enough for it, is passed at once. Most activations of a chunk
// are alive together, so the time grows much less than with the square of their number.
#include <algorithm>
#include <map>
#include <numeric>

#include "megascale/plan/model_state.h"
#include "megascale/plan/placement.h"

namespace megascale::plan {
namespace {

constexpr std::size_t kLargestBlock = 512;

class Packer {
 public:
  explicit Packer(std::span<const Lifetime> lifetimes)
      : lifetimes_(lifetimes), packing_{std::vector<std::uint64_t>(lifetimes.size()), 0} {}

  void place(std::uint32_t i) {
    const Lifetime& lifetime = lifetimes_[i];
    Member member{.first = lifetime.first, .last = lifetime.last, .offset = lowest_free(lifetime)};
    member.end = member.offset + align_buffer(lifetime.nbytes);
    packing_.offsets[i] = member.offset;
    packing_.nbytes = std::max(packing_.nbytes, member.end);
    insert(member);
  }
  Packing take() { return std::move(packing_); }

 private:
  // A placed lifetime, with all that the search reads: it lies in the order of memory.
  struct Member {
    std::uint32_t first = 0, last = 0;
    std::uint64_t offset = 0, end = 0;
  };
  struct Block {
    std::vector<Member> members;  // by offset
    std::uint32_t earliest_first = 0, latest_first = 0, earliest_last = 0, latest_last = 0;
    std::uint64_t end = 0;         // of its last bytes
    std::uint64_t widest_gap = 0;  // bytes between members that none of them uses
  };

  [[nodiscard]] std::uint64_t lowest_free(const Lifetime& wanted) const {
    std::uint64_t offset = 0;
    for (const Block& block : blocks_) {
      if (block.latest_last < wanted.first || wanted.last < block.earliest_first) continue;
      const bool all_alive =
          block.latest_first <= wanted.last && wanted.first <= block.earliest_last;
      if (all_alive && block.widest_gap < wanted.nbytes) {
        if (block.members.front().offset >= offset + wanted.nbytes) return offset;
        offset = std::max(offset, block.end);
        continue;
      }
      for (const Member& other : block.members) {
        if (wanted.first > other.last || other.first > wanted.last) continue;
        if (other.offset >= offset + wanted.nbytes) return offset;
        offset = std::max(offset, other.end);
      }
    }
    return offset;
  }

  void insert(const Member& member) {
    const auto starts_before = [](const Member& a, const Member& b) { return a.offset < b.offset; };
    if (blocks_.empty()) blocks_.emplace_back();
    auto block = std::find_if(blocks_.begin(), blocks_.end(), [&](const Block& one) {
      return !one.members.empty() && starts_before(member, one.members.back());
    });
    if (block == blocks_.end()) --block;
    std::vector<Member>& members = block->members;
    members.insert(std::upper_bound(members.begin(), members.end(), member, starts_before), member);
    if (members.size() > kLargestBlock) {
      const auto middle = members.begin() + kLargestBlock / 2;
      Block second{.members = {middle, members.end()}};
      members.erase(middle, members.end());
      summarize(second);
      block = blocks_.insert(block + 1, std::move(second)) - 1;
    }
    summarize(*block);
  }

  static void summarize(Block& block) {
    const Member& front = block.members.front();
    block.earliest_first = block.latest_first = front.first;
    block.earliest_last = block.latest_last = front.last;
    block.end = front.offset;
    block.widest_gap = 0;
    for (const Member& member : block.members) {
      block.earliest_first = std::min(block.earliest_first, member.first);
      block.latest_first = std::max(block.latest_first, member.first);
      block.earliest_last = std::min(block.earliest_last, member.last);
      block.latest_last = std::max(block.latest_last, member.last);
      if (member.offset > block.end)
        block.widest_gap = std::max(block.widest_gap, member.offset - block.end);
      block.end = std::max(block.end, member.end);
    }
  }

  std::span<const Lifetime> lifetimes_;
  Packing packing_;
  std::vector<Block> blocks_;
};

}  // namespace

Packing pack(std::span<const Lifetime> lifetimes) {
  std::vector<std::uint32_t> order(lifetimes.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return lifetimes[a].nbytes > lifetimes[b].nbytes;
  });
  Packer packer(lifetimes);
  for (const std::uint32_t i : order) packer.place(i);
  return packer.take();
}

std::uint64_t peak_live_bytes(std::span<const Lifetime> lifetimes) {
  std::map<std::uint32_t, std::int64_t> changes;
  for (const Lifetime& lifetime : lifetimes) {
    changes[lifetime.first] += static_cast<std::int64_t>(lifetime.nbytes);
    changes[lifetime.last + 1] -= static_cast<std::int64_t>(lifetime.nbytes);
  }
  std::int64_t live = 0, peak = 0;
  for (const auto& [place, change] : changes) {
    live += change;
    peak = std::max(peak, live);
  }
  return static_cast<std::uint64_t>(peak);
}

}  // namespace megascale::plan
