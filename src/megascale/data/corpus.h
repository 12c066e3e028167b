#ifndef MEGASCALE_DATA_CORPUS_H_
#define MEGASCALE_DATA_CORPUS_H_

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "megascale/data/indexed_dataset.h"

namespace megascale {

// Several indexed datasets as one run of tokens, in the order given. Positions are tokens from the
// start of the first. Thread safety: immutable after construction.
class Corpus {
 public:
  // Throws Error: bad_usage without prefixes, and what IndexedDataset throws.
  explicit Corpus(std::span<const std::string> prefixes);
  [[nodiscard]] std::int64_t tokens() const noexcept { return starts_.back(); }
  [[nodiscard]] std::int64_t documents() const noexcept;
  // ids[i] = token number first + i, within [0, tokens()); a token that int32 cannot hold reads as
  // -1.
  void read(std::int64_t first, std::span<std::int32_t> ids) const noexcept;
  // The token at a position, whatever its size.
  [[nodiscard]] std::int64_t token(std::int64_t position) const noexcept;
  // "token 17 of PREFIX.bin", for messages.
  [[nodiscard]] std::string describe(std::int64_t position) const;
  // The nearest position at which a document begins, or the end of the corpus.
  [[nodiscard]] std::int64_t nearest_border(std::int64_t position) const noexcept;

  // Calls visit(position) for each document that starts in [begin, end), in order. Empty documents
  // repeat a position.
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

  std::vector<IndexedDataset> datasets_;
  std::vector<std::int64_t> starts_{0};  // of each dataset, and the end
};

struct TokenRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  [[nodiscard]] std::int64_t size() const noexcept { return end - begin; }
  bool operator==(const TokenRange&) const = default;
};

// Cuts a corpus into train, validation and test by shares that sum to 1 (parse_split). A cut falls
// on the nearest document border if that is no further from the exact place than a tenth of the
// smallest share above zero, else inside a document: a corpus of one document can be split too, and
// no share is off by more than a fifth.
[[nodiscard]] std::array<TokenRange, 3> split_corpus(const Corpus& corpus,
                                                     const std::array<double, 3>& shares);

}  // namespace megascale

#endif  // MEGASCALE_DATA_CORPUS_H_
