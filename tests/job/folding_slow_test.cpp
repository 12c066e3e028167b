// All layouts of up to 16 ranks, folded and rank by rank, and faults in one of the 12,288 ranks of
// the 175B model.
#include "job/layouts.h"

namespace megascale::job {
namespace {

using namespace megascale::testing;  // NOLINT(google-build-using-namespace)

TEST(FoldingSlowTest, EveryLayoutIsTheSameAsRankByRank) {
  FoldingCount count;
  std::uint64_t seed = 0;
  for (const Layout& layout : layouts(/*most_ranks=*/16)) compare_layout(layout, ++seed, count);
  EXPECT_EQ(count.good, 486);
  EXPECT_GT(count.found, count.with_fault / 2);
  std::printf("%d layouts, %d with a fault, %d found wrong\n", count.good, count.with_fault,
              count.found);
}

TEST(FoldingSlowTest, AFaultInOneOf12288RanksIsFoundAndNamed) {
  const JobPlan job = plan_job(load_config(MEGASCALE_SOURCE_DIR "/configs/megascale-175b.toml"));
  ASSERT_EQ(job.grid.world_size(), 12288U);
  ASSERT_TRUE(job.train_verification.ok());
  for (const Fault fault : kFaults) {
    for (std::uint64_t seed = 0; seed < 3; ++seed) seed_one_of(job, fault, seed);
  }
}

}  // namespace
}  // namespace megascale::job
