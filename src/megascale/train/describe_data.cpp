// A wrong path or a wrong split shows in numbers of tokens. They are therefore printed before the
// first step and not only on request.
#include "megascale/train/describe_data.h"

#include <fmt/format.h>

#include <algorithm>

namespace megascale::train {
namespace {

// Returns "1,234,567".
std::string grouped(std::int64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, 1, ',');
  return digits;
}

void add_sets(const Dataset& data, std::vector<std::string>& lines) {
  constexpr std::size_t kNamed = 16;
  const auto sets = data.corpus().sets();
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

}  // namespace

std::vector<std::string> describe_data(const Config& config, const Dataset& training,
                                       const Dataset* validation, std::int64_t samples_before) {
  std::vector<std::string> lines;
  add_sets(training, lines);
  const std::int64_t samples = training.samples_per_epoch();
  const std::int64_t wanted =
      samples_before + config.train.train_iters * config.train.global_batch_size;
  lines.push_back(fmt::format(
      "training data: {} tokens, {} samples of {}; {} steps of {} samples are {:.2f} epochs",
      grouped(training.range().size()), grouped(samples), config.model.seq_length,
      grouped(config.train.train_iters), grouped(config.train.global_batch_size),
      static_cast<double>(wanted) / static_cast<double>(samples)));
  if (training.packing() != nullptr)
    lines.push_back(describe_packing(*training.packing(), config.model.seq_length));
  if (validation == nullptr) return lines;
  if (!config.data.valid_data_path.empty()) add_sets(*validation, lines);
  const std::int64_t of_each = config.train.eval_iters * config.train.global_batch_size;
  lines.push_back(fmt::format("validation data: {} tokens, {} samples; an evaluation reads {}",
                              grouped(validation->range().size()),
                              grouped(validation->samples_per_epoch()), grouped(of_each)));
  return lines;
}

}  // namespace megascale::train
