// Computes samples from a corpus. The sample number gives an epoch and an index; a permutation of
// the epoch gives the sample's place in the range, and the place gives its tokens. Nothing is
// stored per sample, so the start of a run costs nothing per sample and every rank finds its own
// samples. Packed documents are found by binary search in the index of documents.
#include "megascale/data/dataset.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "megascale/base/digest.h"
#include "megascale/base/error.h"
#include "megascale/config/derived.h"
#include "megascale/data/permutation.h"

namespace megascale {

std::string_view to_string(Split split) noexcept {
  switch (split) {
    case Split::train:
      return "train";
    case Split::validation:
      return "validation";
    case Split::test:
      return "test";
  }
  return "?";
}

Dataset::Dataset(std::shared_ptr<const Corpus> corpus, TokenRange range, DatasetOptions options)
    : corpus_(std::move(corpus)), range_(range), options_(std::move(options)) {
  MEGASCALE_CHECK(options_.seq_length >= 1 && range.begin >= 0 && range.end <= corpus_->tokens(),
                  "a range of the corpus");
  samples_ = std::max<std::int64_t>(0, range_.size() - 1) / options_.seq_length;
  if (samples_ == 0) {
    throw Error(ErrorCode::bad_input, fmt::format("{} data: expected at least seq_length + 1 = {} "
                                                  "tokens for one sample, found {} of {} in all",
                                                  options_.name, options_.seq_length + 1,
                                                  range_.size(), corpus_->tokens()));
  }
}

std::int64_t Dataset::place_of(std::int64_t number) const noexcept {
  const std::int64_t epoch = number / samples_, index = number % samples_;
  if (!options_.shuffle) return index;
  return Permutation(samples_, options_.seed, options_.name,
                     static_cast<std::uint64_t>(epoch))(index);
}

void Dataset::require_known_tokens(std::int64_t most) const {
  if (corpus_->fits_any_token(options_.vocab_size)) return;
  constexpr std::int64_t kAtOnce = 1 << 16;
  std::vector<std::int32_t> ids(kAtOnce);
  const std::int64_t end = range_.begin + std::min(range_.size(), most);
  for (std::int64_t begin = range_.begin; begin < end; begin += kAtOnce) {
    const auto here =
        std::span(ids).first(static_cast<std::size_t>(std::min(kAtOnce, end - begin)));
    corpus_->read(begin, here);
    std::uint32_t largest = 0;  // a negative id counts as a large one
    for (const std::int32_t id : here) largest = std::max(largest, static_cast<std::uint32_t>(id));
    if (largest < static_cast<std::uint32_t>(options_.vocab_size)) continue;
    const auto wrong = std::find_if(here.begin(), here.end(), [&](std::int32_t id) {
      return static_cast<std::uint32_t>(id) >= static_cast<std::uint32_t>(options_.vocab_size);
    });
    const std::int64_t position = begin + (wrong - here.begin());
    throw Error(ErrorCode::bad_input,
                fmt::format("{} data: {}: expected a token id from 0 to {} (model.vocab_size = "
                            "{}), found {}; the data was made with another tokenizer",
                            options_.name, corpus_->describe(position), options_.vocab_size - 1,
                            options_.vocab_size, corpus_->token(position)));
  }
}

// Checks that all `ids` are in the vocabulary. They are the ids of sample `number`, from its token
// number `offset` on; both are used in the message only.
void Dataset::check_ids(std::int64_t number, std::int64_t offset,
                        std::span<const std::int32_t> ids) const {
  const auto vocab_size = static_cast<std::uint32_t>(options_.vocab_size);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (static_cast<std::uint32_t>(ids[i]) < vocab_size) [[likely]]
      continue;
    const std::int64_t in_sample = offset + static_cast<std::int64_t>(i);
    const std::int64_t position = range_.begin + place_of(number) * options_.seq_length + in_sample;
    throw Error(
        ErrorCode::bad_input,
        fmt::format(
            "{} data: sample {}, position {} ({}): expected a token id from 0 to {}, found {}",
            options_.name, number, in_sample, corpus_->describe(position), options_.vocab_size - 1,
            corpus_->token(position)));
  }
}

void Dataset::mask_documents(std::int64_t begin, std::span<std::int32_t> targets,
                             std::span<std::int32_t> positions,
                             std::span<std::int32_t> segment_ids) const {
  const auto length = static_cast<std::int64_t>(targets.size());
  std::int64_t row_start = begin;  // position at which the current document starts in this row
  std::int32_t segment = 0;
  const auto finish_until = [&](std::int64_t end) {
    const auto from = static_cast<std::size_t>(row_start - begin),
               to = static_cast<std::size_t>(end - begin);
    if (!positions.empty()) std::iota(positions.begin() + from, positions.begin() + to, 0);
    if (!segment_ids.empty()) {
      std::fill(segment_ids.begin() + from, segment_ids.begin() + to, segment);
    }
  };
  // The range includes the token after the row, since it is the target of the row's last token. If
  // a document begins there, that target must be left out.
  corpus_->for_each_document_start(begin + 1, begin + length + 1, [&](std::int64_t start) {
    targets[static_cast<std::size_t>(start - begin - 1)] = -1;
    const bool is_empty = start == row_start, is_past_the_row = start == begin + length;
    if (is_empty || is_past_the_row) return;
    finish_until(start);
    row_start = start;
    ++segment;
  });
  finish_until(begin + length);
}

void Dataset::fill(std::int64_t first, const Batch& batch) const {
  const auto length = static_cast<std::size_t>(options_.seq_length);
  MEGASCALE_CHECK(
      batch.tokens.size() % length == 0 && batch.targets.size() == batch.tokens.size() &&
          (batch.positions.empty() || batch.positions.size() == batch.tokens.size()) &&
          (batch.segment_ids.empty() || batch.segment_ids.size() == batch.tokens.size()),
      "spans of a batch hold sequences x seq_length elements");
  const auto row_of = [&](std::span<std::int32_t> all, std::size_t row) {
    return all.empty() ? all : all.subspan(row * length, length);
  };
  read_->fetch_add(static_cast<std::int64_t>(batch.tokens.size() / length),
                   std::memory_order_relaxed);
  for (std::size_t row = 0; row < batch.tokens.size() / length; ++row) {
    const std::int64_t number = first + static_cast<std::int64_t>(row);
    const std::int64_t begin = range_.begin + place_of(number) * options_.seq_length;
    const auto tokens = row_of(batch.tokens, row), targets = row_of(batch.targets, row);
    const auto positions = row_of(batch.positions, row),
               segment_ids = row_of(batch.segment_ids, row);
    corpus_->read(begin, tokens);
    check_ids(number, 0, tokens);
    std::copy(tokens.begin() + 1, tokens.end(), targets.begin());
    corpus_->read(begin + options_.seq_length, targets.last(1));
    check_ids(number, options_.seq_length, targets.last(1));
    if (options_.packed_documents) {
      mask_documents(begin, targets, positions, segment_ids);
    } else {
      std::iota(positions.begin(), positions.end(), 0);
      std::fill(segment_ids.begin(), segment_ids.end(), 0);
    }
  }
}

std::uint64_t Dataset::hash_samples(std::uint64_t previous, std::int64_t first,
                                    std::int64_t count) const noexcept {
  for (std::int64_t number = first; number < first + count; ++number) {
    const std::array<std::uint64_t, 2> link{previous, static_cast<std::uint64_t>(place_of(number))};
    previous = digest64(std::as_bytes(std::span(link)));
  }
  return previous;
}

namespace {

// Reduces the corpus to one of the three shares, and returns the range of this share in it.
TokenRange take_share(Corpus& corpus, const std::array<double, 3>& shares, std::size_t share,
                      bool of_each_set) {
  if (!of_each_set || corpus.sets().size() == 1) return split_corpus(corpus, shares)[share];
  std::vector<TokenRange> parts;
  for (const IndexedDataset& set : corpus.sets())
    parts.push_back(split_dataset(set.index(), shares)[share]);
  corpus.keep(std::move(parts));
  return {0, corpus.tokens()};
}

}  // namespace

Dataset open_dataset(const Config& config, Split split) {
  const bool has_own_validation = !config.data.valid_data_path.empty();
  const bool from_validation = has_own_validation && split == Split::validation;
  const auto corpus = from_validation
                          ? std::make_shared<Corpus>(std::span(&config.data.valid_data_path, 1))
                          : std::make_shared<Corpus>(config.data.data_path);
  TokenRange range;
  if (!has_own_validation) {
    const auto shares = parse_split(config.data.split);
    MEGASCALE_CHECK(shares.has_value(), "validate() has accepted data.split");
    range =
        take_share(*corpus, *shares, static_cast<std::size_t>(split), config.data.split_each_set);
  } else if (split != Split::test) {
    range = {0, corpus->tokens()};
  }
  if (range.size() == 0) {
    throw Error(ErrorCode::bad_usage,
                fmt::format("data.split: expected a share of {} data, found \"{}\"{}",
                            to_string(split), config.data.split,
                            has_own_validation ? ", which valid_data_path replaces" : ""));
  }
  return {corpus, range,
          DatasetOptions{.seq_length = config.model.seq_length,
                         .vocab_size = config.model.vocab_size,
                         .shuffle = config.data.shuffle && split == Split::train,
                         .packed_documents = config.data.packed_documents,
                         .seed = static_cast<std::uint64_t>(config.data.seed),
                         .name = std::string(to_string(split))}};
}

std::int64_t first_sample(const Config& config, const StepSlot& slot) noexcept {
  const std::int64_t in_step = slot.micro_batch * data_parallel_size(config) + slot.data_rank;
  return slot.step * config.train.global_batch_size + in_step * config.train.micro_batch_size;
}

}  // namespace megascale
