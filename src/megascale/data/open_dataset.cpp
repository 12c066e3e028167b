// Opens the sets that a configuration names: cuts them into training, validation and test data, and
// joins or blends them.
#include <fmt/format.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "megascale/base/error.h"
#include "megascale/config/data_sets.h"
#include "megascale/config/derived.h"
#include "megascale/data/dataset.h"
#include "megascale/data/remote_set.h"
#include "megascale/data/tokenizer_files.h"

namespace megascale {
namespace {

// Reduces the corpus to one of the three shares, and returns the range of this share in it.
TokenRange take_share(Corpus& corpus, const Config& config, Split split) {
  const auto share = static_cast<std::size_t>(split);
  const auto shares = parse_split(config.data.split);
  MEGASCALE_CHECK(shares.has_value(), "validate() has accepted data.split");
  const SplitAt at = has_preferences(config)       ? SplitAt::pairs
                     : config.data.whole_documents ? SplitAt::borders
                                                   : SplitAt::near_borders;
  if (!config.data.split_each_set || corpus.sets().size() == 1)
    return split_corpus(corpus, *shares, at)[share];
  std::vector<TokenRange> parts;
  for (const IndexedDataset& set : corpus.sets())
    parts.push_back(split_dataset(set.index(), *shares, at)[share]);
  corpus.keep(std::move(parts));
  return {0, corpus.tokens()};
}

// Opens sets. Throws Error (bad_input) if they are not of the kind that the configuration trains on.
std::shared_ptr<Corpus> open_sets(const Config& config, std::span<const std::string> prefixes) {
  std::vector<std::string> local;
  for (const std::string& prefix : prefixes) local.push_back(local_prefix(prefix));
  auto corpus = std::make_shared<Corpus>(local);
  const bool wants_pairs = has_preferences(config);
  const std::string other = corpus->set_with(!wants_pairs);
  if (other.empty()) return corpus;
  throw Error(
      ErrorCode::bad_input,
      wants_pairs
          ? fmt::format(
                "preference.beta = {}: expected pairs of answers, found none in {}: prepare it "
                "with `megascale prepare --format preference`",
                config.preference.beta, other)
          : fmt::format(
                "{} holds pairs of a chosen and a rejected answer: expected preference.beta "
                "above 0, found 0, which would train on rejected answers too",
                other));
}

// Returns the part of the training sets that is `split`. With a validation set of its own they are
// training data, all of them.
TokenRange part_of_training_sets(Corpus& corpus, const Config& config, Split split) {
  const bool has_own_validation = !config.data.valid_data_path.empty();
  TokenRange range;
  if (!has_own_validation) {
    range = take_share(corpus, config, split);
  } else if (split != Split::test) {
    range = {0, corpus.tokens()};
  }
  if (range.size() > 0) return range;
  const auto shares = parse_split(config.data.split);
  if (!has_own_validation && shares && (*shares)[static_cast<std::size_t>(split)] > 0) {
    throw Error(ErrorCode::bad_usage,
                fmt::format("data.split = \"{}\": expected tokens for the share of {} data, found "
                            "none: the set has {} tokens",
                            config.data.split, to_string(split), corpus.tokens()));
  }
  throw Error(
      ErrorCode::bad_usage,
      fmt::format("data.split: expected a share of {} data, found \"{}\"{}", to_string(split),
                  config.data.split, has_own_validation ? ", which valid_data_path replaces" : ""));
}

DatasetOptions options_for(const Config& config, Split split) {
  return {.seq_length = config.model.seq_length,
          .vocab_size = config.model.vocab_size,
          .shuffle = config.data.shuffle && split == Split::train,
          .packed_documents = config.data.packed_documents,
          .whole_documents = config.data.whole_documents,
          .pairs = has_preferences(config),
          .seed = static_cast<std::uint64_t>(config.data.seed),
          .name = std::string(to_string(split)),
          .shuffle_purpose = {}};
}

SampleStream open_stream(const Config& config, Split split, std::size_t number) try {
  const std::string& prefix = config.data.data_path[number];
  const auto corpus = open_sets(config, std::span(&prefix, 1));
  DatasetOptions options = options_for(config, split);
  // Sets of equal sizes must not be read in the same order. Their paths do not count, since a corpus
  // may be moved.
  options.shuffle_purpose = fmt::format("{} {}", options.name, number);
  const TokenRange range = part_of_training_sets(*corpus, config, split);
  return {corpus, range, std::move(options)};
} catch (Error& error) {
  error.add_context(fmt::format("opening {} of a blend", config.data.data_path[number]));
  throw;
}

Dataset open_blend(const Config& config, Split split) {
  std::vector<SampleStream> streams;
  for (std::size_t i = 0; i < config.data.data_path.size(); ++i)
    streams.push_back(open_stream(config, split, i));
  return {std::move(streams), config.data.data_weights};
}

// Opens all of a set.
Dataset open_whole(const Config& config, const std::string& prefix, const std::string& name) {
  const auto corpus = open_sets(config, std::span(&prefix, 1));
  DatasetOptions options = options_for(config, Split::validation);
  options.name = name;
  return {corpus, TokenRange{0, corpus->tokens()}, std::move(options)};
}

}  // namespace

Dataset open_dataset(const Config& config, Split split) {
  if (split == Split::validation && !config.data.valid_data_path.empty())
    return open_whole(config, config.data.valid_data_path, std::string(to_string(split)));
  if (!config.data.data_weights.empty()) return open_blend(config, split);
  const auto corpus = open_sets(config, config.data.data_path);
  const TokenRange range = part_of_training_sets(*corpus, config, split);
  return {corpus, range, options_for(config, split)};
}

std::vector<NamedDataset> open_validation(const Config& config) {
  std::vector<NamedDataset> sets;
  if (has_main_validation(config.data))
    sets.push_back({.name = {}, .data = open_dataset(config, Split::validation)});
  const auto named = parse_validation_sets(config.data.validation_sets);
  MEGASCALE_CHECK(named.has_value(), "validate() has accepted data.validation_sets");
  for (const NamedSet& set : *named) {
    sets.push_back(
        {.name = set.name,
         .data = open_whole(config, set.prefix, fmt::format("validation set {}", set.name))});
  }
  return sets;
}

}  // namespace megascale
