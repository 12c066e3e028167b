// Training with dropout: the same elements are dropped in every layout, in recomputed layers and after a
// resume, others in every step, and none in evaluation.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "train/layouts.h"
#include "train/training.h"

namespace megascale {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

const Settings kModel{"model.num_layers=4", "model.hidden_size=24", "model.num_attention_heads=12",
                      "model.hidden_dropout=0.2", "model.attention_dropout=0.1"};

TEST(DropoutTrainingTest, LayoutsDropTheSameElements) {
  Laboratory laboratory;
  const std::vector<Layout> layouts{
      {split(1, 1, 2, 2), true},
      {split(1, 1, 2, 2,
             {"parallel.virtual_pipeline_size=2", "parallel.pipeline_schedule=interleaved"}),
       true},
      {{"recompute.granularity=full"}, true},
      {{"recompute.granularity=selective"}, true},
      {split(2, 1, 1, 2), false},
      {split(2, 1, 1, 2, {"overlap.tensor_pieces=2"}), false},
      {split(1, 2, 1, 2), false},
      {split(1, 1, 1, 3, {"parallel.zero_stage=2"}), false},
      {split(1, 1, 1, 2, {"parallel.zero_stage=3"}), false},
      {split(2, 2, 2, 8), false}};
  for (const Settings& block : {Settings{}, Settings{"model.parallel_block=true"}}) {
    const Settings base = joined({kModel, block});
    expect_layouts_agree(base, layouts,
                         {.run = [&](const Settings& settings, const RunOptions& options) {
                           return laboratory.run(settings, options);
                         }});
  }
}

TEST(DropoutTrainingTest, AResumeRepeatsTheBits) {
  Laboratory laboratory;
  const Outcome whole = laboratory.run(kModel);
  const Outcome begun = laboratory.run(kModel, {.most_steps = 3});
  const Outcome resumed = laboratory.run(kModel, {.load = begun.checkpoints});
  EXPECT_EQ(first_difference(resumed.tensors, whole.tensors), "");
}

// With no learning, only dropout moves the loss: in training, not in evaluation. Another seed of the
// weights is another seed of dropout.
TEST(DropoutTrainingTest, DropsInTrainingOnly) {
  Laboratory laboratory;
  const Settings still{"optimizer.lr=0", "optimizer.min_lr=0", "optimizer.weight_decay=0"};
  const auto without = [&](Settings more) {
    return laboratory.run(
        joined({kModel, still, {"model.hidden_dropout=0", "model.attention_dropout=0"}, more}));
  };
  const Outcome none = without({}), dropped = laboratory.run(joined({kModel, still})),
                hidden = laboratory.run(joined({kModel, still, {"model.attention_dropout=0"}})),
                attention = laboratory.run(joined({kModel, still, {"model.hidden_dropout=0"}}));
  EXPECT_EQ(dropped.validation_losses, none.validation_losses);
  for (std::size_t i = 0; i < none.losses.size(); ++i) {
    EXPECT_NE(dropped.losses[i], none.losses[i]);
    EXPECT_NE(hidden.losses[i], none.losses[i]);
    EXPECT_NE(attention.losses[i], none.losses[i]);
    EXPECT_NE(attention.losses[i], dropped.losses[i]);
  }
}

}  // namespace
}  // namespace megascale
