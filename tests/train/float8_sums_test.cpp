// Tensor ranks that send partial sums in 8 bits and add them in float32 (MegaScale-MoE, arXiv 2505.11432,
// section 7.2): near the training without, and the same bits whatever runs beside what.
#include <gtest/gtest.h>

#include <chrono>

#include "support/job.h"
#include "support/watchdog.h"
#include "train/training.h"

namespace megascale {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

const Settings kSums{"parallel.fp8_reduce_scatter=true"};
const Settings kLlama{"model.type=llama",         "model.num_layers=2",
                      "model.hidden_size=64",     "model.num_attention_heads=4",
                      "model.num_query_groups=4", "model.ffn_hidden_size=160",
                      "optimizer.clip_grad=0"};
const Settings kSmallGpt2{"model.num_layers=2", "model.hidden_size=48",
                          "model.num_attention_heads=4", "optimizer.clip_grad=0"};
const Settings kWithExperts = joined(
    {kLlama,
     {"moe.num_experts=4", "moe.router_topk=2", "moe.ffn_hidden_size=80", "moe.layer_freq=2"}});

struct SumsCase {
  const char* name;
  Settings settings;
};
std::vector<SumsCase> sums_cases() {
  return {{"tensor2", joined({kLlama, split(2, 1, 1, 2)})},
          {"gpt2, tensor4", joined({kSmallGpt2, split(4, 1, 1, 4)})},
          {"parallel block, tensor2",
           joined({kSmallGpt2, {"model.parallel_block=true"}, split(2, 1, 1, 2)})},
          {"tensor2 context2", joined({kLlama, split(2, 2, 1, 4)})},
          {"tensor2 pipeline2 data2 zero2",
           joined({kLlama, split(2, 1, 2, 8), {"parallel.zero_stage=2"}})},
          {"experts, tensor2", joined({kWithExperts, split(2, 1, 1, 2)})}};
}

// Four significant bits are left of what is sent, so gradients are off by some hundredths.
TEST(Float8SumsTest, SumsIn8BitsAreCloseToPlainOnes) {
  Laboratory laboratory;
  for (const SumsCase& one : sums_cases()) {
    const Watchdog watchdog(one.name, std::chrono::seconds(240));
    const Outcome plain = laboratory.run(one.settings, {.most_steps = 1}),
                  sums = laboratory.run(joined({one.settings, kSums}), {.most_steps = 1});
    const double gradient = worst_gradient_difference(sums.tensors, plain.tensors);
    EXPECT_GE(gradient, 1e-3) << one.name << ": nothing was rounded";
    EXPECT_LE(gradient, 0.1) << one.name;
    EXPECT_LE(worst_relative_difference(sums.losses, plain.losses), 1e-3) << one.name;
  }
}

// A repeated sum carries the bits of the first one, and overlap decides no bit.
TEST(Float8SumsTest, NeitherOverlapNorRecomputationChangesBits) {
  Laboratory laboratory;
  for (const SumsCase& one : sums_cases()) {
    const Watchdog watchdog(one.name, std::chrono::seconds(240));
    const Settings settings = joined({one.settings, kSums});
    const Outcome expected = laboratory.run(settings, {.most_steps = 5});
    for (const Settings& more :
         {Settings{"overlap.tensor=false", "overlap.data=false", "overlap.pipeline=false"},
          Settings{"recompute.granularity=full"}, Settings{"recompute.keep_gathered_input=true"}}) {
      EXPECT_EQ(
          first_difference(laboratory.run(joined({settings, more}), {.most_steps = 5}), expected),
          "")
          << one.name << ", " << more[0];
    }
  }
}

TEST(Float8SumsTest, OneTensorRankSendsNothing) {
  Laboratory laboratory;
  const Settings settings = joined({kLlama, split(1, 1, 1, 2)});
  EXPECT_EQ(first_difference(laboratory.run(joined({settings, kSums}), {.most_steps = 5}),
                             laboratory.run(settings, {.most_steps = 5})),
            "");
}

}  // namespace
}  // namespace megascale
