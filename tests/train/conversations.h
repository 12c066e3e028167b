#ifndef MEGASCALE_TESTS_TRAIN_CONVERSATIONS_H_
#define MEGASCALE_TESTS_TRAIN_CONVERSATIONS_H_

#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "megascale/base/philox.h"
#include "megascale/data/indexed_writer.h"
#include "support/scratch_directory.h"
#include "train/training.h"

// Data of conversations, of which the loss counts some tokens, and runs on them.
namespace megascale::testing {

// A document and, for each of its tokens, whether the loss counts it.
struct MaskedDocument {
  std::vector<std::int32_t> ids;
  std::vector<std::uint8_t> loss_mask;
};

// One step whose first moments are (1 - beta1) x gradient.
inline const Settings kOneStep{"train.eval_interval=0", "data.split=1", "optimizer.clip_grad=0"};

class ConversationsTest : public ::testing::Test {
 protected:
  // Writes a data set and returns the settings that train on it.
  Settings data_of(const std::string& name, const std::vector<MaskedDocument>& documents) const {
    IndexedDatasetWriter writer(scratch_ / name, TokenType::int32, {.has_loss_mask = true});
    for (const MaskedDocument& document : documents) {
      writer.append(document.ids, document.loss_mask);
      writer.end_document();
    }
    writer.finish();
    return {"data.data_path=" + (scratch_ / name).string(), "data.packed_documents=true",
            "data.whole_documents=true"};
  }
  // Questions and answers of random words: a document has two turns of each.
  static std::vector<MaskedDocument> conversations(std::size_t count, std::int32_t longest) {
    const PhiloxStream random(5, "conversations");
    std::uint64_t number = 0;
    std::vector<MaskedDocument> all(count);
    for (MaskedDocument& document : all) {
      for (std::uint8_t turn = 0; turn < 4; ++turn) {
        const auto words = 1 + random.bits(number++) % static_cast<std::uint64_t>(longest);
        for (std::uint64_t i = 0; i < words; ++i) {
          document.ids.push_back(static_cast<std::int32_t>(1 + random.bits(number++) % 299));
          document.loss_mask.push_back(turn % 2);
        }
      }
    }
    return all;
  }
  static std::int64_t learned(const MaskedDocument& document) {
    return std::accumulate(document.loss_mask.begin() + 1, document.loss_mask.end(),
                           std::int64_t{0});
  }

  Laboratory laboratory_;
  const ScratchDirectory scratch_;
};

}  // namespace megascale::testing

#endif  // MEGASCALE_TESTS_TRAIN_CONVERSATIONS_H_
