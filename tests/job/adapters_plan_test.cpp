// Plans of models with adapters: proven, small, and without work for frozen weights.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "megascale/config/load.h"
#include "megascale/graph/ops/ops.h"
#include "megascale/job/job_plan.h"
#include "megascale/plan/communication_volume.h"

namespace megascale::job {
namespace {

using plan::Category;
using plan::PlanOp;

const std::vector<std::string> kAdapters{"lora.rank=8", "lora.targets=linear_qkv,linear_proj"};

JobPlan plan_of(std::vector<std::string> settings, const std::vector<std::string>& more = {}) {
  settings.insert(settings.end(), more.begin(), more.end());
  return plan_job(parse_config("", "test", settings));
}

// The model of configs/quickstart-bpe.toml.
const std::vector<std::string> kQuickstart{
    "model.type=llama",          "model.num_layers=4",        "model.hidden_size=192",
    "model.ffn_hidden_size=512", "model.vocab_size=2048",     "model.num_attention_heads=6",
    "model.seq_length=256",      "train.micro_batch_size=16", "train.threads_per_rank=1"};

std::uint64_t bytes_of(const JobPlan& job, Category category) {
  return job.stages[0].train.memory.by_category[static_cast<std::size_t>(category)];
}
std::uint64_t state_of(const JobPlan& job) {
  return bytes_of(job, Category::parameters) + bytes_of(job, Category::masters) +
         bytes_of(job, Category::main_gradients) + bytes_of(job, Category::optimizer_state);
}

TEST(AdapterPlanTest, StateIsLessThanAThirdOfThatOfATrainingOfAllWeights) {
  const JobPlan all = plan_of(kQuickstart), adapters = plan_of(kQuickstart, kAdapters);
  const double share = static_cast<double>(state_of(adapters)) / static_cast<double>(state_of(all));
  std::printf("state: %lu of %lu bytes (%.1f %%)\n", state_of(adapters), state_of(all),
              100 * share);
  EXPECT_LE(share, 0.3);
  EXPECT_GT(bytes_of(adapters, Category::parameters), bytes_of(all, Category::parameters));
  EXPECT_LT(bytes_of(adapters, Category::main_gradients),
            bytes_of(all, Category::main_gradients) / 20);
  // In bfloat16 a weight takes two bytes and has no master, where training takes 18.
  const std::vector<std::string> half{"model.dtype=bfloat16"};
  auto half_adapters = kAdapters;
  half_adapters.push_back(half.front());
  EXPECT_LE(static_cast<double>(state_of(plan_of(kQuickstart, half_adapters))),
            0.2 * static_cast<double>(state_of(plan_of(kQuickstart, half))));
}

std::map<std::string, int> kinds_of(const JobPlan& job) {
  std::map<std::string, int> kinds;
  for (const PlanOp& op : job.stages[0].train.expansion.plan.ops())
    ++kinds[std::string(op.def->name)];
  return kinds;
}

// Goal: no gradient of a frozen weight is computed, and none that leads to no adapter.
TEST(AdapterPlanTest, FrozenWeightsHaveNoGradients) {
  for (const char* recompute : {"none", "full"}) {
    const JobPlan job = plan_of(kQuickstart, {"lora.rank=8", "lora.targets=linear_qkv",
                                              fmt::format("recompute.granularity={}", recompute)});
    const auto kinds = kinds_of(job);
    constexpr int kLayers = 4;
    EXPECT_EQ(kinds.at("linear_weight_gradient"), 2 * kLayers);  // A and B
    EXPECT_FALSE(kinds.contains("embedding_gradient"));
    EXPECT_FALSE(kinds.contains("bias_gradient"));
    // Of a layer: qkv, A, B, output, gate and up, down; in the first one of B alone: below its adapter
    // nothing is trained, and A has no input gradient either. The head has one.
    EXPECT_EQ(kinds.at("linear_input_gradient"), 6 * kLayers - 2 + 1);
    EXPECT_EQ(kinds.at("rms_norm_gradient"), 2 * kLayers - 1 + 1);
    for (const PlanOp& op : job.stages[0].train.expansion.plan.ops()) {
      if (op.def != &graph::rms_norm_gradient_op()) continue;
      EXPECT_EQ(op.operands[graph::rms_norm_gradient::gamma_gradient].nbytes, 0U) << op.path;
    }
  }
}

// Goal: the same of routers and experts.
TEST(AdapterPlanTest, FrozenExpertsHaveNoGradients) {
  const std::vector<std::string> experts{"model.ffn_hidden_size=384", "moe.num_experts=8"};
  const auto count = [&](const char* targets, const char* kind) {
    auto with = experts;
    with.insert(with.end(), {"lora.rank=8", fmt::format("lora.targets={}", targets)});
    return kinds_of(plan_of(kQuickstart, with))[kind];
  };
  constexpr int kLayers = 4;
  EXPECT_EQ(count("linear_qkv", "grouped_linear_weight_gradient"), 0);
  EXPECT_EQ(count("linear_qkv", "grouped_linear_input_gradient"), 2 * kLayers);
  EXPECT_EQ(count("linear_qkv", "linear_weight_gradient"), 2 * kLayers);
  EXPECT_EQ(count("linear_fc1,linear_fc2", "grouped_linear_weight_gradient"), 4 * kLayers);
  EXPECT_EQ(count("linear_fc1,linear_fc2", "linear_weight_gradient"), 0);
  // Of a layer: gate and up, down, and their A and B; in the first one below gate and up nothing is trained.
  EXPECT_EQ(count("linear_fc1,linear_fc2", "grouped_linear_input_gradient"), 6 * kLayers - 2);
}

// Goal: the ranks exchange no more than without adapters, but for the gradients: those of adapters alone.
TEST(AdapterPlanTest, AdaptersNeedNoTransfersOfTheirOwn) {
  const std::vector<std::string> layout{"parallel.world_size=4",
                                        "parallel.tensor_model_parallel_size=2",
                                        "train.micro_batch_size=4", "train.global_batch_size=8"};
  auto with = layout;
  with.insert(with.end(), {"lora.rank=8"});
  const JobPlan all = plan_of(kQuickstart, layout), adapters = plan_of(kQuickstart, with);
  const auto sent = [](const JobPlan& job, graph::Lane lane) {
    return plan::count_communication(job.stages[0].train.expansion.plan)
        .by_lane[static_cast<std::size_t>(lane)];
  };
  EXPECT_LT(sent(adapters, graph::Lane::tensor), sent(all, graph::Lane::tensor));
  EXPECT_GT(sent(adapters, graph::Lane::tensor), 0.8 * sent(all, graph::Lane::tensor));
  EXPECT_LT(sent(adapters, graph::Lane::data), 0.2 * sent(all, graph::Lane::data));
}

TEST(AdapterPlanTest, PlansOfManyLayoutsAreProven) {
  int jobs = 0;
  for (const char* targets : {"linear_qkv,linear_proj,linear_fc1,linear_fc2", "linear_fc2"}) {
    for (const int tensor : {1, 2}) {
      for (const int pipeline : {1, 2}) {
        for (const char* schedule : {"1f1b", "zb-h1", "interleaved"}) {
          const bool interleaved = schedule == std::string("interleaved");
          if (interleaved && pipeline == 1) continue;
          ++jobs;
          const JobPlan job = plan_of(
              {"model.num_layers=4", "model.hidden_size=24", "model.num_attention_heads=12",
               "model.seq_length=12", "train.global_batch_size=8", "train.threads_per_rank=1",
               "lora.rank=2", fmt::format("lora.targets={}", targets),
               fmt::format("parallel.world_size={}", 2 * tensor * pipeline),
               fmt::format("parallel.tensor_model_parallel_size={}", tensor),
               fmt::format("parallel.pipeline_model_parallel_size={}", pipeline),
               fmt::format("parallel.pipeline_schedule={}", schedule),
               fmt::format("parallel.virtual_pipeline_size={}", interleaved ? 2 : 1),
               fmt::format("parallel.zero_stage={}", jobs % 3),
               fmt::format("recompute.granularity={}", jobs % 2 == 0 ? "none" : "full"),
               fmt::format("optimizer.name={}", jobs % 4 == 0 ? "lamb" : "adamw"),
               fmt::format("overlap.data={}", jobs % 5 != 0)});
          EXPECT_EQ(violations({&job.train_verification, &job.evaluate_verification}), "")
              << targets << " " << tensor << " " << pipeline << " " << schedule;
        }
      }
    }
  }
  EXPECT_EQ(jobs, 2 * 2 * (2 + 3));
}

}  // namespace
}  // namespace megascale::job
