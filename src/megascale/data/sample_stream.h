#ifndef MEGASCALE_DATA_SAMPLE_STREAM_H_
#define MEGASCALE_DATA_SAMPLE_STREAM_H_

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>

#include "megascale/data/corpus.h"
#include "megascale/data/packing.h"

namespace megascale {

struct DatasetOptions {
  std::int64_t seq_length = 0;  // tokens, >= 1
  std::int64_t vocab_size = 0;  // ids from 0 to vocab_size - 1 are accepted
  bool shuffle = false;
  bool packed_documents = false;
  bool whole_documents = false;  // samples as DocumentPacking has them; only with packed_documents
  // Each sample is one document of a pair: see DocumentPacking::of_pairs(). Without the two options above.
  bool pairs = false;
  std::uint64_t seed = 0;
  std::string name = "train";  // used in messages
  // The purpose of the shuffle's random stream; empty: `name`. Each stream of a blend has its own.
  std::string shuffle_purpose;
};

// One row of a batch: seq_length elements each. `positions` and `segment_ids` may be empty. See Batch
// in dataset.h.
struct SampleRow {
  std::span<std::int32_t> tokens, targets, positions, segment_ids;
};

// Samples of L = seq_length tokens from a range of a corpus. The sample at place i of the range has
// the tokens [i L, (i + 1) L) as inputs and the tokens [i L + 1, (i + 1) L + 1) as targets. Tokens
// after the last whole sample are not used. With whole_documents it has the documents that
// DocumentPacking gives to sample i, and then padding: token 0, target -1, a segment of its own.
// With pairs it has document i of those that are not left out, and padding. The samples 2n and 2n + 1 are then
// always those of one pair, chosen and rejected: the permutation is one of pairs.
// Sample numbers are endless: number n belongs to epoch n / samples(), and every epoch has its own
// permutation. Thread safety: immutable after construction; several threads may call fill().
class SampleStream {
 public:
  // Throws Error (bad_input) if the range is shorter than one sample, or, with whole_documents, if no
  // document has a target. With a loss mask whole_documents reads all of it once: documents of which
  // the loss counts nothing are left out, so every sample has a target.
  SampleStream(std::shared_ptr<const Corpus> corpus, TokenRange range, DatasetOptions options);
  [[nodiscard]] std::int64_t samples() const noexcept { return samples_; }  // of an epoch
  // Returns the same samples without a shuffle.
  [[nodiscard]] SampleStream in_order() const;
  [[nodiscard]] const DatasetOptions& options() const noexcept { return options_; }
  [[nodiscard]] TokenRange range() const noexcept { return range_; }
  [[nodiscard]] const Corpus& corpus() const noexcept { return *corpus_; }
  // Returns how the documents are packed; null without whole_documents and pairs.
  [[nodiscard]] const DocumentPacking* packing() const noexcept { return packing_.get(); }
  // Returns the tokens of sample `number`, without padding.
  [[nodiscard]] std::int64_t tokens_of(std::int64_t number) const noexcept;
  // Returns the tokens of all samples before number `number`. With whole_documents its time grows
  // with the samples of the last epoch that has begun, 0.4 us each.
  [[nodiscard]] std::int64_t tokens_before(std::int64_t number) const noexcept;
  // Returns the place of sample `number` in the range, in [0, samples()).
  [[nodiscard]] std::int64_t place_of(std::int64_t number) const noexcept;
  // Fills a row with sample `number`. Allocates nothing. Throws Error (bad_input) for a token outside
  // of the vocabulary; the message names sample, position and file.
  void fill(std::int64_t number, const SampleRow& row) const;
  // See Dataset::require_known_tokens().
  void require_known_tokens(std::int64_t most = std::numeric_limits<std::int64_t>::max()) const;

 private:
  void fill_stream(std::int64_t number, const SampleRow& row) const;
  void fill_packed(std::int64_t number, const SampleRow& row) const;
  void mask_documents(std::int64_t begin, std::span<std::int32_t> targets,
                      std::span<std::int32_t> positions, std::span<std::int32_t> segment_ids) const;
  // Sets the targets that the loss mask of the corpus leaves out to -1. `begin` is the position of
  // the first input.
  void leave_out(std::int64_t begin, std::span<std::int32_t> targets) const;
  // Checks that all `ids` are in the vocabulary. They are those from `position` of the corpus on, and
  // tokens of sample `number` from `offset` on; both are used in the message only.
  void check_ids(std::int64_t number, std::int64_t offset, std::int64_t position,
                 std::span<const std::int32_t> ids) const;

  std::shared_ptr<const Corpus> corpus_;
  TokenRange range_;
  DatasetOptions options_;
  std::int64_t samples_ = 0;
  std::shared_ptr<const DocumentPacking> packing_;
};

}  // namespace megascale

#endif  // MEGASCALE_DATA_SAMPLE_STREAM_H_
