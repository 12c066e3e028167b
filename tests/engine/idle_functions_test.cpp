// Goal: where transfers are measured alone, counted transfers carry the rows of an even routing.
#include "megascale/engine/idle_functions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "megascale/config/load.h"
#include "megascale/graph/ops/expert_ops.h"
#include "megascale/job/job_plan.h"

namespace megascale::engine {
namespace {

// Two expert ranks with 8 tokens each in a micro-batch; a token has 2 of 4 experts.
job::JobPlan routed_job() {
  const std::vector<std::string> settings{"model.type=mixtral",
                                          "model.num_layers=1",
                                          "model.hidden_size=16",
                                          "model.num_attention_heads=2",
                                          "model.num_query_groups=2",
                                          "model.ffn_hidden_size=16",
                                          "model.seq_length=8",
                                          "moe.num_experts=4",
                                          "moe.router_topk=2",
                                          "moe.token_dispatcher_type=alltoall",
                                          "train.global_batch_size=2",
                                          "parallel.world_size=2",
                                          "parallel.expert_model_parallel_size=2"};
  return job::plan_job(parse_config("", "test", settings));
}

TEST(IdleFunctionsTest, RoutesAreEvenAndCountsAreComputed) {
  const job::JobPlan job = routed_job();
  std::map<std::string, TaskFunction*> functions;
  IdleFunctions idle;
  idle.add(job.stages[0].train.expansion.plan, functions);
  EXPECT_EQ(functions.count("dispatch_map"), 0U) << "its kernel has to count";
  EXPECT_EQ(functions.count("regroup_map"), 0U) << "its kernel has to count";
  EXPECT_EQ(functions.count("grouped_linear"), 1U);
  ASSERT_EQ(functions.count("route"), 1U);

  std::array<std::int32_t, 16> choices{};
  choices.fill(-1);
  std::array<std::byte*, 7> operands{};
  operands[graph::route::choices] = reinterpret_cast<std::byte*>(choices.data());
  EXPECT_EQ(functions.at("route")->run({.operands = operands}), nullptr);
  for (std::int32_t expert = 0; expert < 4; ++expert)
    EXPECT_EQ(std::count(choices.begin(), choices.end(), expert), 4) << "expert " << expert;
  for (std::size_t t = 0; t < choices.size(); t += 2)
    EXPECT_NE(choices[t], choices[t + 1]) << "the choices of a token are different experts";
}

TEST(IdleFunctionsTest, FunctionsOfTheCallerStay) {
  const job::JobPlan job = routed_job();
  struct : TaskFunction {
    const Error* run(const TaskArguments&) noexcept override { return nullptr; }
  } own;
  std::map<std::string, TaskFunction*> functions{{"load_batch", &own}};
  IdleFunctions idle;
  idle.add(job.stages[0].train.expansion.plan, functions);
  EXPECT_EQ(functions.at("load_batch"), &own);
}

}  // namespace
}  // namespace megascale::engine
