// Jobs verified by classes of ranks: the same verdict and messages as rank by rank, on a selection
// of the layouts of up to 16 ranks, and faults in one of many ranks.
#include "job/folding.h"

#include "job/layouts.h"

namespace megascale::job {
namespace {

using namespace megascale::testing;  // NOLINT(google-build-using-namespace)

TEST(FoldTest, OneOddRankMakesFourClassesOfAStage) {
  const JobPlan job = plan_layout({.tensor = 4, .data = 3, .pipeline = 2}, 2);
  std::vector<PlanPointer> plans = plans_by_rank(job);
  EXPECT_EQ(plan::Fold(job.grid, plans).representatives(), (std::vector<std::uint32_t>{0, 12}));
  plans[4 + 2] = std::make_shared<const plan::StepPlan>(*plans[0]);  // tensor 2, data 1, stage 0
  const plan::Fold fold(job.grid, plans);
  EXPECT_EQ(fold.representatives(), (std::vector<std::uint32_t>{0, 2, 4, 6, 12, 14, 16, 18}));
  EXPECT_EQ(fold.representative(11), 0U);
  EXPECT_EQ(fold.representative(10), 2U);
  EXPECT_EQ(fold.representative(7), 4U);
  EXPECT_EQ(fold.representative(23), 12U);
  EXPECT_FALSE(fold.is_uniform(0));
  EXPECT_TRUE(fold.is_uniform(1));
}

TEST(FoldingTest, IsTheSameAsRankByRank) {
  const std::vector<Layout> all = layouts(/*most_ranks=*/16);
  std::mt19937_64 engine(20240229);
  FoldingCount count;
  for (int i = 0; i < 24; ++i) compare_layout(all[engine() % all.size()], engine(), count);
  EXPECT_GT(count.good, 20);
  EXPECT_GT(count.with_fault, 80);
  EXPECT_GT(count.found, count.with_fault / 2);
}

class OneOfManyTest : public ::testing::TestWithParam<Fault> {};
INSTANTIATE_TEST_SUITE_P(Faults, OneOfManyTest, ::testing::ValuesIn(kFaults),
                         [](const auto& fault) { return name(fault.param); });

TEST_P(OneOfManyTest, IsFoundAndNamed) {
  const JobPlan job = plan_layout({.tensor = 4,
                                   .data = 48,
                                   .pipeline = 4,
                                   .schedule = "interleaved",
                                   .zero_stage = 2,
                                   .pieces = 2},
                                  8);
  ASSERT_EQ(job.grid.world_size(), 768U);
  ASSERT_TRUE(job.train_verification.ok());
  for (std::uint64_t seed = 0; seed < 3; ++seed) seed_one_of(job, GetParam(), seed);
}

}  // namespace
}  // namespace megascale::job
