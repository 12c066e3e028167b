#ifndef MEGASCALE_DATA_CORPUS_H_
#define MEGASCALE_DATA_CORPUS_H_

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "megascale/checkpoint/tokenizer_record.h"
#include "megascale/data/indexed_dataset.h"

namespace megascale {

// Which tokenizer made the ids of a data set, as far as it says so (dataset_info.h).
struct DatasetTokenizer {
  std::optional<checkpoint::TokenizerRecord> record;
  std::string prefix;  // of the data set with this record
};

// Several indexed datasets as one sequence of tokens, in the given order. A position is a number of
// tokens, counted from the start of the first dataset. Thread safety: immutable after construction.
class Corpus {
 public:
  // `prefixes` are paths without .bin and .idx. Throws Error: bad_usage if the list is empty, and
  // the errors of IndexedDataset and of read_dataset_info(), bad_input if two sets are of different
  // tokenizers.
  explicit Corpus(std::span<const std::string> prefixes);
  [[nodiscard]] std::int64_t tokens() const noexcept { return starts_.back(); }
  // Returns the tokenizer of the first set that says which one made its ids.
  [[nodiscard]] const DatasetTokenizer& tokenizer() const noexcept { return tokenizer_; }
  // Returns how many bytes of text a token stands for on average, or nothing if a set does not say.
  [[nodiscard]] std::optional<double> bytes_per_token() const noexcept;
  // Sets ids[i] to the token at position first + i. All positions must be in [0, tokens()). A token
  // that int32 cannot hold is read as -1. This function and those below throw the errors of
  // IndexedDataset if a file has changed.
  void read(std::int64_t first, std::span<std::int32_t> ids) const;
  // Returns the token at a position, also if int32 cannot hold it.
  [[nodiscard]] std::int64_t token(std::int64_t position) const;
  // Returns the place of a position for messages: "token 17 of PREFIX.bin".
  [[nodiscard]] std::string describe(std::int64_t position) const;
  // Returns the position nearest to `position` at which a document begins, or the end of the
  // corpus.
  [[nodiscard]] std::int64_t nearest_border(std::int64_t position) const;

  // Calls visit(position) for each document that starts in [begin, end), in order. An empty
  // document starts at the same position as the document after it.
  template <class Visitor>
  void for_each_document_start(std::int64_t begin, std::int64_t end, Visitor&& visit) const {
    for (std::size_t i = dataset_of(begin); i < datasets_.size() && starts_[i] < end; ++i) {
      const DatasetIndex& index = datasets_[i].index();
      for (std::int64_t d = index.first_document_from(begin - starts_[i]); d < index.documents();
           ++d) {
        const std::int64_t position = starts_[i] + index.document_start(d);
        if (position >= end) return;
        visit(position);
      }
    }
  }

 private:
  [[nodiscard]] std::size_t dataset_of(std::int64_t position) const noexcept;
  void add_info(const IndexedDataset& dataset);

  std::vector<IndexedDataset> datasets_;
  std::vector<std::int64_t> starts_{0};  // position of each dataset's first token; last: the end
  DatasetTokenizer tokenizer_;
  std::optional<std::int64_t> text_nbytes_ = 0;  // of all sets; absent if one does not say
};

// The positions [begin, end) of a corpus.
struct TokenRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  [[nodiscard]] std::int64_t size() const noexcept { return end - begin; }
  bool operator==(const TokenRange&) const = default;
};

// Cuts a corpus into the ranges of training, validation and test data. `shares` sum to 1 (see
// parse_split). A cut is moved to the nearest document border if the distance is at most a tenth of
// the smallest share above zero. Otherwise the cut stays inside a document, so that a corpus of one
// document can be split too. No share is therefore wrong by more than a fifth of itself.
[[nodiscard]] std::array<TokenRange, 3> split_corpus(const Corpus& corpus,
                                                     const std::array<double, 3>& shares);

}  // namespace megascale

#endif  // MEGASCALE_DATA_CORPUS_H_
