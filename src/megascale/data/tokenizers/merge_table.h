#ifndef MEGASCALE_DATA_TOKENIZERS_MERGE_TABLE_H_
#define MEGASCALE_DATA_TOKENIZERS_MERGE_TABLE_H_

#include <bit>
#include <cstdint>
#include <vector>

#include "megascale/data/tokenizers/hash.h"

namespace megascale::tokenizers {

// The merges of byte-pair encoding: which two neighbouring tokens become which token, and how
// early. Thread safety: after the last add() threads may share it.
class MergeTable {
 public:
  static constexpr std::uint32_t kNoRank = UINT32_MAX;
  struct Merge {
    std::uint32_t rank = kNoRank;  // lower ranks are merged first
    std::int32_t result = -1;
  };

  explicit MergeTable(std::size_t merges = 0) : slots_(std::bit_ceil(2 * merges + 16)) {}
  // A second merge of the same pair replaces the first.
  void add(std::int32_t left, std::int32_t right, Merge merge) {
    if (2 * (size_ + 1) > slots_.size()) grow();
    Slot& slot = slots_[slot_of(key_of(left, right))];
    if (slot.key == kFree) ++size_;
    slot = {key_of(left, right), merge};
  }
  // Returns the merge of a pair; its rank is kNoRank if there is none.
  [[nodiscard]] Merge find(std::int32_t left, std::int32_t right) const noexcept {
    return slots_[slot_of(key_of(left, right))].merge;
  }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

 private:
  static constexpr std::uint64_t kFree = UINT64_MAX;  // ids are not negative
  struct Slot {
    std::uint64_t key = kFree;
    Merge merge = {};
  };
  static std::uint64_t key_of(std::int32_t left, std::int32_t right) noexcept {
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << 32 |
           static_cast<std::uint32_t>(right);
  }
  [[nodiscard]] std::size_t slot_of(std::uint64_t key) const noexcept {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = hash_of(key) & mask;
    while (slots_[at].key != key && slots_[at].key != kFree) at = (at + 1) & mask;
    return at;
  }
  void grow() {
    std::vector<Slot> old(2 * slots_.size());
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.key != kFree) slots_[slot_of(slot.key)] = slot;
    }
  }

  std::vector<Slot> slots_;  // linear probing, at most half full
  std::size_t size_ = 0;
};

}  // namespace megascale::tokenizers

#endif  // MEGASCALE_DATA_TOKENIZERS_MERGE_TABLE_H_
