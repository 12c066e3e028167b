// A hash table with linear probing, at most half full.
#include "megascale/data/tokenizers/token_table.h"

#include <bit>

#include "megascale/data/tokenizers/hash.h"

namespace megascale::tokenizers {

TokenTable::TokenTable(std::size_t tokens) : slots_(std::bit_ceil(2 * tokens + 16)) {
  entries_.reserve(tokens);
}

std::size_t TokenTable::slot_of(std::string_view text, std::uint64_t hash) const noexcept {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = hash & mask;
  while (slots_[at] != 0) {
    const Entry& entry = entries_[slots_[at] - 1];
    if (entry.hash == hash >> 32 && entry.size == text.size() &&
        std::string_view(texts_).substr(entry.begin, entry.size) == text) {
      break;
    }
    at = (at + 1) & mask;
  }
  return at;
}

std::int32_t TokenTable::find(std::string_view text) const noexcept {
  const std::uint32_t entry = slots_[slot_of(text, hash_of(text))];
  return entry == 0 ? kNone : entries_[entry - 1].id;
}

void TokenTable::add(std::string_view text, std::int32_t id) {
  const std::uint64_t hash = hash_of(text);
  const std::size_t at = slot_of(text, hash);
  if (slots_[at] != 0) {
    entries_[slots_[at] - 1].id = id;
    return;
  }
  entries_.push_back({texts_.size(), text.size(), id, static_cast<std::uint32_t>(hash >> 32)});
  texts_ += text;
  slots_[at] = static_cast<std::uint32_t>(entries_.size());
  if (2 * entries_.size() > slots_.size()) grow();
}

void TokenTable::grow() {
  slots_.assign(2 * slots_.size(), 0);
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const std::string_view text = (*this)[i].text;
    slots_[slot_of(text, hash_of(text))] = static_cast<std::uint32_t>(i + 1);
  }
}

}  // namespace megascale::tokenizers
