// What ranks hand to each other in a step, against the formulas of the papers.
#include "megascale/plan/communication_volume.h"

#include <gtest/gtest.h>

#include <array>

#include "megascale/config/load.h"
#include "megascale/job/job_plan.h"

namespace megascale::engine {
namespace {

using graph::Lane;

constexpr double kLayers = 3, kHidden = 32, kLength = 16, kMicroBatches = 2, kItem = 4;

job::JobPlan job_of(const std::vector<std::string>& more) {
  std::vector<std::string> all{"model.type=llama",        "model.num_layers=3",
                               "model.hidden_size=32",    "model.num_attention_heads=8",
                               "model.seq_length=16",     "train.global_batch_size=2",
                               "model.num_query_groups=4"};
  all.insert(all.end(), more.begin(), more.end());
  return job::plan_job(parse_config("", "test", all));
}

plan::CommunicationVolume volume_of(const std::vector<std::string>& more) {
  return plan::count_communication(job_of(more).stages[0].train.expansion.plan);
}

// Jin et al. 2025 (arXiv 2505.11432), section 3.1, counted once: (2 + 2/m)/n of b s h (n - 1)/n
// elements forward, with m query heads per key-value head. Backward as much, and the output's
// exchange once more unless what it brought was kept.
double exchanged(double n, double m, bool kept) {
  const double unit = kLength * kHidden / n * (n - 1) / n;
  const double forward = (2 + 2 / m) * unit;
  return kLayers * kMicroBatches * kItem * (2 * forward + (kept ? 0 : unit));
}

TEST(CommunicationTest, ExchangesOfContextParallelismAreThoseOfTheFormula) {
  const std::string context = "parallel.context_parallel_size=";
  for (const int n : {2, 4}) {
    EXPECT_DOUBLE_EQ(volume_of({context + std::to_string(n)})[Lane::context],
                     exchanged(n, 2, false));
  }
  EXPECT_DOUBLE_EQ(volume_of({context + "4", "recompute.keep_gathered_input=true"})[Lane::context],
                   exchanged(4, 2, true));
  EXPECT_DOUBLE_EQ(volume_of({context + "8"})[Lane::context], exchanged(8, 1, false))
      << "with fewer key-value heads than ranks every rank gets one";
  EXPECT_EQ(volume_of({})[Lane::context], 0);
}

// Megatron's count: a layer gathers and scatters b s h twice forward; backward the same, and both
// gathers once more unless what they brought was kept. The embedding, the head and its statistics
// are beside.
TEST(CommunicationTest, TensorParallelismGathersAndScatters) {
  const std::string tensor = "parallel.tensor_model_parallel_size=2";
  const double layers =
      volume_of({tensor})[Lane::tensor] - volume_of({tensor, "model.num_layers=1"})[Lane::tensor];
  const double unit = kLength * kHidden / 2;
  EXPECT_DOUBLE_EQ(layers, (kLayers - 1) * kMicroBatches * kItem * 10 * unit);
}

TEST(CommunicationTest, ReplicasReduceTheirGradients) {
  const std::string zero = "parallel.zero_stage=", ranks = "parallel.world_size=2";
  const double reduced = volume_of({ranks, zero + "0"})[Lane::data],
               sharded = volume_of({ranks, zero + "2"})[Lane::data];
  EXPECT_GT(reduced, 0);
  // A reduce-scatter and a gather instead of an all-reduce; shards are padded.
  EXPECT_NEAR(sharded / reduced, 1, 0.2);
}

TEST(CommunicationTest, GroupsAddUpToTheirLanesAndStagesReceiveWhatOthersSend) {
  const job::JobPlan job =
      job_of({"parallel.world_size=4", "parallel.tensor_model_parallel_size=2",
              "parallel.pipeline_model_parallel_size=2", "model.num_layers=4"});
  std::array<double, 2> sent{}, received{};
  for (std::size_t stage = 0; stage < 2; ++stage) {
    const plan::StepPlan& plan = job.stages[stage].train.expansion.plan;
    const auto groups = plan::count_by_communicator(plan);
    ASSERT_EQ(groups.size(), plan.communicators().size());
    plan::CommunicationVolume by_lane;
    for (std::size_t c = 0; c < groups.size(); ++c) {
      const plan::Communicator& communicator = plan.communicators()[c];
      by_lane.by_lane[static_cast<std::size_t>(communicator.lane)] += groups[c].sent;
      if (communicator.edge_offset == 0) continue;
      sent[stage] += groups[c].sent;
      received[stage] += groups[c].received;
    }
    const plan::CommunicationVolume whole = plan::count_communication(plan);
    for (std::size_t l = 0; l < graph::kLaneCount; ++l)
      EXPECT_DOUBLE_EQ(by_lane.by_lane[l], whole.by_lane[l]) << "lane " << l;
    EXPECT_GT(whole[Lane::tensor], 0);
  }
  EXPECT_GT(sent[0], 0);
  EXPECT_DOUBLE_EQ(sent[0], received[1]);
  EXPECT_DOUBLE_EQ(sent[1], received[0]);
}

}  // namespace
}  // namespace megascale::engine
