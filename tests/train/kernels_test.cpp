// Plain kernels train as the fused ones do, with other last bits.
#include <gtest/gtest.h>

#include "support/watchdog.h"
#include "train/training.h"

namespace megascale {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

TEST(PlainKernelsTest, LossesAreCloseToThoseOfFusedKernels) {
  const std::vector<Settings> models{
      {"model.num_layers=2", "model.hidden_size=24", "model.num_attention_heads=4"},
      {"model.type=llama", "model.num_layers=2", "model.hidden_size=24",
       "model.num_attention_heads=4", "model.num_query_groups=2",
       "parallel.tensor_model_parallel_size=2"},
      {"model.num_layers=2", "model.hidden_size=24", "model.num_attention_heads=4",
       "model.parallel_block=true", "model.sliding_window=5", "data.packed_documents=true",
       "recompute.granularity=selective"}};
  Laboratory laboratory;
  for (const Settings& model : models) {
    const Watchdog watchdog(model.front());
    const Outcome fused = laboratory.run(model, {.most_steps = 5});
    Settings settings = model;
    settings.emplace_back("kernels.fused=false");
    const Outcome plain = laboratory.run(settings, {.most_steps = 5});
    EXPECT_LE(worst_relative_difference(plain.losses, fused.losses), 1e-5);
    EXPECT_LE(worst_relative_difference(plain.validation_losses, fused.validation_losses), 1e-5);
    EXPECT_NE(first_difference(plain, fused), "") << "the plain kernels ran";
  }
}

}  // namespace
}  // namespace megascale
