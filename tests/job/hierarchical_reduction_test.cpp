// Gradients that are added over hosts step by step (MegaScale-MoE, appendix A.1): what is sent between
// hosts, and in which order the pieces of a bucket travel.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "megascale/config/load.h"
#include "megascale/graph/ops/ops.h"
#include "megascale/job/job_plan.h"

namespace megascale::job {
namespace {

using ::testing::ElementsAre;

// Eight ranks, two of which share every sequence and a host.
JobPlan by_hosts(int pieces, const std::vector<std::string>& more = {}) {
  std::vector<std::string> settings{
      "model.type=llama",
      "model.num_layers=2",
      "model.hidden_size=64",
      "model.num_attention_heads=4",
      "model.seq_length=16",
      "parallel.world_size=8",
      "parallel.context_parallel_size=2",
      "parallel.data_parallel_buckets=1",
      "parallel.ranks_per_host=2",
      "train.global_batch_size=8",
      "train.threads_per_rank=1",
      "parallel.hierarchical_reduction_pieces=" + std::to_string(pieces)};
  settings.insert(settings.end(), more.begin(), more.end());
  JobPlan job = plan_job(parse_config("", "test", settings));
  EXPECT_TRUE(job.train_verification.ok());
  return job;
}

struct Given {
  std::uint64_t flat = 0, inside = 0, between = 0;  // bytes that transfers get, by kind of group
};

// Of the transfers whose path begins so. Inside hosts those are counted that are of the given kind.
Given given(const JobPlan& job, const std::string& path, const graph::OpDef& kind) {
  const plan::StepPlan& step = job.stages[0].train.expansion.plan;
  Given sum;
  for (const plan::PlanOp& op : step.ops()) {
    if (!op.path.starts_with(path) || op.def->transfer == nullptr) continue;
    const std::uint64_t nbytes = op.operands[0].nbytes;
    switch (step.communicators()[plan::index(op.communicator)].factor) {
      case graph::HostFactor::none:
        sum.flat += nbytes;
        break;
      case graph::HostFactor::inside:
        if (op.def == &kind) sum.inside += nbytes;
        break;
      case graph::HostFactor::between:
        EXPECT_EQ(op.lane, graph::Lane::step);
        sum.between += nbytes;
        break;
    }
  }
  return sum;
}

Given reduced(const JobPlan& job) { return given(job, "data/reduce/", graph::reduce_scatter_op()); }

TEST(HierarchicalReductionTest, ARankSendsItsShareBetweenHostsFromTheSameMemory) {
  const JobPlan flat = by_hosts(0);
  const Given all = reduced(flat);
  EXPECT_GT(all.flat, 0U);
  for (const int pieces : {1, 4}) {
    const JobPlan job = by_hosts(pieces);
    const Given parts = reduced(job);
    EXPECT_EQ(parts.flat, 0U);
    EXPECT_EQ(parts.inside, all.flat);
    EXPECT_EQ(2 * parts.between, all.flat);
    EXPECT_EQ(job.arena_nbytes(), flat.arena_nbytes());
  }
}

TEST(HierarchicalReductionTest, APieceIsAddedInsideWhileTheOneBeforeIsBetweenHosts) {
  const JobPlan job = by_hosts(3);
  const plan::StepPlan& step = job.stages[0].train.expansion.plan;
  std::vector<std::string> inside, between;
  const std::string prefix = "data/reduce/bucket0/";
  for (const plan::Task& task : step.tasks()) {
    const plan::PlanOp& op = step.op(task);
    if (!op.path.starts_with(prefix)) continue;
    (op.lane == graph::Lane::data ? inside : between).push_back(op.path.substr(prefix.size()));
  }
  EXPECT_THAT(inside, ElementsAre("piece0/scatter", "piece1/scatter", "piece0/gather",
                                  "piece2/scatter", "piece1/gather", "piece2/gather"));
  EXPECT_THAT(between, ElementsAre("piece0/between", "piece1/between", "piece2/between"));
}

// With ZeRO 2 between hosts a rank sends 1/n of what it would send else, n ranks a host.
TEST(HierarchicalReductionTest, ARankSendsTheShardsOfItsPlaceBetweenHosts) {
  const std::vector<std::string> shards{"parallel.zero_stage=2"};
  const std::vector<std::string> rounded{"parallel.zero_stage=2",
                                         "parallel.reduce_scatter_with_fp32_accumulation=true"};
  const JobPlan flat = by_hosts(0, shards), exact = by_hosts(1, shards),
                in_bfloat16 = by_hosts(1, rounded);
  const std::uint64_t all = reduced(flat).flat;
  EXPECT_GT(all, 0U);
  for (const JobPlan* job : {&exact, &in_bfloat16}) {
    EXPECT_EQ(reduced(*job).flat, 0U);
    EXPECT_EQ(reduced(*job).inside, all);
    EXPECT_EQ(job->arena_nbytes(), flat.arena_nbytes());
  }
  EXPECT_EQ(2 * reduced(exact).between, all);
  EXPECT_EQ(4 * reduced(in_bfloat16).between, all);
}

// A rank sends its shard to one rank of each other host. Inside hosts every rank sends a shard of each.
TEST(HierarchicalReductionTest, ParametersComeFromTheRankInThisPlaceOfOtherHosts) {
  for (const std::string stage : {"1", "2"}) {
    const std::vector<std::string> zero{"parallel.zero_stage=" + stage};
    const auto gathered = [](const JobPlan& job) {
      return given(job, "data/gather/", graph::all_gather_op());
    };
    const Given flat = gathered(by_hosts(0, zero)), hosts = gathered(by_hosts(1, zero));
    EXPECT_GT(flat.flat, 0U);
    EXPECT_EQ(hosts.flat, 0U);
    EXPECT_EQ(hosts.between, 3 * flat.flat) << "three other hosts";
    EXPECT_EQ(hosts.inside, 4 * flat.flat);
  }
}

// Packing stops computation until the sums inside hosts are there, so it comes one bucket later.
TEST(HierarchicalReductionTest, ABucketIsPackedOnceTheNextOneIsAddedInside) {
  const JobPlan job = by_hosts(1, {"parallel.zero_stage=2", "parallel.data_parallel_buckets=3"});
  const plan::StepPlan& step = job.stages[0].train.expansion.plan;
  std::vector<std::string> order;
  for (const plan::Task& task : step.tasks()) {
    const std::string& path = step.op(task).path;
    const std::string prefix = "data/reduce/bucket";
    if (path.starts_with(prefix)) order.push_back(path.substr(prefix.size()));
  }
  EXPECT_THAT(order, ElementsAre("2/host0", "2/host1", "2/host2", "2/host3",  //
                                 "1/host0", "1/host1", "1/host2", "1/host3", "2/pack", "2/between",
                                 "0/host0", "0/host1", "0/host2", "0/host3", "1/pack", "1/between",
                                 "0/pack", "0/between"));
}

// Groups of which a host holds all members, or one, are not cut. The latter go with the transfers
// between hosts, so that those inside hosts do not wait for them.
TEST(HierarchicalReductionTest, AGroupThatIsOnOneHostOrHasOneRankPerHostIsReducedAtOnce) {
  const auto reduced_by = [](const std::string& ranks, const std::string& tensor) {
    const std::vector<std::string> settings{"model.num_layers=2",
                                            "model.hidden_size=16",
                                            "model.num_attention_heads=2",
                                            "model.seq_length=16",
                                            "parallel.world_size=" + ranks,
                                            "parallel.tensor_model_parallel_size=" + tensor,
                                            "train.global_batch_size=4",
                                            "parallel.ranks_per_host=2",
                                            "parallel.hierarchical_reduction_pieces=2"};
    const JobPlan job = plan_job(parse_config("", "test", settings));
    EXPECT_TRUE(job.train_verification.ok());
    return reduced(job);
  };
  const Given one_host = reduced_by("2", "1");
  EXPECT_EQ(one_host.between, 0U);
  EXPECT_GT(one_host.flat, 0U);
  // Norms are summed over the tensor ranks of a host too, weights only over one rank of each host.
  const Given two_hosts = reduced_by("4", "2");
  EXPECT_EQ(two_hosts.flat, 0U);
  EXPECT_GT(two_hosts.inside, 0U);
  const std::uint64_t weights = two_hosts.between - two_hosts.inside / 2;
  EXPECT_GT(weights, two_hosts.inside);
}

}  // namespace
}  // namespace megascale::job
