// The reference of a training on preferences. Its scores are computed before the first step, since no later state of
// the run has its weights. Rank 0 alone looks at files; the others get the bytes that it has found, so all ranks use
// the same scores wherever they are.
#include "megascale/train/preferences.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "megascale/base/digest.h"
#include "megascale/base/error.h"
#include "megascale/base/files.h"
#include "megascale/base/run_directory.h"
#include "megascale/config/derived.h"
#include "megascale/config/load.h"
#include "megascale/data/content_digest.h"
#include "megascale/kernels/preference_formulas.h"

namespace megascale::train {
namespace {

std::string digest_of(const std::string& text) {
  return digest128(std::as_bytes(std::span(text.data(), text.size())));
}

// Returns what the sequences of a set follow from.
std::string describe(const Dataset& data) {
  const SampleStream& stream = data.streams()[0];
  std::vector<std::string> prefixes;
  for (const IndexedDataset& set : stream.corpus().sets()) prefixes.push_back(set.prefix());
  return fmt::format("{} tokens {} to {} of {}, {} sequences of {}", content_digest(prefixes),
                     stream.range().begin, stream.range().end, stream.corpus().tokens(),
                     stream.samples(), stream.options().seq_length);
}

}  // namespace

std::string fingerprint_of_weights(const Config& config, const StartPoint* start) {
  std::string text = to_toml(config);
  if (start != nullptr) {
    for (const checkpoint::ShardFile& shard : start->opened.manifest().shards) {
      for (const checkpoint::StoredPiece& piece : shard.pieces) text += piece.name + piece.digest;
    }
  }
  return digest_of(text);
}

Preferences::Preferences(const JobParts& parts, comm::Coordination& coordination,
                         engine::Engine& engine, const PreferenceStart& start)
    : parts_(parts), coordination_(coordination), engine_(engine) {
  const std::string found = coordination.broadcast(coordination.rank() == 0 ? find(start) : "",
                                                   "the scores of the reference");
  if (found.empty()) {
    compute(start);
  } else {
    scores_ = parse_reference_scores(found, "the scores that rank 0 has read");
  }
  digest_ = scores_.digest();
  engine_.use_reference(scores_.sets[0]);
}

void Preferences::say(const std::string& message) const {
  if (coordination_.rank() == 0) parts_.options->on_message(message);
}

std::string Preferences::fingerprint_of_data() const {
  std::string text = describe(*parts_.data);
  for (const NamedDataset& set : parts_.validation) text += set.name + ": " + describe(set.data);
  return digest_of(text);
}

// Returns the content of the file to use; empty if there is none.
std::string Preferences::find(const PreferenceStart& start) const {
  if (start.steps_done > 0) return file_to_resume(start);
  const auto path = RunDirectory(parts_.config->train.run_dir).reference_scores();
  if (!std::filesystem::exists(path)) return "";
  try {
    std::string bytes = read_text(path);
    const ReferenceScores found = parse_reference_scores(bytes, path.string());
    const bool is_of_this_start =
        found.weights == start.weights && found.data == fingerprint_of_data();
    return is_of_this_start ? bytes : "";
  } catch (const Error& error) {
    say("note: " + error.message() + ": the scores are computed again");
    return "";
  }
}

std::string Preferences::file_to_resume(const PreferenceStart& start) const {
  const auto own = RunDirectory(parts_.config->train.run_dir).reference_scores();
  auto path = own;
  if (!std::filesystem::exists(
          path)) {  // checkpoint.load may name the checkpoint of another run directory
    path = RunDirectory(start.resumed.parent_path().parent_path()).reference_scores();
  }
  if (!std::filesystem::exists(path)) {
    throw Error(
        ErrorCode::bad_usage,
        fmt::format("{}: expected the log-probabilities of the reference, which the run has "
                    "computed at its start, found no such file: copy it from the run directory "
                    "where the run began, or begin anew with checkpoint.start = \"weights\"",
                    own.string()));
  }
  std::string bytes = read_text(path);
  const ReferenceScores found = parse_reference_scores(bytes, path.string());
  if (found.digest() != start.digest) {
    throw Error(
        ErrorCode::bad_usage,
        fmt::format("{}: expected the reference that {} was trained with ({}), found another one "
                    "({}): copy the file from the run directory where the run began",
                    path.string(), start.resumed.string(),
                    start.digest.empty() ? "none" : start.digest, found.digest()));
  }
  if (found.data != fingerprint_of_data()) {
    throw Error(
        ErrorCode::bad_usage,
        fmt::format("{}: expected scores of the data sets of this run, found those of other data: "
                    "files, data.split, model.seq_length or the validation sets have changed; go "
                    "on with the same, or begin anew with checkpoint.start = \"weights\"",
                    path.string()));
  }
  if (path != own) write_text_atomically(own, bytes);
  return bytes;
}

void Preferences::compute(const PreferenceStart& start) {
  const auto score = [&](const Dataset& data) {
    scores_.sets.push_back(engine_.sequence_scores(data.in_order(), data.streams()[0].samples()));
  };
  score(*parts_.data);
  for (const NamedDataset& set : parts_.validation) score(set.data);
  std::size_t sequences = 0;
  for (const std::vector<double>& set : scores_.sets) sequences += set.size();
  say(fmt::format("reference: the weights of the start have scored {} answers", sequences));
  if (coordination_.rank() != 0) return;
  scores_.weights = start.weights;
  scores_.data = fingerprint_of_data();
  write_text_atomically(RunDirectory(parts_.config->train.run_dir).reference_scores(),
                        to_bytes(scores_));
}

RewardMetrics Preferences::of_step(const Config& config, const engine::StepResult& step) {
  const auto first = static_cast<std::size_t>(routing_records(config.model));
  const auto mean = [&](PreferenceRecord which) {
    return step.recorded.at(first + static_cast<std::size_t>(which)) /
           static_cast<double>(step.valid_tokens);
  };
  return {.chosen = mean(PreferenceRecord::chosen),
          .rejected = mean(PreferenceRecord::rejected),
          .accuracy = mean(PreferenceRecord::accurate)};
}

Preferences::Evaluation Preferences::evaluate(std::size_t set) const {
  const Config& config = *parts_.config;
  const Dataset& data = parts_.validation[set].data;
  const std::vector<double>& reference = scores_.sets[1 + set];
  const std::int64_t count = config.train.eval_iters * config.train.global_batch_size;
  const std::vector<double> scores = engine_.sequence_scores(data, count);
  const auto of_reference = [&](std::int64_t number) {
    return reference[static_cast<std::size_t>(data.place_of(number))];
  };
  kernels::PreferenceSums sums;
  for (std::int64_t i = 0; i < count; i += 2) {
    sums.add(kernels::pair_loss(
        {.chosen = scores[static_cast<std::size_t>(i)],
         .rejected = scores[static_cast<std::size_t>(i) + 1],
         .reference_chosen = of_reference(i),
         .reference_rejected = of_reference(i + 1)},
        {.beta = config.preference.beta, .label_smoothing = config.preference.label_smoothing}));
  }
  const double pairs = static_cast<double>(count) / 2;
  return {.loss = sums.loss / pairs,
          .rewards = {.chosen = sums.chosen / pairs,
                      .rejected = sums.rejected / pairs,
                      .accuracy = static_cast<double>(sums.accurate) / pairs}};
}

}  // namespace megascale::train
