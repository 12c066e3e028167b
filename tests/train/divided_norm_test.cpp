// A norm of all query heads and one of all key heads (OLMo 2) is the same norm wherever the heads are.
#include <gtest/gtest.h>

#include "train/layouts.h"
#include "train/training.h"

namespace megascale {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

const Settings kOlmo{"model.type=olmo2",        "model.num_layers=4",
                     "model.hidden_size=24",    "model.num_attention_heads=12",
                     "model.head_dim=6",        "model.num_query_groups=4",
                     "model.ffn_hidden_size=48"};

TEST(DividedNormTest, LayoutsTrainAsOneRank) {
  Laboratory laboratory;
  const std::vector<Layout> layouts{
      {split(1, 1, 2, 2), true},
      {{"recompute.granularity=full"}, true},
      {split(2, 1, 1, 2), false},
      {split(4, 1, 1, 4), false},
      {split(2, 1, 1, 2, {"overlap.tensor_pieces=2", "recompute.granularity=full"}), false},
      {split(2, 1, 1, 2,
             {"recompute.granularity=list", "recompute.ops=linear,head_norm,rms_norm,swiglu"}),
       false},
      {split(2, 1, 2, 4, {"parallel.pipeline_schedule=zb-h1"}), false},
      {split(2, 1, 1, 4, {"parallel.zero_stage=2"}), false},
      {split(2, 2, 1, 4, {"overlap.context_pieces=2"}), false}};
  for (const Settings& more : {Settings{}, Settings{"optimizer.name=lamb"}}) {
    expect_layouts_agree(joined({kOlmo, more}), layouts,
                         {.run = [&](const Settings& settings, const RunOptions& options) {
                           return laboratory.run(settings, options);
                         }});
  }
}

// Goal: what runs beside what, and what is computed again, changes no bit of a divided norm.
TEST(DividedNormTest, OverlapAndRecomputationKeepTheBits) {
  Laboratory laboratory;
  const Settings ranks = joined({kOlmo, split(2, 2, 1, 4, {"overlap.context_pieces=2"})});
  const Outcome one = laboratory.run(ranks, {.most_steps = 5});
  for (const Settings& more :
       {Settings{"overlap.tensor=false", "overlap.data=false"},
        Settings{"recompute.granularity=full"}, Settings{"recompute.granularity=selective"},
        Settings{"recompute.granularity=list", "recompute.ops=head_norm,head_norm_squares"}}) {
    const Outcome got = laboratory.run(joined({ranks, more}), {.most_steps = 5});
    EXPECT_EQ(first_difference(got, one), "") << ::testing::PrintToString(more);
  }
}

}  // namespace
}  // namespace megascale
