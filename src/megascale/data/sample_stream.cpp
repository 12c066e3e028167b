// Computes samples from a corpus. The sample number gives an epoch and an index; a permutation of
// the epoch gives the sample's place in the range, and the place gives its tokens. Nothing is
// stored per sample, so the start of a run costs nothing per sample and every rank finds its own
// samples. Packed documents are found by binary search in the index of documents. Whole documents
// are packed once, when the data set is opened (packing.h).
#include "megascale/data/sample_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "megascale/base/error.h"
#include "megascale/data/permutation.h"

namespace megascale {

namespace {

std::shared_ptr<const DocumentPacking> pack_documents(const Corpus& corpus, TokenRange range,
                                                      const DatasetOptions& options) {
  std::vector<TokenRange> documents{{range.begin, range.end}};
  corpus.for_each_document_start(range.begin + 1, range.end, [&](std::int64_t start) {
    documents.back().end = start;
    documents.push_back({start, range.end});
  });
  const auto pack = [&](const std::function<bool(const DocumentPacking::Part&)>& has_target) {
    return std::make_shared<const DocumentPacking>(
        options.pairs ? DocumentPacking::of_pairs(documents, options.seq_length, has_target)
                      : DocumentPacking(documents, options.seq_length, has_target));
  };
  if (!corpus.has_loss_mask()) return pack({});
  // A prompt that fills a sample leaves no room for what the model shall say.
  std::vector<std::uint8_t> loss_mask;
  const auto has_target = [&](const DocumentPacking::Part& part) {
    loss_mask.resize(static_cast<std::size_t>(part.positions));
    corpus.read_loss_mask(part.begin + 1, loss_mask);
    return std::find(loss_mask.begin(), loss_mask.end(), 1) != loss_mask.end();
  };
  return pack(has_target);
}

}  // namespace

SampleStream::SampleStream(std::shared_ptr<const Corpus> corpus, TokenRange range,
                           DatasetOptions options)
    : corpus_(std::move(corpus)), range_(range), options_(std::move(options)) {
  MEGASCALE_CHECK(options_.seq_length >= 1 && range.begin >= 0 && range.end <= corpus_->tokens(),
                  "a range of the corpus");
  if (options_.whole_documents || options_.pairs) {
    packing_ = pack_documents(*corpus_, range_, options_);
    samples_ = packing_->samples();
    if (samples_ > 0) return;
    throw Error(
        ErrorCode::bad_input,
        fmt::format("{} data: expected a {} with a token for the loss among {} first seq_length "
                    "+ 1 = {}, found none in {} tokens of {} in all",
                    options_.name, options_.pairs ? "pair of documents, both" : "document",
                    options_.pairs ? "their" : "its", options_.seq_length + 1, range_.size(),
                    corpus_->tokens()));
  }
  samples_ = std::max<std::int64_t>(0, range_.size() - 1) / options_.seq_length;
  if (samples_ == 0) {
    throw Error(ErrorCode::bad_input, fmt::format("{} data: expected at least seq_length + 1 = {} "
                                                  "tokens for one sample, found {} of {} in all",
                                                  options_.name, options_.seq_length + 1,
                                                  range_.size(), corpus_->tokens()));
  }
}

SampleStream SampleStream::in_order() const {
  SampleStream same = *this;
  same.options_.shuffle = false;
  return same;
}

std::int64_t SampleStream::place_of(std::int64_t number) const noexcept {
  const std::int64_t epoch = number / samples_, index = number % samples_;
  if (!options_.shuffle) return index;
  const std::string& purpose =
      options_.shuffle_purpose.empty() ? options_.name : options_.shuffle_purpose;
  const std::int64_t group = options_.pairs ? 2 : 1;  // samples that stay together
  const Permutation permutation(samples_ / group, options_.seed, purpose,
                                static_cast<std::uint64_t>(epoch));
  return permutation(index / group) * group + index % group;
}

std::int64_t SampleStream::tokens_of(std::int64_t number) const noexcept {
  if (packing_ == nullptr) return options_.seq_length;
  std::int64_t tokens = 0;
  for (const DocumentPacking::Part& part : packing_->parts_of(place_of(number)))
    tokens += part.positions;
  return tokens;
}

std::int64_t SampleStream::tokens_before(std::int64_t number) const noexcept {
  if (packing_ == nullptr) return number * options_.seq_length;
  const std::int64_t epochs = number / samples_;
  std::int64_t tokens = epochs * packing_->positions();
  for (std::int64_t n = epochs * samples_; n < number; ++n) tokens += tokens_of(n);
  return tokens;
}

void SampleStream::require_known_tokens(std::int64_t most) const {
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

void SampleStream::check_ids(std::int64_t number, std::int64_t offset, std::int64_t position,
                             std::span<const std::int32_t> ids) const {
  const auto vocab_size = static_cast<std::uint32_t>(options_.vocab_size);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (static_cast<std::uint32_t>(ids[i]) < vocab_size) [[likely]]
      continue;
    const std::int64_t wrong = position + static_cast<std::int64_t>(i);
    throw Error(
        ErrorCode::bad_input,
        fmt::format(
            "{} data: sample {}, position {} ({}): expected a token id from 0 to {}, found {}",
            options_.name, number, offset + static_cast<std::int64_t>(i), corpus_->describe(wrong),
            options_.vocab_size - 1, corpus_->token(wrong)));
  }
}

void SampleStream::mask_documents(std::int64_t begin, std::span<std::int32_t> targets,
                                  std::span<std::int32_t> positions,
                                  std::span<std::int32_t> segment_ids) const {
  const auto length = static_cast<std::int64_t>(targets.size());
  std::int64_t row_start = begin;  // position at which the current document starts in this row
  std::int32_t segment = 0;
  const auto finish_until = [&](std::int64_t end) {
    const auto from = static_cast<std::size_t>(row_start - begin),
               count = static_cast<std::size_t>(end - row_start);
    if (!positions.empty()) {
      const auto here = positions.subspan(from, count);
      std::iota(here.begin(), here.end(), 0);
    }
    if (!segment_ids.empty()) std::ranges::fill(segment_ids.subspan(from, count), segment);
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

void SampleStream::leave_out(std::int64_t begin, std::span<std::int32_t> targets) const {
  std::array<std::uint8_t, 4096> loss_mask{};  // of a part of the row: fill() allocates nothing
  for (std::size_t at = 0; at < targets.size(); at += loss_mask.size()) {
    const auto here = targets.subspan(at, std::min(loss_mask.size(), targets.size() - at));
    const auto counts = std::span(loss_mask).first(here.size());
    corpus_->read_loss_mask(begin + static_cast<std::int64_t>(at) + 1, counts);
    for (std::size_t i = 0; i < here.size(); ++i)
      if (counts[i] == 0) here[i] = -1;
  }
}

void SampleStream::fill(std::int64_t number, const SampleRow& row) const {
  packing_ != nullptr ? fill_packed(number, row) : fill_stream(number, row);
}

void SampleStream::fill_stream(std::int64_t number, const SampleRow& row) const {
  const std::int64_t begin = range_.begin + place_of(number) * options_.seq_length,
                     end = begin + options_.seq_length;
  corpus_->read(begin, row.tokens);
  check_ids(number, 0, begin, row.tokens);
  std::copy(row.tokens.begin() + 1, row.tokens.end(), row.targets.begin());
  corpus_->read(end, row.targets.last(1));
  check_ids(number, options_.seq_length, end, row.targets.last(1));
  if (corpus_->has_loss_mask()) leave_out(begin, row.targets);
  if (options_.packed_documents) {
    mask_documents(begin, row.targets, row.positions, row.segment_ids);
  } else {
    std::iota(row.positions.begin(), row.positions.end(), 0);
    std::fill(row.segment_ids.begin(), row.segment_ids.end(), 0);
  }
}

void SampleStream::fill_packed(std::int64_t number, const SampleRow& row) const {
  std::size_t at = 0;
  std::int32_t segment = 0;
  const auto next = [&](std::span<std::int32_t> all, std::size_t count) {
    return all.empty() ? all : all.subspan(at, count);
  };
  const auto begin_segment = [&](std::size_t count) {
    const auto positions = next(row.positions, count), segment_ids = next(row.segment_ids, count);
    std::iota(positions.begin(), positions.end(), 0);
    std::fill(segment_ids.begin(), segment_ids.end(), segment++);
  };
  for (const DocumentPacking::Part& part : packing_->parts_of(place_of(number))) {
    const auto count = static_cast<std::size_t>(part.positions);
    const auto tokens = next(row.tokens, count), targets = next(row.targets, count);
    corpus_->read(part.begin, tokens);
    check_ids(number, static_cast<std::int64_t>(at), part.begin, tokens);
    corpus_->read(part.begin + 1, targets);
    check_ids(number, static_cast<std::int64_t>(at) + 1, part.begin + 1, targets);
    if (corpus_->has_loss_mask()) leave_out(part.begin, targets);
    begin_segment(count);
    at += count;
  }
  const std::size_t padding = row.tokens.size() - at;
  const auto tokens = next(row.tokens, padding), targets = next(row.targets, padding);
  std::fill(tokens.begin(), tokens.end(), 0);
  std::fill(targets.begin(), targets.end(), -1);
  begin_segment(padding);
}

}  // namespace megascale
