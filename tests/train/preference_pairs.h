#ifndef MEGASCALE_TESTS_TRAIN_PREFERENCE_PAIRS_H_
#define MEGASCALE_TESTS_TRAIN_PREFERENCE_PAIRS_H_

#include <cstdint>
#include <filesystem>
#include <vector>

#include "megascale/base/philox.h"
#include "megascale/data/dataset_info.h"
#include "megascale/data/indexed_writer.h"

// Data for trainings on preferences.
namespace megascale::testing {

// Writes pairs of random words: the chosen answer has words below 150, the rejected one others, so a model can learn
// which is which. The loss mask leaves out the prompt.
inline void write_pairs(const std::filesystem::path& prefix, std::uint64_t pairs) {
  const PhiloxStream random(11, prefix.filename().string());
  std::uint64_t number = 0;
  IndexedDatasetWriter writer(prefix, TokenType::int32, {.has_loss_mask = true});
  std::int64_t tokens = 0;
  for (std::uint64_t pair = 0; pair < pairs; ++pair) {
    std::vector<std::int32_t> prompt(1 + random.bits(number++) % 9);
    for (auto& word : prompt) word = static_cast<std::int32_t>(random.bits(number++) % 300);
    for (const std::int32_t first : {0, 150}) {
      std::vector<std::int32_t> ids = prompt;
      std::vector<std::uint8_t> mask(ids.size(), 0);
      for (std::uint64_t left = 1 + random.bits(number++) % 8; left > 0; --left) {
        ids.push_back(first + static_cast<std::int32_t>(random.bits(number++) % 150));
        mask.push_back(1);
      }
      writer.append(ids, mask);
      writer.end_document();
      tokens += static_cast<std::int64_t>(ids.size());
    }
  }
  writer.finish(to_text(DatasetInfo{.documents = static_cast<std::int64_t>(2 * pairs),
                                    .tokens = tokens,
                                    .chat_template = "plain",
                                    .has_pairs = true}));
}

}  // namespace megascale::testing

#endif  // MEGASCALE_TESTS_TRAIN_PREFERENCE_PAIRS_H_
