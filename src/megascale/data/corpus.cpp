// Maps a position in the corpus to a dataset and a position in it, by binary search over the start
// positions of the datasets, and cuts the corpus into training, validation and test ranges.
#include "megascale/data/corpus.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "megascale/base/error.h"
#include "megascale/data/dataset_info.h"
#include "megascale/data/tokenizer_files.h"

namespace megascale {
namespace {

// Returns the token nearest to `token` at which a document begins whose number is a multiple of `group`, or
// the end of the dataset.
std::int64_t nearest_border_in(const DatasetIndex& index, std::int64_t token, std::int64_t group) {
  const std::int64_t document = index.first_document_from(token);
  const std::int64_t rounded_up = (document + group - 1) / group * group;
  const std::int64_t above = index.document_start(std::min(rounded_up, index.documents()));
  const std::int64_t below =
      document == 0 ? 0 : index.document_start((document - 1) / group * group);
  return above - token < token - below ? above : below;
}

// `nearest` returns the border that is nearest to a position.
template <class Nearest>
std::array<TokenRange, 3> split_tokens(std::int64_t tokens, const std::array<double, 3>& shares,
                                       SplitAt at, const Nearest& nearest) {
  double smallest = 1;  // share above zero
  for (const double share : shares) {
    if (share > 0) smallest = std::min(smallest, share);
  }
  const auto reach = static_cast<std::int64_t>(smallest * 0.1 * static_cast<double>(tokens));
  const auto cut = [&](double share) {
    const std::int64_t exact = std::llround(share * static_cast<double>(tokens));
    const std::int64_t border = nearest(exact);
    return at != SplitAt::near_borders || std::abs(border - exact) <= reach ? border : exact;
  };
  const std::int64_t first = cut(shares[0]);
  const std::int64_t second = cut(shares[0] + shares[1]);
  return {TokenRange{0, first}, TokenRange{first, second}, TokenRange{second, tokens}};
}

// Returns how many documents stay together.
std::int64_t group_of(SplitAt at) { return at == SplitAt::pairs ? 2 : 1; }

}  // namespace

Corpus::Corpus(std::span<const std::string> prefixes) {
  if (prefixes.empty()) {
    throw Error(ErrorCode::bad_usage,
                "data.data_path: expected the prefix of an indexed dataset, found an empty list");
  }
  for (const std::string& prefix : prefixes) {
    datasets_.emplace_back(prefix);
    parts_.push_back({0, datasets_.back().index().tokens()});
    starts_.push_back(starts_.back() + parts_.back().size());
    add_info(datasets_.back());
  }
}

void Corpus::add_info(const IndexedDataset& dataset) {
  const auto info = read_dataset_info(dataset.prefix(), dataset.index().tokens());
  has_loss_mask_ |= dataset.has_loss_mask();
  has_pairs_.push_back(info && info->has_pairs);
  if (info && !info->chat_template.empty() && !dataset.has_loss_mask()) {
    throw Error(ErrorCode::bad_input,
                fmt::format("{}: expected this file, since {} says that the data set has a loss "
                            "mask, found none: copy all files of the data set, or prepare it again",
                            loss_mask_path(dataset.prefix()).string(),
                            info_path(dataset.prefix()).string()));
  }
  if (!info || !info->text_nbytes) {
    text_nbytes_.reset();
  } else if (text_nbytes_) {
    *text_nbytes_ += *info->text_nbytes;
  }
  if (!info || !info->tokenizer) return;
  if (tokenizer_.record) {
    require_same_tokenizer(*tokenizer_.record, tokenizer_.prefix, *info->tokenizer,
                           dataset.prefix(), "");
  } else {
    tokenizer_ = {info->tokenizer, dataset.prefix()};
  }
}

std::string Corpus::set_with(bool pairs) const {
  const auto found = std::find(has_pairs_.begin(), has_pairs_.end(), pairs);
  return found == has_pairs_.end()
             ? std::string()
             : datasets_[static_cast<std::size_t>(found - has_pairs_.begin())].prefix();
}

std::optional<double> Corpus::bytes_per_token() const noexcept {
  std::int64_t tokens = 0;  // of the whole sets, as the text's bytes
  for (const IndexedDataset& dataset : datasets_) tokens += dataset.index().tokens();
  if (!text_nbytes_ || tokens == 0 || has_loss_mask_) return std::nullopt;
  return static_cast<double>(*text_nbytes_) / static_cast<double>(tokens);
}

void Corpus::keep(std::vector<TokenRange> parts) {
  MEGASCALE_CHECK(parts.size() == datasets_.size(), "one part of each dataset");
  parts_ = std::move(parts);
  starts_ = {0};
  for (const TokenRange& part : parts_) starts_.push_back(starts_.back() + part.size());
}

std::size_t Corpus::dataset_of(std::int64_t position) const noexcept {
  const auto after = std::upper_bound(starts_.begin(), starts_.end() - 1, position);
  return static_cast<std::size_t>(after - starts_.begin()) - 1;
}

void Corpus::read(std::int64_t first, std::span<std::int32_t> ids) const {
  for (std::size_t i = dataset_of(first); !ids.empty(); ++i) {
    const auto here = static_cast<std::size_t>(
        std::min(static_cast<std::int64_t>(ids.size()), starts_[i + 1] - first));
    datasets_[i].read(parts_[i].begin + first - starts_[i], ids.first(here));
    ids = ids.subspan(here);
    first += static_cast<std::int64_t>(here);
  }
}

void Corpus::read_loss_mask(std::int64_t first, std::span<std::uint8_t> loss_mask) const {
  for (std::size_t i = dataset_of(first); !loss_mask.empty(); ++i) {
    const auto here = loss_mask.first(static_cast<std::size_t>(
        std::min(static_cast<std::int64_t>(loss_mask.size()), starts_[i + 1] - first)));
    if (datasets_[i].has_loss_mask()) {
      datasets_[i].read_loss_mask(parts_[i].begin + first - starts_[i], here);
      for (std::uint8_t& counts : here) counts = counts == 1 ? 1 : 0;
    } else {
      std::fill(here.begin(), here.end(), std::uint8_t{1});
    }
    loss_mask = loss_mask.subspan(here.size());
    first += static_cast<std::int64_t>(here.size());
  }
}

std::int64_t Corpus::token(std::int64_t position) const {
  const std::size_t i = dataset_of(position);
  return datasets_[i].token(parts_[i].begin + position - starts_[i]);
}

std::string Corpus::describe(std::int64_t position) const {
  const std::size_t i = dataset_of(position);
  const std::int64_t local = parts_[i].begin + position - starts_[i];
  return fmt::format("token {} of {}, in document {}", local,
                     bin_path(datasets_[i].prefix()).string(),
                     datasets_[i].index().first_document_from(local + 1) - 1);
}

bool Corpus::fits_any_token(std::int64_t vocab_size) const noexcept {
  return std::all_of(datasets_.begin(), datasets_.end(), [&](const IndexedDataset& dataset) {
    const TokenType type = dataset.index().token_type();
    return (type == TokenType::uint8 && vocab_size >= 1 << 8) ||
           (type == TokenType::uint16 && vocab_size >= 1 << 16);
  });
}

std::int64_t Corpus::nearest_border(std::int64_t position, std::int64_t group) const {
  if (position >= tokens()) return tokens();
  const std::size_t i = dataset_of(position);
  return starts_[i] + nearest_border_in(datasets_[i].index(), position - starts_[i], group);
}

std::array<TokenRange, 3> split_corpus(const Corpus& corpus, const std::array<double, 3>& shares,
                                       SplitAt at) {
  return split_tokens(corpus.tokens(), shares, at, [&](std::int64_t exact) {
    return corpus.nearest_border(exact, group_of(at));
  });
}

std::array<TokenRange, 3> split_dataset(const DatasetIndex& index,
                                        const std::array<double, 3>& shares, SplitAt at) {
  return split_tokens(index.tokens(), shares, at, [&](std::int64_t exact) {
    return exact >= index.tokens() ? index.tokens() : nearest_border_in(index, exact, group_of(at));
  });
}

}  // namespace megascale
