// Finds the stream and the number in it of every sample, and lets the stream do the rest.
#include "megascale/data/dataset.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "megascale/base/digest.h"
#include "megascale/base/error.h"
#include "megascale/config/derived.h"
#include "megascale/data/tokenizer_files.h"

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

namespace {

constexpr std::array kNoBlend{1.0};

std::vector<SampleStream> one_stream(std::shared_ptr<const Corpus> corpus, TokenRange range,
                                     DatasetOptions options) {
  std::vector<SampleStream> streams;
  streams.emplace_back(std::move(corpus), range, std::move(options));
  return streams;
}

}  // namespace

Dataset::Dataset(std::shared_ptr<const Corpus> corpus, TokenRange range, DatasetOptions options)
    : Dataset(one_stream(std::move(corpus), range, std::move(options)), kNoBlend) {}

Dataset::Dataset(std::vector<SampleStream> streams, std::span<const double> weights)
    : streams_(std::move(streams)), order_(weights) {
  MEGASCALE_CHECK(streams_.size() == order_.sources(), "one weight per stream");
  std::int64_t place = 0;
  for (const SampleStream& stream : streams_) {
    first_places_.push_back(place);
    place += stream.samples();
  }
  require_like_streams();
}

void Dataset::require_like_streams() {
  const auto first_set = [](const SampleStream& stream) -> const IndexedDataset& {
    return stream.corpus().sets()[0];
  };
  for (const SampleStream& stream : streams_) {
    const DatasetTokenizer& tokenizer = stream.corpus().tokenizer();
    if (!tokenizer_.record) {
      tokenizer_ = tokenizer;
    } else if (tokenizer.record) {
      require_same_tokenizer(*tokenizer_.record, tokenizer_.prefix, *tokenizer.record,
                             tokenizer.prefix,
                             "a blend needs sets of one tokenizer: prepare one of them again");
    }
    // Not every set says which tokenizer made it. Ids of another type are then the only sign.
    const IndexedDataset &a = first_set(streams_[0]), &b = first_set(stream);
    if (a.index().token_type() == b.index().token_type()) continue;
    throw Error(
        ErrorCode::bad_input,
        fmt::format(
            "expected the sets of a blend to hold ids of one type, found {} in {} and {} in "
            "{}: they were made with different tokenizers or programs; prepare one of them "
            "again",
            to_string(a.index().token_type()), a.prefix(), to_string(b.index().token_type()),
            b.prefix()));
  }
}

Dataset Dataset::in_order() const {
  MEGASCALE_CHECK(streams_.size() == 1, "places are in the order of one stream");
  Dataset same = *this;
  same.streams_[0] = streams_[0].in_order();
  return same;
}

std::int64_t Dataset::samples_per_epoch() const noexcept {
  std::int64_t samples = std::numeric_limits<std::int64_t>::max();
  for (std::size_t s = 0; s < streams_.size(); ++s)
    samples = std::min(samples, order_.number_of({s, streams_[s].samples()}));
  return samples;
}

std::optional<double> Dataset::bytes_per_token() const noexcept {
  double bytes = 0, tokens = 0;  // of a sample, in the mean
  for (std::size_t s = 0; s < streams_.size(); ++s) {
    const auto of_stream = streams_[s].corpus().bytes_per_token();
    if (!of_stream) return std::nullopt;
    const auto samples = static_cast<double>(streams_[s].samples());
    const double tokens_of_sample =
        static_cast<double>(streams_[s].tokens_before(streams_[s].samples())) / samples;
    tokens += order_.share(s) * tokens_of_sample;
    bytes += order_.share(s) * tokens_of_sample * *of_stream;
  }
  return bytes / tokens;
}

std::int64_t Dataset::tokens_of(std::int64_t first, std::int64_t count) const noexcept {
  if (streams_[0].packing() == nullptr) return count * options().seq_length;
  std::int64_t tokens = 0;
  for (std::int64_t number = first; number < first + count; ++number) {
    const BlendOrder::Place place = order_.place_of(number);
    tokens += streams_[place.source].tokens_of(place.number);
  }
  return tokens;
}

std::int64_t Dataset::tokens_before(std::int64_t number) const noexcept {
  std::int64_t tokens = 0;
  for (std::size_t s = 0; s < streams_.size(); ++s)
    tokens += streams_[s].tokens_before(order_.count_before(number, s));
  return tokens;
}

std::int64_t Dataset::place_of(std::int64_t number) const noexcept {
  const BlendOrder::Place place = order_.place_of(number);
  return first_places_[place.source] + streams_[place.source].place_of(place.number);
}

void Dataset::fill(std::int64_t first, const Batch& batch) const {
  const auto length = static_cast<std::size_t>(options().seq_length);
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
    const BlendOrder::Place place = order_.place_of(first + static_cast<std::int64_t>(row));
    streams_[place.source].fill(place.number,
                                {row_of(batch.tokens, row), row_of(batch.targets, row),
                                 row_of(batch.positions, row), row_of(batch.segment_ids, row)});
  }
}

void Dataset::require_known_tokens(std::int64_t most) const {
  for (const SampleStream& stream : streams_) stream.require_known_tokens(most);
}

std::uint64_t Dataset::hash_samples(std::uint64_t previous, std::int64_t first,
                                    std::int64_t count) const noexcept {
  for (std::int64_t number = first; number < first + count; ++number) {
    const std::array<std::uint64_t, 2> link{previous, static_cast<std::uint64_t>(place_of(number))};
    previous = digest64(std::as_bytes(std::span(link)));
  }
  return previous;
}

std::int64_t first_sample(const Config& config, const StepSlot& slot) noexcept {
  const std::int64_t in_step = slot.micro_batch * data_parallel_size(config) + slot.data_rank;
  return slot.step * config.train.global_batch_size + in_step * config.train.micro_batch_size;
}

}  // namespace megascale
