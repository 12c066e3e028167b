#ifndef MEGASCALE_DATA_TOKENIZERS_WORD_CACHE_H_
#define MEGASCALE_DATA_TOKENIZERS_WORD_CACHE_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "megascale/data/tokenizers/hash.h"

namespace megascale::tokenizers {

// Remembers the ids of short words, since most words of a text repeat. The size is fixed: a new
// word takes the place of another one with the same slot. One thread at a time.
class WordCache {
 public:
  static constexpr std::size_t kWordNbytesMax = 23;

  // Makes the cache empty if it served another owner.
  void set_owner(std::uint64_t owner) {
    if (owner == owner_) return;
    owner_ = owner;
    entries_.assign(kEntries, {});
  }
  // Appends the ids of `word` and returns true, or returns false. The word has at least one and at
  // most kWordNbytesMax bytes.
  [[nodiscard]] bool append(std::string_view word, std::vector<std::int32_t>& ids) const {
    const Entry& entry = entries_[hash_of(word) % kEntries];
    if (entry.size != word.size() || std::memcmp(entry.word.data(), word.data(), word.size()) != 0)
      return false;
    ids.insert(ids.end(), entry.ids.begin(), entry.ids.begin() + entry.count);
    return true;
  }
  void put(std::string_view word, std::span<const std::int32_t> ids) {
    Entry& entry = entries_[hash_of(word) % kEntries];
    if (ids.size() > entry.ids.size()) return;
    entry.size = static_cast<std::uint8_t>(word.size());
    entry.count = static_cast<std::uint8_t>(ids.size());
    std::copy(word.begin(), word.end(), entry.word.begin());
    std::copy(ids.begin(), ids.end(), entry.ids.begin());
  }

 private:
  // 4 MiB for a thread. More entries do not fit into the caches of a core.
  static constexpr std::size_t kEntries = 1 << 16;
  struct alignas(64) Entry {
    std::uint8_t size = 0;  // 0: free
    std::uint8_t count = 0;
    std::array<char, kWordNbytesMax> word{};
    std::array<std::int32_t, 9> ids{};
  };
  static_assert(sizeof(Entry) == 64);

  std::vector<Entry> entries_;
  std::uint64_t owner_ = 0;
};

// Returns the cache of this thread for the owner with this number (new_cache_owner()).
[[nodiscard]] WordCache& word_cache_of_thread(std::uint64_t owner);
// Returns a number that no other owner in this process has. It is not 0.
[[nodiscard]] std::uint64_t new_cache_owner() noexcept;

}  // namespace megascale::tokenizers

#endif  // MEGASCALE_DATA_TOKENIZERS_WORD_CACHE_H_
