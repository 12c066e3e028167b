#ifndef MEGASCALE_DATA_TOKENIZERS_TOKEN_TABLE_H_
#define MEGASCALE_DATA_TOKENIZERS_TOKEN_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace megascale::tokenizers {

// Finds the id of a token by its text, and lists the tokens. Texts are any bytes. Thread safety:
// after the last add() threads may share it.
class TokenTable {
 public:
  static constexpr std::int32_t kNone = -1;

  // Reserves room for this number of tokens.
  explicit TokenTable(std::size_t tokens = 0);
  // Adds a token. A second token with the same text replaces the id of the first.
  void add(std::string_view text, std::int32_t id);
  // Returns the id of the token with this text, or kNone.
  [[nodiscard]] std::int32_t find(std::string_view text) const noexcept;

  struct Token {
    std::string_view text;
    std::int32_t id;
  };
  [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }
  // Returns the token that was added as number `index`. The text is valid until the next add().
  [[nodiscard]] Token operator[](std::size_t index) const noexcept {
    const Entry& entry = entries_[index];
    return {std::string_view(texts_).substr(entry.begin, entry.size), entry.id};
  }

 private:
  struct Entry {
    std::size_t begin;
    std::size_t size;
    std::int32_t id;
    std::uint32_t hash;  // its upper half, which tells most texts apart without reading them
  };
  [[nodiscard]] std::size_t slot_of(std::string_view text, std::uint64_t hash) const noexcept;
  void grow();

  std::string texts_;
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> slots_;  // index of an entry + 1; 0: free. A power of two
};

}  // namespace megascale::tokenizers

#endif  // MEGASCALE_DATA_TOKENIZERS_TOKEN_TABLE_H_
