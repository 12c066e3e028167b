#ifndef MEGASCALE_DATA_DATASET_H_
#define MEGASCALE_DATA_DATASET_H_

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "megascale/config/config.h"
#include "megascale/data/corpus.h"
#include "megascale/data/packing.h"

// The samples of a step as a pure function: (step, data rank, micro-batch) -> sample numbers ->
// tokens. The samples of a step depend neither on the layout of ranks nor on the number of threads
// nor on restarts. Nothing is cached on disk, and the start of a run costs one pass over the .idx
// files.
namespace megascale {

enum class Split : std::uint8_t { train, validation, test };
[[nodiscard]] std::string_view to_string(Split split) noexcept;

struct DatasetOptions {
  std::int64_t seq_length = 0;  // tokens, >= 1
  std::int64_t vocab_size = 0;  // ids from 0 to vocab_size - 1 are accepted
  bool shuffle = false;
  bool packed_documents = false;
  bool whole_documents = false;  // samples as DocumentPacking has them; only with packed_documents
  std::uint64_t seed = 0;
  std::string name =
      "train";  // used in messages, and as the purpose of the shuffle's random stream
};

// The memory of a micro-batch, which the caller owns. Every span holds sequences x seq_length
// elements, row-major, one row for each sequence. `positions` and `segment_ids` may be empty if the
// model does not need them.
struct Batch {
  std::span<std::int32_t> tokens;
  // The next token; -1: the loss leaves it out, since its document's loss mask or a border says so.
  std::span<std::int32_t> targets;
  // Positions count from 0 in each row; with packed_documents they restart in each document.
  std::span<std::int32_t> positions;
  // Number of the document in its row: 0, 1, ...; all 0 without packed_documents.
  std::span<std::int32_t> segment_ids;
};

// Samples of L = seq_length tokens from a range of a corpus. The sample at place i of the range has
// the tokens [i L, (i + 1) L) as inputs and the tokens [i L + 1, (i + 1) L + 1) as targets. Tokens
// after the last whole sample are not used. With whole_documents it has the documents that
// DocumentPacking gives to sample i, and then padding: token 0, target -1, a segment of its own.
// Sample numbers are global and endless: number n belongs to epoch n / samples_per_epoch(), and
// every epoch has its own permutation. Thread safety: immutable after construction; several threads
// may call fill().
class Dataset {
 public:
  // Throws Error (bad_input) if the range is shorter than one sample, or, with whole_documents, if no
  // document has a target. With a loss mask whole_documents reads all of it once: documents of which
  // the loss counts nothing are left out, so every sample has a target.
  Dataset(std::shared_ptr<const Corpus> corpus, TokenRange range, DatasetOptions options);
  [[nodiscard]] std::int64_t samples_per_epoch() const noexcept { return samples_; }
  [[nodiscard]] const DatasetOptions& options() const noexcept { return options_; }
  [[nodiscard]] TokenRange range() const noexcept { return range_; }
  [[nodiscard]] const Corpus& corpus() const noexcept { return *corpus_; }
  // Those of the corpus.
  [[nodiscard]] const DatasetTokenizer& tokenizer() const noexcept { return corpus_->tokenizer(); }
  [[nodiscard]] std::optional<double> bytes_per_token() const noexcept {
    return corpus_->bytes_per_token();
  }
  // Returns how the documents are packed; null without whole_documents.
  [[nodiscard]] const DocumentPacking* packing() const noexcept { return packing_.get(); }
  // Returns the tokens of samples number first to first + count - 1, without padding.
  [[nodiscard]] std::int64_t tokens_of(std::int64_t first, std::int64_t count) const noexcept;
  // Returns the tokens of all samples before number `number`. With whole_documents its time grows
  // with the samples of the last epoch that has begun, 0.4 us each.
  [[nodiscard]] std::int64_t tokens_before(std::int64_t number) const noexcept;
  // Returns the place of sample `number` in the range, in [0, samples_per_epoch()).
  [[nodiscard]] std::int64_t place_of(std::int64_t number) const noexcept;
  // Fills the rows of `batch` with samples number first, first + 1, ... Allocates nothing. Throws
  // Error (bad_input) for a token outside of the vocabulary; the message names sample, position and
  // file.
  void fill(std::int64_t first, const Batch& batch) const;
  // Reads the first `most` tokens of the range, in the order of the files, and throws Error
  // (bad_input) if one is outside of the vocabulary. The message names file, document, position and
  // id. It reads about a gigabyte a second, and nothing if the types of the files hold no such
  // token.
  void require_known_tokens(std::int64_t most = std::numeric_limits<std::int64_t>::max()) const;
  // Returns the number of samples that all calls of fill() have read, on this object and its
  // copies.
  [[nodiscard]] std::int64_t samples_read() const noexcept { return read_->load(); }
  // Returns a rolling hash of the samples that a run has trained on. It combines `previous` (the
  // hash after the step before; 0 before the first step) with the places of the `count` samples
  // from number `first` on. The hash is equal for every layout. It costs 0.4 us per sample
  // (measured).
  [[nodiscard]] std::uint64_t hash_samples(std::uint64_t previous, std::int64_t first,
                                           std::int64_t count) const noexcept;

 private:
  // One row of a batch. `positions` and `segment_ids` may be empty.
  struct Row {
    std::span<std::int32_t> tokens, targets, positions, segment_ids;
  };
  void fill_stream(std::int64_t number, const Row& row) const;
  void fill_packed(std::int64_t number, const Row& row) const;
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
  std::shared_ptr<std::atomic<std::int64_t>> read_ = std::make_shared<std::atomic<std::int64_t>>(0);
};

// Opens the data set that `config` names for `split`. `config` must be resolved and valid. Of
// several sets, data.split cuts each one (or, with data.split_each_set = false, all of them as one).
// Validation and test data are never shuffled. Throws Error: bad_usage if data_path is empty or
// data.split has no such share, io if a file cannot be read, bad_input if a file is malformed or
// too short.
[[nodiscard]] Dataset open_dataset(const Config& config, Split split);

// Identifies the samples of one micro-batch of one rank.
struct StepSlot {
  std::int64_t step = 0;
  std::int64_t data_rank = 0;    // coordinate on the data axis
  std::int64_t micro_batch = 0;  // of this step
};
// Returns the first of the micro_batch_size consecutive sample numbers of a slot. With G =
// global_batch_size, step s has the numbers [s G, (s + 1) G). Within a step they are ordered by
// micro-batch first and data rank second, as in Megatron's sampler.
[[nodiscard]] std::int64_t first_sample(const Config& config, const StepSlot& slot) noexcept;

}  // namespace megascale

#endif  // MEGASCALE_DATA_DATASET_H_
