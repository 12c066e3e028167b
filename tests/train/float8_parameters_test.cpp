// Parameters that are kept and gathered in 8 bits, beside float32 masters. With one scale for a matrix, a
// training has the bits of one whose products round float32 parameters; with a scale for a row it
// differs by a second rounding in the input gradient. No division of the state changes bits.
#include <gtest/gtest.h>

#include <chrono>

#include "support/job.h"
#include "support/watchdog.h"
#include "train/training.h"

namespace megascale {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

constexpr std::int64_t kSteps = 5;
const Settings kKept{"model.fp8_param_gather=true"};
const Settings kRowwise{"model.fp8_recipe=rowwise"};

// Matrices of several blocks of 4,096 elements, so that shards cut through them.
const Settings kDense{"model.type=llama",
                      "model.num_layers=2",
                      "model.hidden_size=64",
                      "model.num_attention_heads=4",
                      "model.num_query_groups=2",
                      "model.ffn_hidden_size=160",
                      "model.fp8=e4m3"};
const Settings kGpt2{"model.num_layers=2", "model.hidden_size=48", "model.num_attention_heads=4",
                     "model.fp8=e4m3"};
const Settings kExperts =
    joined({kDense,
            {"moe.num_experts=4", "moe.router_topk=2", "moe.ffn_hidden_size=80",
             "moe.shared_expert_intermediate_size=16", "moe.layer_freq=2",
             "parallel.expert_tensor_parallel_size=1"}});
const Settings kExpert2{"parallel.expert_model_parallel_size=2"};

Settings zero(int stage) { return {"parallel.zero_stage=" + std::to_string(stage)}; }

struct Case {
  const char* name;
  Settings settings;
};

std::vector<Case> cases() {
  return {
      {"one rank", kDense},
      {"gpt2, lamb, one rank", joined({kGpt2, {"optimizer.name=lamb"}})},
      {"data2", joined({kDense, split(1, 1, 1, 2)})},
      {"data3 zero1", joined({kDense, split(1, 1, 1, 3), zero(1)})},
      {"data4 zero2", joined({kDense, split(1, 1, 1, 4), zero(2)})},
      {"gpt2, lamb, data2 zero2",
       joined({kGpt2, split(1, 1, 1, 2), zero(2), {"optimizer.name=lamb"}})},
      {"tensor2 data2 zero2", joined({kDense, split(2, 1, 1, 4), zero(2)})},
      {"context2 zero1", joined({kDense, split(1, 2, 1, 2), zero(1)})},
      {"pipeline2 data2 zero1", joined({kDense, split(1, 1, 2, 4), zero(1)})},
      {"a batch that grows, data2 zero1",
       joined({kDense, split(1, 1, 1, 2), zero(1), {"train.rampup_batch_size=4,4,16"}})},
      {"experts", kExperts},
      {"experts, data4 expert2 zero1", joined({kExperts, split(1, 1, 1, 4), kExpert2, zero(1)})},
      {"experts, data4 expert2 zero2, gathered tokens, recomputed",
       joined({kExperts,
               split(1, 1, 1, 4),
               kExpert2,
               zero(2),
               {"moe.token_dispatcher_type=allgather", "recompute.granularity=full"}})},
  };
}

TEST(Float8ParametersTrainingTest, OneScaleForAMatrixGivesTheBitsOfProductsThatRound) {
  Laboratory laboratory;
  for (const Case& one : cases()) {
    const Watchdog watchdog(one.name, std::chrono::seconds(240));
    const Outcome rounded = laboratory.run(one.settings, {.most_steps = kSteps}),
                  kept = laboratory.run(joined({one.settings, kKept}), {.most_steps = kSteps});
    EXPECT_EQ(first_difference(kept, rounded), "") << one.name;
  }
}

// Goal: neither who owns which part nor what runs beside what changes bits.
TEST(Float8ParametersTrainingTest, NoStageOfZeROOverlapOrDelayChangesBits) {
  Laboratory laboratory;
  const std::vector<Case> changes{
      {"zero1", zero(1)},
      {"zero2", zero(2)},
      {"one bucket", joined({zero(2), {"parallel.data_parallel_buckets=1"}})},
      {"no overlap", joined({zero(2), {"overlap.data=false", "overlap.tensor=false"}})},
      {"tasks done twice", joined({zero(1), {"train.repeat_interval=2"}})}};
  for (const Settings& base : {joined({kDense, kKept, kRowwise, split(1, 1, 1, 3)}),
                               joined({kExperts, kKept, kRowwise, split(1, 1, 1, 4), kExpert2})}) {
    const Outcome whole = laboratory.run(base, {.most_steps = kSteps});
    for (const Case& change : changes) {
      const Watchdog watchdog(change.name, std::chrono::seconds(240));
      const Outcome got = laboratory.run(joined({base, change.settings}), {.most_steps = kSteps});
      EXPECT_EQ(first_difference(got, whole), "") << change.name;
    }
    const Outcome delayed = laboratory.run(
        joined({base, zero(2)}),
        {.most_steps = kSteps, .before_task = [](std::uint32_t rank, std::uint32_t task) {
           random_delay(17, rank, task);
         }});
    EXPECT_EQ(first_difference(delayed, whole), "") << "delays";
  }
}

// The forward reads the same values; the input gradient rounds them a second time.
TEST(Float8ParametersTrainingTest, AScaleForARowChangesInputGradientsOnly) {
  Laboratory laboratory;
  for (const Settings& model : {kDense, kExperts}) {
    const Settings base = joined({model, kRowwise, {"optimizer.clip_grad=0"}});
    const Outcome rounded = laboratory.run(base, {.most_steps = 1}),
                  kept = laboratory.run(joined({base, kKept}), {.most_steps = 1});
    EXPECT_EQ(kept.losses, rounded.losses);
    const double difference = worst_gradient_difference(kept.tensors, rounded.tensors);
    EXPECT_GT(difference, 0) << "nothing was rounded twice";
    EXPECT_LT(difference, 0.1);
  }
}

// Ranks of other data layouts add gradients in another order, and a rounded weight may fall on the other side.
TEST(Float8ParametersTrainingTest, LossesOfAllDataLayoutsAreNear) {
  Laboratory laboratory;
  for (const Settings& model : {joined({kDense, kKept}), joined({kExperts, kKept, kRowwise})}) {
    const Outcome one = laboratory.run(model);
    ASSERT_EQ(one.losses.size(), static_cast<std::size_t>(Laboratory::kTrainIters));
    for (const int ranks : {2, 4}) {
      const Outcome got = laboratory.run(joined({model, split(1, 1, 1, ranks), zero(2)}));
      EXPECT_EQ(got.state.sample_digest, one.state.sample_digest);
      EXPECT_LT(worst_relative_difference(got.losses, one.losses), 1e-3) << ranks;
    }
  }
}

// Goal: a model learns as with products and parameters in float32.
TEST(Float8ParametersTrainingTest, LearnsAsWithout8Bits) {
  Laboratory laboratory;
  const Settings base =
      joined({kExperts,
              split(1, 1, 1, 2),
              zero(2),
              {"train.train_iters=40", "optimizer.lr=0.01", "optimizer.clip_grad=1"}});
  const Outcome plain = laboratory.run(joined({base, {"model.fp8=none"}}));
  EXPECT_LT(plain.losses.back(), 0.95 * plain.losses.front());
  for (const Settings& recipe : {Settings{}, kRowwise}) {
    const Outcome kept = laboratory.run(joined({base, kKept, recipe}));
    const double difference = worst_relative_difference(kept.losses, plain.losses);
    std::printf("loss %.4f to %.4f, without 8 bits to %.4f; worst relative difference %.1e\n",
                kept.losses.front(), kept.losses.back(), plain.losses.back(), difference);
    EXPECT_LT(difference, 0.01);
  }
}

TEST(Float8ParametersTrainingTest, AResumeRepeatsTheBits) {
  Laboratory laboratory;
  for (const Settings& all :
       {joined({kDense, kKept, split(1, 1, 1, 3), zero(2)}),
        joined({kExperts, kKept, kRowwise, split(1, 1, 1, 4), kExpert2, zero(1)})}) {
    const Outcome whole = laboratory.run(all, {.most_steps = 6}),
                  half = laboratory.run(all, {.most_steps = 3}),
                  rest = laboratory.run(all, {.most_steps = 3, .load = half.checkpoints});
    EXPECT_EQ(first_difference(rest.tensors, whole.tensors), "");
    EXPECT_EQ(rest.losses, std::vector<double>(whole.losses.begin() + 3, whole.losses.end()));
  }
}

// Checkpoints hold the float32 masters.
TEST(Float8ParametersTrainingTest, CheckpointsGoFromAnyLayoutToAnyOther) {
  Laboratory laboratory;
  const std::vector<Settings> layouts{
      joined({kExperts, kKept}),
      joined({kExperts, kKept, kRowwise, split(1, 1, 1, 4), kExpert2, zero(1)}),
      joined({kExperts, kKept, split(2, 1, 1, 4), zero(2)}),
      joined({kExperts, split(1, 1, 1, 2), zero(1)})};  // parameters in float32
  for (const Settings& from : layouts) {
    const Outcome saved = laboratory.run(from, {.most_steps = 2});
    for (const Settings& to : layouts) {
      const Outcome loaded = laboratory.run(to, {.most_steps = 0, .load = saved.checkpoints});
      EXPECT_EQ(first_difference(loaded.tensors, saved.tensors), "");
    }
  }
}

}  // namespace
}  // namespace megascale
