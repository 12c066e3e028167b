#ifndef MEGASCALE_DATA_PACKING_H_
#define MEGASCALE_DATA_PACKING_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <span>
#include <vector>

#include "megascale/data/corpus.h"

namespace megascale {

// Divides documents among samples such that each document lies in one sample as a whole. A document
// of n tokens takes n - 1 positions: its last token is a target only. A longer document than a
// sample has room for is cut to the sample's size. Best fit decreasing: the longest document comes
// first, each goes to the sample in which the least room is left over. The result depends on the
// arguments alone. Memory: 16 bytes for each document. Thread safety: immutable after construction.
class DocumentPacking {
 public:
  struct Part {
    std::int64_t begin = 0;      // position of its first token in the corpus
    std::int64_t positions = 0;  // inputs in the sample, >= 1; the targets are one token later
  };

  // `documents` are their tokens, in rising order. Left out are documents of less than two tokens,
  // which have no target, and those for which `has_target` returns false; it is called in their
  // order and may be empty. `seq_length`: positions of a sample, >= 1.
  DocumentPacking(std::span<const TokenRange> documents, std::int64_t seq_length,
                  const std::function<bool(const Part&)>& has_target = {});

  // The documents one by one: documents 2i and 2i + 1 are a pair. Each has a sample of its own, so the samples
  // of pair i are numbers 2i and 2i + 1. A pair is left out as a whole if one of its documents would be.
  // Throws Error (bad_input) for an odd number of documents.
  [[nodiscard]] static DocumentPacking of_pairs(
      std::span<const TokenRange> documents, std::int64_t seq_length,
      const std::function<bool(const Part&)>& has_target = {});

  // Samples are ordered by their first documents, and the documents of a sample by their place.
  [[nodiscard]] std::int64_t samples() const noexcept { return std::ssize(starts_) - 1; }
  [[nodiscard]] std::span<const Part> parts_of(std::int64_t sample) const noexcept {
    const auto at = static_cast<std::size_t>(sample);
    return std::span(parts_).subspan(starts_[at], starts_[at + 1] - starts_[at]);
  }
  // Returns the positions of all samples that a document takes; the others are padding.
  [[nodiscard]] std::int64_t positions() const noexcept { return positions_; }
  // Return how many documents were cut, and how many documents (of_pairs(): pairs) were left out.
  [[nodiscard]] std::int64_t cut() const noexcept { return cut_; }
  [[nodiscard]] std::int64_t left_out() const noexcept { return left_out_; }

 private:
  DocumentPacking() = default;
  std::vector<Part> parts_;          // of all samples
  std::vector<std::size_t> starts_;  // of each sample in parts_; last: the end
  std::int64_t positions_ = 0, cut_ = 0, left_out_ = 0;
};

}  // namespace megascale

#endif  // MEGASCALE_DATA_PACKING_H_
