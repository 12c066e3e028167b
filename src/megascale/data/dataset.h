#ifndef MEGASCALE_DATA_DATASET_H_
#define MEGASCALE_DATA_DATASET_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "megascale/config/config.h"
#include "megascale/data/corpus.h"

// What a step trains on, as a pure function: (step, data rank, micro-batch) -> sample numbers ->
// tokens. No layout of ranks, no number of threads and no restart changes the samples of a step;
// nothing is cached on disk, and starting costs one pass over the .idx files.
namespace megascale {

enum class Split : std::uint8_t { train, validation, test };
[[nodiscard]] std::string_view to_string(Split split) noexcept;

struct DatasetOptions {
  std::int64_t seq_length = 0;  // tokens, >= 1
  std::int64_t vocab_size = 0;  // ids from 0 to vocab_size - 1 are accepted
  bool shuffle = false;
  bool packed_documents = false;
  std::uint64_t seed = 0;
  std::string name = "train";  // in messages, and the purpose of the shuffle's random numbers
};

// A micro-batch of `sequences` rows of seq_length, row-major. The caller owns the memory.
// `positions` and `segment_ids` may be empty when nothing needs them; the others hold sequences x
// seq_length elements.
struct Batch {
  std::span<std::int32_t> tokens;
  std::span<std::int32_t> targets;  // the next token; -1 where the loss leaves it out
  std::span<std::int32_t>
      positions;  // from 0 in each row, and with packed_documents in each document
  std::span<std::int32_t>
      segment_ids;  // 0, 1, ... per row: which document; all 0 without packed_documents
};

// Samples of seq_length tokens from a range of a corpus. Sample i of the range has the inputs [i L,
// (i + 1) L) and the targets shifted by one; a remainder of less than L + 1 tokens at the end is
// not used. Sample numbers are global and endless: number n is in epoch n / samples_per_epoch(),
// and each epoch is a permutation of its own. Thread safety: immutable after construction; fill()
// may run on several threads.
class Dataset {
 public:
  // Throws Error (bad_input) when the range holds no whole sample.
  Dataset(std::shared_ptr<const Corpus> corpus, TokenRange range, DatasetOptions options);
  [[nodiscard]] std::int64_t samples_per_epoch() const noexcept { return samples_; }
  [[nodiscard]] const DatasetOptions& options() const noexcept { return options_; }
  [[nodiscard]] TokenRange range() const noexcept { return range_; }
  // Where in the range sample `number` lies, in [0, samples_per_epoch()).
  [[nodiscard]] std::int64_t place_of(std::int64_t number) const noexcept;
  // Fills rows with samples first, first + 1, ... Allocates nothing. Throws Error (bad_input) for a
  // token outside of the vocabulary, naming sample, position and file.
  void fill(std::int64_t first, const Batch& batch) const;
  // Samples that fill() has filled, for all its callers together.
  [[nodiscard]] std::int64_t samples_read() const noexcept { return read_->load(); }
  // The rolling hash of what was trained on: of `previous` (0 before the first step) and the places
  // of the step's samples. Equal for every layout. 0.4 us per sample (measured).
  [[nodiscard]] std::uint64_t hash_samples(std::uint64_t previous, std::int64_t first,
                                           std::int64_t count) const noexcept;

 private:
  void mask_documents(std::int64_t begin, std::span<std::int32_t> targets,
                      std::span<std::int32_t> positions, std::span<std::int32_t> segment_ids) const;
  void check_ids(std::int64_t number, std::int64_t offset, std::span<const std::int32_t> ids) const;

  std::shared_ptr<const Corpus> corpus_;
  TokenRange range_;
  DatasetOptions options_;
  std::int64_t samples_ = 0;
  std::shared_ptr<std::atomic<std::int64_t>> read_ = std::make_shared<std::atomic<std::int64_t>>(0);
};

// Opens what `config` (resolved and valid) names. Throws Error: bad_usage when data_path is empty
// or the split has no such share, bad_input when the files are malformed or too short. Validation
// and test are never shuffled.
[[nodiscard]] Dataset open_dataset(const Config& config, Split split);

// Which samples of a step a rank takes.
struct StepSlot {
  std::int64_t step = 0;
  std::int64_t data_rank = 0;    // coordinate on the data axis
  std::int64_t micro_batch = 0;  // of this step
};
// The first of its micro_batch_size consecutive sample numbers. Step s has the numbers [s G, (s +
// 1) G), G = global_batch_size; within it micro-batch is outer and data rank inner, as in
// Megatron's sampler.
[[nodiscard]] std::int64_t first_sample(const Config& config, const StepSlot& slot) noexcept;

}  // namespace megascale

#endif  // MEGASCALE_DATA_DATASET_H_
