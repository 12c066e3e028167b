// Pipelines whose chunks have different numbers of layers.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "train/training.h"

namespace megascale {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

// Goal: wherever the model is cut, the bits are those of one rank. Empty first and last chunks hold
// the embedding or the head alone; with a tied head both have the word table.
TEST(UnevenTest, ChunksOfAnySizeGiveTheBitsOfOneRank) {
  Laboratory laboratory;
  const Settings gpt2{"model.num_layers=4", "model.hidden_size=24", "model.num_attention_heads=4"};
  const Settings llama{"model.type=llama",         "model.num_layers=4",
                       "model.hidden_size=24",     "model.num_attention_heads=4",
                       "model.num_query_groups=2", "model.ffn_hidden_size=48",
                       "parallel.zero_stage=1"};
  const auto stages = [](int p) {
    return fmt::format("parallel.pipeline_model_parallel_size={}", p);
  };
  const std::vector<Settings> cuts{
      {stages(2), "parallel.pipeline_layers=3,1"},
      {stages(3), "parallel.pipeline_layers=0,4,0", "parallel.pipeline_schedule=zb-h1"},
      {stages(2), "parallel.virtual_pipeline_size=2", "parallel.pipeline_schedule=interleaved",
       "parallel.pipeline_layers=0,1,2,1"},
      {stages(3), "parallel.account_for_embedding_in_pipeline_split=true",
       "parallel.account_for_loss_in_pipeline_split=true", "recompute.granularity=full"}};
  for (const Settings& model : {gpt2, llama}) {
    const Outcome plain = laboratory.run(model, {.most_steps = 5});
    for (const Settings& cut : cuts) {
      Settings settings = model;
      settings.insert(settings.end(), cut.begin(), cut.end());
      EXPECT_EQ(first_difference(laboratory.run(settings, {.most_steps = 5}), plain), "")
          << ::testing::PrintToString(settings);
    }
  }
}

}  // namespace
}  // namespace megascale
