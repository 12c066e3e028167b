// Plans whose collectives go over both factorisations of a stage's ranks, verified by classes of
// ranks: the same verdict and messages as rank by rank, right or with a fault, and fast for many.
#include <chrono>

#include "job/folding.h"
#include "train/expert_job.h"

namespace megascale {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

TEST(ExpertFoldingTest, IsTheSameAsRankByRank) {
  const std::vector<graph::AxisSizes> layouts{{{1, 1, 4, 1, 2, 1, 1}},
                                              {{2, 1, 4, 2, 2, 1, 1}},
                                              {{3, 2, 1, 2, 3, 1, 2}},
                                              {{2, 1, 3, 3, 1, 1, 2}},
                                              {{2, 2, 2, 1, 4, 1, 2}}};
  std::mt19937_64 random(11);
  int with_fault = 0, found = 0;
  for (const graph::AxisSizes& sizes : layouts) {
    for (const std::uint32_t zero_stage : {0U, 2U}) {
      const ExpertPlans job({.sizes = sizes, .zero_stage = zero_stage});
      const std::vector<PlanPointer> right = job.plans_by_rank();
      EXPECT_TRUE(same_verdict(right, job.grid()));
      for (const Fault fault : kFaults) {
        const auto rank = static_cast<std::uint32_t>(random() % right.size());
        const SeededFault seeded = FaultSeeder(job.built(rank).expansion, random()).seed(fault);
        if (!seeded.possible) continue;
        std::vector<PlanPointer> plans = right;
        plans[rank] = std::make_shared<const plan::StepPlan>(seeded.tables);
        EXPECT_TRUE(same_verdict(plans, job.grid()))
            << name(fault) << " in rank " << rank << " of stages " << sizes[graph::Axis::pipeline];
        ++with_fault;
        found += !plan::verify_folded(plans, job.grid()).ok();
      }
    }
  }
  EXPECT_GT(with_fault, 20);
  EXPECT_EQ(found, with_fault);
}

// Its expert groups of 12 ranks do not divide the dense ones of 8: 48 classes of a stage, not 1,536
// ranks. (Rank by rank it takes 8 s.)
TEST(ExpertFoldingTest, ThousandsOfRanksAreVerifiedAtTheCostOfTheirClasses) {
  const auto begin = std::chrono::steady_clock::now();
  const ExpertPlans job({.sizes = {{4, 2, 192, 2, 6, 1, 2}}, .zero_stage = 2});
  ASSERT_EQ(job.grid().world_size(), 3072U);
  std::vector<PlanPointer> plans = job.plans_by_rank();
  SeededFault seeded;
  for (std::uint64_t seed = 0; !seeded.possible; ++seed)
    seeded = FaultSeeder(job.built(0).expansion, seed).seed(Fault::swapped_collectives);
  plans[1001] = std::make_shared<const plan::StepPlan>(seeded.tables);
  const plan::Verification verification = plan::verify_folded(plans, job.grid());
  EXPECT_TRUE(names_fault(verification, 1001, seeded.task));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(4));
}

}  // namespace
}  // namespace megascale
