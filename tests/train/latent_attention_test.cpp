// Latent attention: gradients against finite differences, and every layout against one rank.
#include <gtest/gtest.h>

#include "support/watchdog.h"
#include "train/layouts.h"
#include "train/slopes.h"
#include "train/training.h"

namespace megascale {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

// Heads of 6 channels, 2 of them rotated, with values of 4; both latent vectors.
const Settings kLatent{"model.type=deepseek_v3", "model.num_layers=4",
                       "model.hidden_size=24",   "model.num_attention_heads=8",
                       "model.q_lora_rank=10",   "model.kv_lora_rank=12",
                       "model.qk_head_dim=4",    "model.qk_pos_emb_head_dim=2",
                       "model.v_head_dim=4",     "model.ffn_hidden_size=48"};
const Settings kPlainQueries{"model.q_lora_rank=0", "model.v_head_dim=10"};
const Settings kScaled{"model.use_rope_scaling=true", "model.rope_scaling_type=yarn",
                       "model.rope_scaling_factor=4", "model.original_max_position_embeddings=8",
                       "model.rope_mscale=0.7",       "model.rope_mscale_all_dim=1"};

TEST(LatentAttentionTest, LayoutsTrainAsOneRank) {
  Laboratory laboratory;
  const std::vector<Layout> layouts{
      {split(1, 1, 2, 2), true},
      {{"recompute.granularity=full"}, true},
      {split(2, 1, 1, 2), false},
      {split(4, 1, 1, 4, {"recompute.granularity=selective"}), false},
      {split(2, 1, 1, 2, {"overlap.tensor_pieces=2", "recompute.granularity=full"}), false},
      {split(2, 1, 1, 2, {"recompute.granularity=list", "recompute.ops=linear,latent_heads"}),
       false},
      {split(1, 2, 1, 2), false},
      {split(2, 1, 2, 4, {"parallel.pipeline_schedule=zb-h1"}), false},
      {split(2, 1, 1, 4, {"parallel.zero_stage=2"}), false},
      {split(2, 1, 1, 4, {"parallel.zero_stage=3"}), false},
      {split(2, 2, 1, 4, {"overlap.context_pieces=2"}), false}};
  for (const Settings& more : {kScaled, joined({kPlainQueries, {"optimizer.name=lamb"}})}) {
    expect_layouts_agree(joined({kLatent, more}), layouts,
                         {.run = [&](const Settings& settings, const RunOptions& options) {
                           return laboratory.run(settings, options);
                         }});
  }
}

TEST(LatentAttentionTest, OverlapAndRecomputationKeepTheBits) {
  Laboratory laboratory;
  const Settings ranks = joined({kLatent, split(2, 2, 1, 4, {"overlap.context_pieces=2"})});
  const Outcome one = laboratory.run(ranks, {.most_steps = 5});
  for (const Settings& more :
       {Settings{"overlap.tensor=false", "overlap.data=false"},
        Settings{"recompute.granularity=full"}, Settings{"recompute.granularity=selective"},
        Settings{"recompute.granularity=list", "recompute.ops=latent_heads,rms_norm"}}) {
    const Outcome got = laboratory.run(joined({ranks, more}), {.most_steps = 5});
    EXPECT_EQ(first_difference(got, one), "") << ::testing::PrintToString(more);
  }
}

void expect_gradients(const Settings& more) {
  const Watchdog watchdog("finite differences", std::chrono::seconds(240));
  const Settings all = joined(
      {kLatent,
       {"model.num_layers=2", "optimizer.clip_grad=0", "data.shuffle=false", "data.split=1,0,0",
        "train.eval_interval=0", "model.init_method_std=0.2", "train.global_batch_size=4"},
       more});
  Laboratory laboratory;
  const Tensors before = laboratory.run(all, {.most_steps = 0}).tensors;
  const Tensors after = laboratory.run(all, {.most_steps = 1}).tensors;
  Losses losses(laboratory.config(all), before);
  EXPECT_GT(expect_slopes(losses, before, after), 20);
}

TEST(LatentAttentionTest, GradientsAreSlopes) { expect_gradients(kScaled); }

TEST(LatentAttentionTest, GradientsAreSlopesWithoutALatentQuery) {
  expect_gradients(kPlainQueries);
}

// With unfused kernels scores and norms are chains of ops.
TEST(LatentAttentionTest, GradientsAreSlopesWithKernelsThatAreNotFused) {
  expect_gradients({"kernels.fused=false"});
}

}  // namespace
}  // namespace megascale
