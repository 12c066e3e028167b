#ifndef MEGASCALE_DATA_DATASET_H_
#define MEGASCALE_DATA_DATASET_H_

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "megascale/config/config.h"
#include "megascale/data/blend_order.h"
#include "megascale/data/corpus.h"
#include "megascale/data/sample_stream.h"

// The samples of a step as a pure function: (step, data rank, micro-batch) -> sample numbers ->
// tokens. The samples of a step depend neither on the layout of ranks nor on the number of threads
// nor on restarts. Nothing is cached on disk, and the start of a run costs one pass over the .idx
// files.
namespace megascale {

enum class Split : std::uint8_t { train, validation, test };
[[nodiscard]] std::string_view to_string(Split split) noexcept;

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

// The samples of one stream, or of several that are blended by weights. Sample numbers are global and
// endless. BlendOrder says which stream a number belongs to. A stream whose samples are used up begins
// its next epoch by itself, so it repeats no sample before all of its samples were used. Thread
// safety: immutable after construction; several threads may call fill().
class Dataset {
 public:
  // Without a blend. Throws the errors of SampleStream.
  Dataset(std::shared_ptr<const Corpus> corpus, TokenRange range, DatasetOptions options);
  // A blend: one weight per stream, as BlendOrder takes them. The options of all streams are equal but
  // for the purposes of their shuffles. Throws Error (bad_input) if two streams are of different
  // tokenizers, or if their files hold ids of different types.
  Dataset(std::vector<SampleStream> streams, std::span<const double> weights);

  // Returns the same data without a shuffle: sample number i is the one at place i.
  [[nodiscard]] Dataset in_order() const;

  [[nodiscard]] std::span<const SampleStream> streams() const noexcept { return streams_; }
  [[nodiscard]] const BlendOrder& order() const noexcept { return order_; }
  // Of the first stream.
  [[nodiscard]] const DatasetOptions& options() const noexcept { return streams_[0].options(); }
  // Returns the largest number of samples, from number 0 on, of which none is repeated.
  [[nodiscard]] std::int64_t samples_per_epoch() const noexcept;
  // Returns the tokenizer of the first set that says which one made its ids.
  [[nodiscard]] const DatasetTokenizer& tokenizer() const noexcept { return tokenizer_; }
  // Returns how many bytes of text a token stands for, in the mean over the samples; nothing if a set
  // does not say (Corpus::bytes_per_token).
  [[nodiscard]] std::optional<double> bytes_per_token() const noexcept;
  // Returns the tokens of samples number first to first + count - 1, without padding.
  [[nodiscard]] std::int64_t tokens_of(std::int64_t first, std::int64_t count) const noexcept;
  // Returns the tokens of all samples before number `number`. With whole_documents its time grows
  // with the samples of the last epochs that have begun, 0.4 us each.
  [[nodiscard]] std::int64_t tokens_before(std::int64_t number) const noexcept;
  // Returns the place of sample `number` among the samples of all streams, of which those of the first
  // stream come first.
  [[nodiscard]] std::int64_t place_of(std::int64_t number) const noexcept;
  // Fills the rows of `batch` with samples number first, first + 1, ... Allocates nothing. Throws
  // Error (bad_input) for a token outside of the vocabulary; the message names sample, position and
  // file.
  void fill(std::int64_t first, const Batch& batch) const;
  // Reads the first `most` tokens of the range of each stream, in the order of the files, and throws
  // Error (bad_input) if one is outside of the vocabulary. The message names file, document, position
  // and id. It reads about a gigabyte a second, and nothing if the types of the files hold no such
  // token.
  void require_known_tokens(std::int64_t most = std::numeric_limits<std::int64_t>::max()) const;
  // Returns the number of samples that all calls of fill() have read, on this object and its
  // copies.
  [[nodiscard]] std::int64_t samples_read() const noexcept { return read_->load(); }
  // Returns a rolling hash of the samples that a run has trained on. It combines `previous` (the
  // hash after the step before; 0 before the first step) with the places of the `count` samples
  // from number `first` on. The hash is equal for every layout. It costs 0.4 us per sample
  // (measured), and in a blend the time of BlendOrder::place_of().
  [[nodiscard]] std::uint64_t hash_samples(std::uint64_t previous, std::int64_t first,
                                           std::int64_t count) const noexcept;

 private:
  void require_like_streams();

  std::vector<SampleStream> streams_;
  std::vector<std::int64_t> first_places_;  // of each stream
  BlendOrder order_;
  DatasetTokenizer tokenizer_;
  std::shared_ptr<std::atomic<std::int64_t>> read_ = std::make_shared<std::atomic<std::int64_t>>(0);
};

// Opens the data set that `config` names for `split`. `config` must be resolved and valid. Of
// several sets, data.split cuts each one (or, with data.split_each_set = false, all of them as one).
// With data.data_weights the sets are blended, otherwise they are read one after the other.
// Validation and test data are never shuffled. Throws Error: bad_usage if data_path is empty or
// data.split has no such share, io if a file cannot be read, bad_input if a file is malformed or
// too short.
[[nodiscard]] Dataset open_dataset(const Config& config, Split split);

struct NamedDataset {
  std::string name;  // in data.validation_sets; empty: the validation set without a name
  Dataset data;
};
// Opens all sets that an evaluation reads: that without a name first, if there is one, then
// data.validation_sets. Throws the errors of open_dataset().
[[nodiscard]] std::vector<NamedDataset> open_validation(const Config& config);

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
