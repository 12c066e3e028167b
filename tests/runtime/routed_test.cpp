// A router that the system does not know writes counts during the step; transfers, memory and ops
// obey them, on ranks that share memory and on ranks that exchange messages.
#include <gtest/gtest.h>

#include "support/job.h"
#include "support/routed_plan.h"
#include "support/watchdog.h"

namespace megascale::runtime {
namespace {

using testing::Job;
using testing::Over;
using testing::RoutedPlan;
using testing::Watchdog;

class RoutedTest : public ::testing::TestWithParam<Over> {
 public:
  void SetUp() override {
    if (GetParam() == Over::ucx && !comm::ucx_is_available()) GTEST_SKIP() << "built without UCX";
  }
};
INSTANTIATE_TEST_SUITE_P(Over, RoutedTest, ::testing::Values(Over::local, Over::ucx),
                         [](const auto& parameter) {
                           return parameter.param == Over::local ? "local" : "ucx";
                         });

const float* result_of(Job& job, std::uint32_t rank) {
  for (const plan::Buffer& buffer : job.plan(rank).buffers()) {
    if (buffer.name == RoutedPlan::kResult)
      return reinterpret_cast<const float*>(job.arena(rank).data() + buffer.offset);
  }
  return nullptr;
}

TEST_P(RoutedTest, RowsGoWhereCountsSayAndComeBack) {
  const Watchdog watchdog("a routed step");
  std::atomic<std::uint64_t> seed{0};
  const auto delay = [&](std::uint32_t rank, std::uint32_t task) {
    testing::random_delay(seed.load(std::memory_order_relaxed), rank, task);
  };
  Job job(RoutedPlan::write(), delay, {}, GetParam());
  for (int step = 0; step < 50; ++step) {
    ++seed;
    job.fill_arenas(std::byte{0xff});  // NaN: what nobody wrote shows
    job.step();
    for (std::uint32_t rank = 0; rank < RoutedPlan::kRanks; ++rank) {
      const float* result = result_of(job, rank);
      ASSERT_NE(result, nullptr);
      for (std::int64_t i = 0; i < RoutedPlan::kTokens * RoutedPlan::kColumns; ++i) {
        ASSERT_EQ(result[i],
                  RoutedPlan::result(rank, i / RoutedPlan::kColumns, i % RoutedPlan::kColumns))
            << "rank " << rank << " element " << i << " seed " << seed;
      }
    }
  }
}

// More rows arrive than the plan has room for: an error that says so, on every rank, and no hang.
TEST_P(RoutedTest, MoreRowsThanTheBoundAreAnError) {
  const Watchdog watchdog("a routed step with a small bound");
  Job job(RoutedPlan::write({.arriving_bound = 2}), {}, {}, GetParam());
  const auto errors = job.try_step();
  for (const auto& error : errors) {
    ASSERT_TRUE(error);
    EXPECT_NE(error->message().find("rows"), std::string::npos) << error->message();
  }
}

// A rank that expects another number of rows than its peer sends: an error that names both, no
// hang.
TEST_P(RoutedTest, SizesThatDisagreeAreAnErrorThatNamesBothRanks) {
  const Watchdog watchdog("a routed step with a wrong size");
  Job job(RoutedPlan::write({.liar = 2}), {}, {}, GetParam());
  const auto errors = job.try_step();
  for (const std::uint32_t rank : {1U, 2U}) {
    ASSERT_TRUE(errors[rank]) << rank;
    const std::string& message = errors[rank]->message();
    EXPECT_NE(message.find("rank 1"), std::string::npos) << message;
    EXPECT_NE(message.find("rank 2"), std::string::npos) << message;
  }
}

TEST(RoutedPlanTest, BoundsThatDifferBetweenRanksAreNamedBeforeLaunch) {
  const auto right = RoutedPlan::write(), small = RoutedPlan::write({.arriving_bound = 9});
  const plan::Verification verification =
      plan::verify({right[0].rank_plan(0), small[1].rank_plan(1), right[2].rank_plan(2)});
  ASSERT_FALSE(verification.ok());
  std::string all;
  for (const auto& violation : verification.violations) all += violation.message + "\n";
  EXPECT_NE(all.find("rank 1"), std::string::npos) << all;
  EXPECT_NE(all.find("all_to_all_v"), std::string::npos) << all;
}

}  // namespace
}  // namespace megascale::runtime
