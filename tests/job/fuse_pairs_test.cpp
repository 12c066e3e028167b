// Which pairs of the layers of a model are fused: those of MegaScale-MoE (arXiv 2505.11432, sections 6.2
// and 6.3), forward and backward; and that the order of the program stays right.
#include "megascale/plan/passes/fuse_pairs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "megascale/config/load.h"
#include "megascale/job/job_plan.h"
#include "megascale/plan/fused_pairs.h"

namespace megascale::job {
namespace {

using ::testing::UnorderedElementsAre;

Config paired_config(const std::vector<std::string>& more) {
  std::vector<std::string> settings{"model.num_layers=2",          "model.hidden_size=256",
                                    "model.num_attention_heads=8", "model.num_query_groups=4",
                                    "model.ffn_hidden_size=512",   "model.seq_length=256",
                                    "train.global_batch_size=8",   "parallel.world_size=4",
                                    "train.threads_per_rank=1",    "overlap.fused_pairs=true"};
  settings.insert(settings.end(), more.begin(), more.end());
  return parse_config("", "test", settings);
}

std::vector<std::string> with_experts(const std::string& dispatch) {
  return {"model.type=mixtral",
          "moe.num_experts=8",
          "parallel.context_parallel_size=4",
          "parallel.expert_model_parallel_size=4",
          "recompute.granularity=selective_moe",
          "moe.token_dispatcher_type=" + dispatch};
}

// By pair: the paths of its ops in one layer of a program, joined.
std::vector<std::string> pairs_of(const std::vector<graph::Op>& ops) {
  std::map<std::uint32_t, std::string> paths;
  for (const graph::Op& op : ops) {
    if (op.pair == 0 || op.scope != "layer1") continue;
    std::string& all = paths[op.pair];
    all += (all.empty() ? "" : " > ") + op.path;
  }
  std::vector<std::string> result;
  for (const auto& [number, all] : paths) result.push_back(all);
  return result;
}

TEST(FusePairsTest, SequenceAndExpertParallelLayersHaveThePairsOfThePaper) {
  const JobPlan job = plan_job(paired_config(with_experts("alltoall")));
  const graph::Program& program = job.stages[0].train_chunks[0];
  EXPECT_THAT(pairs_of(program.forward),
              UnorderedElementsAre(
                  "attention/qkv > attention/rope > attention/qkv/split_heads > "
                  "attention/qkv/all_to_all",
                  "attention/core/all_to_all > attention/core/join_heads > attention/output",
                  "mlp/dispatch > mlp/dispatch/reorder > mlp/experts/gate_up",
                  "mlp/experts/down > mlp/combine/reorder > mlp/combine"));
  EXPECT_THAT(pairs_of(program.backward).size(), 4U);
}

TEST(FusePairsTest, GatheredTokensAndTheirSumsArePairs) {
  const JobPlan job = plan_job(paired_config(with_experts("allgather")));
  const graph::Program& program = job.stages[0].train_chunks[0];
  const std::vector<std::string> pairs = pairs_of(program.forward);
  EXPECT_THAT(pairs, ::testing::Contains("mlp/dispatch > mlp/gather > mlp/experts/gate_up"));
  EXPECT_THAT(pairs, ::testing::Contains("mlp/experts/down > mlp/sum_rows > mlp/combine"));
}

TEST(FusePairsTest, TensorParallelLayersHavePairs) {
  const JobPlan job =
      plan_job(paired_config({"model.type=llama", "parallel.tensor_model_parallel_size=4"}));
  const graph::Program& program = job.stages[0].train_chunks[0];
  EXPECT_EQ(pairs_of(program.forward).size(), 4U)
      << ::testing::PrintToString(pairs_of(program.forward));
  EXPECT_GE(pairs_of(program.backward).size(), 4U);
}

// The pass changes nothing but the order of independent ops, and marks.
TEST(FusePairsTest, EveryOpStaysBehindThoseThatItDependsOn) {
  for (const char* dispatch : {"alltoall", "allgather"}) {
    std::vector<std::string> settings = with_experts(dispatch);
    settings.emplace_back("moe.shared_expert_intermediate_size=512");
    const JobPlan fused = plan_job(paired_config(settings));
    const auto key = [](const graph::Op& op) {
      return op.scope + "/" + op.path + "/" + std::to_string(static_cast<int>(op.phase));
    };
    for (const auto& program : fused.stages[0].train_chunks) {
      std::set<graph::TensorId> written;
      for (const auto* ops : {&program.forward, &program.backward}) {
        for (const graph::Op& op : *ops) {
          for (std::size_t o = 0; o < op.operands.size(); ++o) {
            if (op.operands[o] == graph::kNoTensor) continue;
            const bool is_activation =
                program.tensor(op.operands[o]).role == graph::Role::activation;
            if (op.def->operands[o].access == graph::Access::read) {
              EXPECT_TRUE(!is_activation || written.contains(op.operands[o])) << key(op);
            } else {
              written.insert(op.operands[o]);
            }
          }
        }
      }
    }
  }
}

// The plans of such programs are proven, in all layouts: the bytes of a pair's tasks stay apart.
TEST(FusePairsTest, PlansWithPairsAreVerified) {
  std::vector<std::vector<std::string>> all;
  for (const char* dispatch : {"alltoall", "allgather"}) {
    for (const char* granularity : {"none", "selective", "full", "selective_moe"}) {
      all.push_back(with_experts(dispatch));
      all.back().push_back(std::string("recompute.granularity=") + granularity);
    }
    all.push_back(with_experts(dispatch));
    all.back().emplace_back("overlap.layer_order=false");
    all.push_back(with_experts(dispatch));
    all.back().emplace_back("moe.shared_expert_intermediate_size=512");
    all.push_back(with_experts(dispatch));
    all.back().emplace_back("train.micro_batch_size=2");
  }
  all.push_back({"model.type=llama", "parallel.tensor_model_parallel_size=4"});
  all.push_back({"model.type=gpt2", "parallel.tensor_model_parallel_size=2",
                 "parallel.context_parallel_size=2", "model.num_query_groups=8"});
  all.push_back({"model.type=llama", "parallel.tensor_model_parallel_size=2",
                 "parallel.pipeline_model_parallel_size=2", "parallel.pipeline_schedule=zb-h1",
                 "parallel.zero_stage=2"});
  for (const std::vector<std::string>& settings : all) {
    const JobPlan job = plan_job(paired_config(settings));
    const std::string name = ::testing::PrintToString(settings);
    EXPECT_EQ(violations({&job.train_verification, &job.evaluate_verification}), "") << name;
    EXPECT_FALSE(plan::fused_pairs(job.stages[0].train.expansion.plan).empty()) << name;
    EXPECT_FALSE(plan::fused_pairs(job.stages[0].evaluate.expansion.plan).empty()) << name;
  }
}

TEST(FusePairsTest, WithoutTheKeyNoOpIsMarked) {
  std::vector<std::string> settings = with_experts("alltoall");
  const Config with = paired_config(settings);
  Config without = with;
  without.overlap.fused_pairs = false;
  const JobPlan job = plan_job(without);
  EXPECT_TRUE(plan::fused_pairs(job.stages[0].train.expansion.plan).empty());
  EXPECT_NE(job.stages[0].train.expansion.plan.digest(),
            plan_job(with).stages[0].train.expansion.plan.digest());
}

}  // namespace
}  // namespace megascale::job
