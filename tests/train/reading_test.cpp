// Samples are read once for all ranks of a host that take them.
#include <gtest/gtest.h>

#include "support/watchdog.h"
#include "train/training.h"

namespace megascale {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

// Those of every step once; those that wait for a next step may have been read when the run ends.
TEST(ReadingTest, EverySampleIsReadOncePerHost) {
  const std::vector<Settings> layouts{
      {"parallel.world_size=1"},
      {"parallel.world_size=8", "parallel.tensor_model_parallel_size=8"},
      {"parallel.world_size=8", "parallel.tensor_model_parallel_size=2",
       "parallel.context_parallel_size=2", "data.packed_documents=true"},
      {"parallel.world_size=8", "parallel.pipeline_model_parallel_size=4",
       "train.micro_batch_size=2"}};
  constexpr std::int64_t kSteps = 6, kSamples = Laboratory::kGlobalBatchSize;
  Laboratory laboratory;
  for (const Settings& layout : layouts) {
    const Watchdog watchdog(layout.back());
    Settings all{"model.num_layers=4", "model.hidden_size=32", "model.num_attention_heads=8",
                 "train.eval_interval=0"};
    all.insert(all.end(), layout.begin(), layout.end());
    const std::int64_t read = laboratory.run(all, {.most_steps = kSteps}).samples_read;
    EXPECT_GE(read, kSteps * kSamples) << layout.back();
    EXPECT_LE(read, (kSteps + 1) * kSamples) << layout.back();
  }
}

TEST(ReadingTest, WithoutPrefetchNothingIsReadAhead) {
  const Watchdog watchdog("no prefetch");
  constexpr std::int64_t kSteps = 4, kSamples = Laboratory::kGlobalBatchSize;
  Laboratory laboratory;
  const Settings settings{"model.num_layers=4",
                          "model.hidden_size=32",
                          "model.num_attention_heads=8",
                          "parallel.world_size=4",
                          "parallel.tensor_model_parallel_size=2",
                          "train.eval_interval=0",
                          "data.prefetch=false"};
  EXPECT_EQ(laboratory.run(settings, {.most_steps = kSteps}).samples_read, kSteps * kSamples);
}

}  // namespace
}  // namespace megascale
