// A wrong path or a wrong split shows in numbers of tokens. They are therefore printed before the
// first step and not only on request.
#include "megascale/train/describe_data.h"

#include <fmt/format.h>

#include <algorithm>

#include "megascale/config/derived.h"

namespace megascale::train {
namespace {

// Returns "1,234,567".
std::string grouped(std::int64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, 1, ',');
  return digits;
}

constexpr std::size_t kNamed = 16;  // sets of a run with more are not all named

void add_sets(const SampleStream& stream, std::vector<std::string>& lines) {
  const auto sets = stream.corpus().sets();
  for (std::size_t i = 0; i < std::min(sets.size(), kNamed); ++i) {
    lines.push_back(fmt::format("data: {} with {} tokens in {} documents", sets[i].prefix(),
                                grouped(sets[i].index().tokens()),
                                grouped(sets[i].index().documents())));
  }
  if (sets.size() <= kNamed) return;
  std::int64_t rest = 0;
  for (std::size_t i = kNamed; i < sets.size(); ++i) rest += sets[i].index().tokens();
  lines.push_back(
      fmt::format("data: {} more sets with {} tokens", sets.size() - kNamed, grouped(rest)));
}

std::string describe_packing(const DocumentPacking& packing, std::int64_t seq_length) {
  const auto all = static_cast<double>(packing.samples() * seq_length);
  std::string line = fmt::format("training data: whole documents fill {:.1f} % of the samples",
                                 100 * static_cast<double>(packing.positions()) / all);
  if (packing.left_out() > 0)
    line +=
        fmt::format("; {} without a token for the loss are left out", grouped(packing.left_out()));
  if (packing.cut() > 0) {
    line += fmt::format("; {} longer than {} tokens lose their ends", grouped(packing.cut()),
                        grouped(seq_length + 1));
  }
  return line;
}

std::string describe_pairs(const DocumentPacking& pairs, std::int64_t seq_length) {
  std::string line =
      fmt::format("training data: {} pairs of answers", grouped(pairs.samples() / 2));
  if (pairs.left_out() > 0) {
    line += fmt::format("; {} with an answer that has no token for the loss are left out",
                        grouped(pairs.left_out()));
  }
  if (pairs.cut() > 0) {
    line += fmt::format(
        "; {} answers lose their ends, since with the prompt they are longer than {} "
        "tokens",
        grouped(pairs.cut()), grouped(seq_length + 1));
  }
  return line;
}

std::int64_t tokens_in(const Dataset& data) {
  std::int64_t tokens = 0;
  for (const SampleStream& stream : data.streams()) tokens += stream.range().size();
  return tokens;
}

// `samples`: of the whole run.
void add_blend(const Dataset& data, std::int64_t samples, std::vector<std::string>& lines) {
  const std::size_t sets = data.streams().size();
  for (std::size_t s = 0; s < std::min(sets, kNamed); ++s) {
    const SampleStream& stream = data.streams()[s];
    const std::int64_t of_set = data.order().count_before(samples, s);
    lines.push_back(
        fmt::format("training data: {:.2f} % of the samples are of {}: {} tokens, {} samples; the "
                    "run reads {}, {:.2f} epochs",
                    100 * data.order().share(s), stream.corpus().sets()[0].prefix(),
                    grouped(stream.range().size()), grouped(stream.samples()), grouped(of_set),
                    static_cast<double>(of_set) / static_cast<double>(stream.samples())));
  }
  if (sets > kNamed) lines.push_back(fmt::format("training data: {} more sets", sets - kNamed));
}

void add_validation(const Config& config, const NamedDataset& set,
                    std::vector<std::string>& lines) {
  const bool is_own = !set.name.empty() || !config.data.valid_data_path.empty();
  if (is_own) add_sets(set.data.streams()[0], lines);
  const std::int64_t of_each = config.train.eval_iters * config.train.global_batch_size;
  lines.push_back(fmt::format("validation data{}: {} tokens, {} samples; an evaluation reads {}",
                              set.name.empty() ? "" : " " + set.name, grouped(tokens_in(set.data)),
                              grouped(set.data.samples_per_epoch()), grouped(of_each)));
}

// Returns the sizes of the batch in a run of so many steps: "16", or "4 to 16".
std::string sizes_of(const std::vector<BatchPhase>& phases, std::int64_t steps) {
  std::int64_t largest = phases.front().global_batch_size;
  for (const BatchPhase& phase : phases)
    if (phase.first_step < steps) largest = phase.global_batch_size;
  const std::string text = grouped(largest);
  return largest == phases.front().global_batch_size
             ? text
             : fmt::format("{} to {}", grouped(phases.front().global_batch_size), text);
}

}  // namespace

std::vector<std::string> describe_data(const Config& config, const Dataset& training,
                                       std::span<const NamedDataset> validation,
                                       const std::vector<BatchPhase>& phases) {
  std::vector<std::string> lines;
  for (const SampleStream& stream :
       training.streams().first(std::min(training.streams().size(), kNamed)))
    add_sets(stream, lines);
  const std::int64_t samples = training.samples_per_epoch();
  const std::int64_t wanted = samples_before_step(phases, config.train.train_iters);
  if (training.streams().size() > 1) {
    add_blend(training, wanted, lines);
  } else {
    lines.push_back(fmt::format(
        "training data: {} tokens, {} samples of {}; {} steps of {} samples are {:.2f} epochs",
        grouped(tokens_in(training)), grouped(samples), config.model.seq_length,
        grouped(config.train.train_iters), sizes_of(phases, config.train.train_iters),
        static_cast<double>(wanted) / static_cast<double>(samples)));
  }
  for (const SampleStream& stream : training.streams()) {
    if (stream.packing() == nullptr) continue;
    lines.push_back(has_preferences(config)
                        ? describe_pairs(*stream.packing(), config.model.seq_length)
                        : describe_packing(*stream.packing(), config.model.seq_length));
  }
  for (const NamedDataset& set : validation) add_validation(config, set, lines);
  return lines;
}

}  // namespace megascale::train
