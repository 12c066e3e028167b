#ifndef MEGASCALE_DATA_CORPUS_H_
#define MEGASCALE_DATA_CORPUS_H_

#include <algorithm>
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

// Tokens [begin, end) of a corpus or of one dataset.
struct TokenRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  [[nodiscard]] std::int64_t size() const noexcept { return end - begin; }
  bool operator==(const TokenRange&) const = default;
};

// Several indexed datasets, or a part of each, as one sequence of tokens in the given order. A
// position is a number of tokens, counted from the start of the first part. Thread safety:
// immutable after keep().
class Corpus {
 public:
  // All of every dataset. `prefixes` are paths without .bin and .idx. Throws Error: bad_usage if
  // the list is empty, and the errors of IndexedDataset and of read_dataset_info(), bad_input if two
  // sets are of different tokenizers.
  explicit Corpus(std::span<const std::string> prefixes);
  // Keeps only these tokens of each dataset. `parts` holds one range per dataset. A part that
  // begins inside a document counts as a document of its own. Call it before positions are used.
  void keep(std::vector<TokenRange> parts);
  [[nodiscard]] std::span<const IndexedDataset> sets() const noexcept { return datasets_; }
  [[nodiscard]] std::int64_t tokens() const noexcept { return starts_.back(); }
  // Returns the tokenizer of the first set that says which one made its ids.
  [[nodiscard]] const DatasetTokenizer& tokenizer() const noexcept { return tokenizer_; }
  // Returns the prefix of the first set whose documents are pairs for a training on preferences, or, with
  // `pairs` false, of the first one whose documents are none; empty if there is no such set.
  [[nodiscard]] std::string set_with(bool pairs) const;
  // Returns how many bytes of text a token stands for on average, or nothing if a set does not say,
  // or if it has a loss mask: the loss is then not that of the whole text.
  [[nodiscard]] std::optional<double> bytes_per_token() const noexcept;
  // Sets ids[i] to the token at position first + i. All positions must be in [0, tokens()). A token
  // that int32 cannot hold is read as -1. This function and those below throw the errors of
  // IndexedDataset if a file has changed.
  void read(std::int64_t first, std::span<std::int32_t> ids) const;
  // Whether a set says which of its tokens the loss counts.
  [[nodiscard]] bool has_loss_mask() const noexcept { return has_loss_mask_; }
  // Sets loss_mask[i] to 1 if the loss counts the token at position first + i, otherwise to 0. Of
  // sets without a loss mask it counts all tokens.
  void read_loss_mask(std::int64_t first, std::span<std::uint8_t> loss_mask) const;
  // Returns the token at a position, also if int32 cannot hold it.
  [[nodiscard]] std::int64_t token(std::int64_t position) const;
  // Returns whether every token that the types of the files can hold is an id from 0 to vocab_size
  // - 1, so that no token needs to be looked at.
  [[nodiscard]] bool fits_any_token(std::int64_t vocab_size) const noexcept;
  // Returns the place of a position for messages: "token 17 of PREFIX.bin, in document 3".
  [[nodiscard]] std::string describe(std::int64_t position) const;
  // Returns the position nearest to `position` at which a document begins, or the end of the
  // corpus. Only for a corpus of whole datasets. `group`: only every so many documents of a set count.
  [[nodiscard]] std::int64_t nearest_border(std::int64_t position, std::int64_t group = 1) const;

  // Calls visit(position) for each document that starts in [begin, end), in order. An empty
  // document starts at the same position as the document after it.
  template <class Visitor>
  void for_each_document_start(std::int64_t begin, std::int64_t end, Visitor&& visit) const {
    for (std::size_t i = dataset_of(begin); i < datasets_.size() && starts_[i] < end; ++i) {
      const DatasetIndex& index = datasets_[i].index();
      const TokenRange part = parts_[i];
      const std::int64_t from = std::max(part.begin, part.begin + begin - starts_[i]);
      std::int64_t document = index.first_document_from(from);
      const bool cut = from == part.begin && part.size() > 0 &&
                       (document == index.documents() || index.document_start(document) > from);
      if (cut) visit(starts_[i]);
      for (; document < index.documents() && index.document_start(document) < part.end;
           ++document) {
        const std::int64_t position = starts_[i] + index.document_start(document) - part.begin;
        if (position >= end) return;
        visit(position);
      }
    }
  }

 private:
  [[nodiscard]] std::size_t dataset_of(std::int64_t position) const noexcept;
  void add_info(const IndexedDataset& dataset);

  std::vector<IndexedDataset> datasets_;
  std::vector<TokenRange> parts_;        // of each dataset
  std::vector<std::int64_t> starts_{0};  // position of each part's first token; last: the end
  DatasetTokenizer tokenizer_;
  std::vector<bool> has_pairs_;  // of each dataset
  bool has_loss_mask_ = false;
  std::optional<std::int64_t> text_nbytes_ = 0;  // of all sets; absent if one does not say
};

enum class SplitAt : std::uint8_t {
  near_borders,  // at document borders that are near, otherwise inside a document
  borders,       // always at the nearest document border: no document is in two shares
  pairs,         // always at the nearest border between pairs of documents
};
// Cuts a corpus into the ranges of training, validation and test data. `shares` sum to 1 (see
// parse_split). A cut is moved to the nearest document border if the distance is at most a tenth of
// the smallest share above zero. Otherwise the cut stays inside a document, so that a corpus of one
// document can be split too. No share is therefore wrong by more than a fifth of itself.
[[nodiscard]] std::array<TokenRange, 3> split_corpus(const Corpus& corpus,
                                                     const std::array<double, 3>& shares,
                                                     SplitAt at = SplitAt::near_borders);
// Cuts one dataset in the same way.
[[nodiscard]] std::array<TokenRange, 3> split_dataset(const DatasetIndex& index,
                                                      const std::array<double, 3>& shares,
                                                      SplitAt at = SplitAt::near_borders);

}  // namespace megascale

#endif  // MEGASCALE_DATA_CORPUS_H_
