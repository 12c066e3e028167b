#ifndef MEGASCALE_DATA_TOKENIZERS_BPE_H_
#define MEGASCALE_DATA_TOKENIZERS_BPE_H_

#include <bitset>
#include <cstdint>
#include <string_view>
#include <vector>

#include "megascale/data/tokenizers/merge_table.h"
#include "megascale/data/tokenizers/model.h"

namespace megascale::tokenizers {

struct BpeOptions {
  bool byte_level = false;     // texts of tokens are bytes, and merging begins with single bytes
  bool ignore_merges = false;  // a piece that is a token as a whole is not merged from parts
  bool byte_fallback = false;  // characters without a token become tokens <0x..> of their bytes
  bool fuse_unk = false;       // neighbouring characters without a token become one `unk`
  std::int32_t unk = TokenTable::kNone;  // characters without a token; kNone: they are dropped
};

// Byte-pair encoding: while neighbouring tokens have a merge, the merge of the lowest rank is
// applied, the leftmost first. The time is O(n log n) for a piece of n bytes, whatever it holds.
class Bpe final : public Model {
 public:
  Bpe(TokenTable tokens, MergeTable merges, BpeOptions options);
  void encode(std::string_view piece, std::vector<std::int32_t>& ids) const override;
  [[nodiscard]] bool divides_before(std::string_view mark) const override;

 private:
  // Pairs of characters that stand side by side inside a token. Between other characters no merge
  // can happen, so a text may be cut there.
  class Neighbours {
   public:
    void add(std::string_view text);
    [[nodiscard]] bool contains(char32_t left, char32_t right) const noexcept;

   private:
    std::bitset<128 * 128> ascii_;
    MergeTable others_;
  };

  // Whether a piece can be cut between these two characters.
  [[nodiscard]] bool can_cut(std::string_view left, std::string_view right) const;
  void encode_word(std::string_view word, std::vector<std::int32_t>& ids) const;
  void add_symbols(std::string_view word, std::vector<std::int32_t>& symbols) const;
  void merge_short(std::vector<std::int32_t>& symbols, std::vector<std::uint32_t>& ranks) const;
  void merge_long(std::vector<std::int32_t>& symbols) const;

  TokenTable tokens_;
  MergeTable merges_;
  BpeOptions options_;
  ByteTokens byte_tokens_;
  std::array<std::int32_t, 256> single_bytes_{};  // for byte_level
  bool has_cuts_ = false;      // pieces are cut by `neighbours_` before they are merged
  bool needs_no_unk_ = false;  // each character has a token, or its bytes have
  Neighbours neighbours_;
  std::uint64_t cache_owner_;
};

}  // namespace megascale::tokenizers

#endif  // MEGASCALE_DATA_TOKENIZERS_BPE_H_
