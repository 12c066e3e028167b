#ifndef MEGASCALE_DATA_TOKENIZERS_UNIGRAM_H_
#define MEGASCALE_DATA_TOKENIZERS_UNIGRAM_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "megascale/data/tokenizers/model.h"

namespace megascale::tokenizers {

// The unigram language model: of all divisions of a piece into tokens the one with the largest sum
// of scores (Viterbi). Source: Kudo 2018, "Subword Regularization"; ties are resolved as in Hugging
// Face's tokenizers. The time is O(n) for a piece of n bytes.
class Unigram final : public Model {
 public:
  // A token's id is its index. `unk` is the id for characters without a token; kNone: an Error
  // (bad_input) is thrown when such a character is met.
  Unigram(const std::vector<std::pair<std::string, double>>& tokens, std::int32_t unk,
          bool byte_fallback);
  void encode(std::string_view piece, std::vector<std::int32_t>& ids) const override;
  // The best division of a text depends on all of it, in the last bits of sums.
  [[nodiscard]] bool divides_before(std::string_view /*mark*/) const override { return false; }

 private:
  // A tree of the tokens' bytes. Node 0 is the root.
  class Tree {
   public:
    static constexpr std::uint32_t kNone = UINT32_MAX;
    Tree();
    void add(std::string_view text, std::int32_t id);
    [[nodiscard]] std::uint32_t child(std::uint32_t node, unsigned char byte) const noexcept;
    [[nodiscard]] std::int32_t id(std::uint32_t node) const noexcept { return ids_[node]; }

   private:
    struct Edge {
      std::uint64_t key = UINT64_MAX;  // node * 256 + byte; UINT64_MAX: free
      std::uint32_t child = kNone;
    };
    [[nodiscard]] std::size_t slot_of(std::uint64_t key) const noexcept;
    std::vector<Edge> edges_;  // linear probing, at most half full
    std::vector<std::int32_t> ids_;
  };
  void encode_word(std::string_view word, std::vector<std::int32_t>& ids) const;
  void append_unknown(std::string_view text, std::vector<std::int32_t>& ids) const;

  TokenTable table_;
  ByteTokens byte_tokens_;
  Tree tree_;
  std::vector<double> scores_;
  double unk_score_ = 0;
  std::int32_t unk_;
  bool byte_fallback_;
  std::uint64_t cache_owner_;
};

}  // namespace megascale::tokenizers

#endif  // MEGASCALE_DATA_TOKENIZERS_UNIGRAM_H_
