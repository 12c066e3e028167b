// Every rank is killed at random moments, over several seeds. Slow.
#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "cli/robust_support.h"

namespace megascale::testing {
namespace {

class RobustSeeds : public RobustTest, public ::testing::WithParamInterface<std::uint64_t> {};

TEST_P(RobustSeeds, EveryRankIsKilledOnce) {
  std::vector<int> victims(4);
  std::iota(victims.begin(), victims.end(), 0);
  std::shuffle(victims.begin(), victims.end(), std::mt19937(GetParam()));
  Process process(robust("run"));
  kill_ranks(process, "run", victims, GetParam());
  const Finished done = stop(process, "run", 5);
  ASSERT_EQ(done.exit_code, 0) << done;
  expect_bits_of_whole_run("run", done);
  const auto found = incidents("run");
  ASSERT_EQ(found.size(), victims.size()) << found;
  for (std::size_t i = 0; i < victims.size(); ++i) EXPECT_EQ(found[i].at("rank"), victims[i]);
  expect_sound("run", victims.size());
  expect_nothing_left("run");
}

INSTANTIATE_TEST_SUITE_P(Seeds, RobustSeeds, ::testing::Range<std::uint64_t>(0, 5));

}  // namespace
}  // namespace megascale::testing
