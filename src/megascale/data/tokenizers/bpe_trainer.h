#ifndef MEGASCALE_DATA_TOKENIZERS_BPE_TRAINER_H_
#define MEGASCALE_DATA_TOKENIZERS_BPE_TRAINER_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "megascale/data/tokenizers/pre_tokenizer.h"

namespace megascale::tokenizers {

struct TrainerOptions {
  // Number of tokens: the special tokens, the 256 bytes, and one for each merge. Training ends
  // earlier if no pair of tokens is left.
  std::int64_t vocab_size = 8192;
  std::string encoding = "gpt2";  // whose pattern divides the text into words (patterns.h)
  std::vector<std::string> special_tokens = {
      "<|endoftext|>"};        // ids 0, 1, ...; the first ends documents
  std::int64_t min_count = 2;  // a pair must occur so often to become a token
};

// Trains byte-level BPE: the pair of neighbouring tokens with the highest count becomes a token,
// again and again. Of pairs with one count the one with the smaller ids comes first. The merges
// equal those of Hugging Face's trainer. Memory holds the distinct words. One thread at a time.
class BpeTrainer {
 public:
  // Throws Error (bad_usage) for an option out of range, or an encoding that is not known.
  explicit BpeTrainer(TrainerOptions options);
  // Counts the words of a text. Bytes that are not UTF-8 count as U+FFFD.
  void add(std::string_view text);
  // Returns the number of different words so far.
  [[nodiscard]] std::size_t words() const noexcept { return counts_.size(); }

  struct Merge {
    std::string left, right;  // bytes
  };
  // Returns the merges in the order of their ranks. `progress` is called with the number of merges
  // done, now and then.
  [[nodiscard]] std::vector<Merge> train(const std::function<void(std::int64_t)>& progress = {});
  // Returns a tokenizer.json with these merges.
  [[nodiscard]] std::string to_tokenizer_json(const std::vector<Merge>& merges) const;

 private:
  struct WordHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view word) const noexcept;
  };
  TrainerOptions options_;
  std::string pattern_;  // in the dialect of tokenizer files
  PreTokenizer pre_tokenizer_;
  std::unordered_map<std::string, std::int64_t, WordHash, std::equal_to<>> counts_;
};

}  // namespace megascale::tokenizers

#endif  // MEGASCALE_DATA_TOKENIZERS_BPE_TRAINER_H_
