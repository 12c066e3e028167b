#include "megascale/plan/verify.h"

#include <gtest/gtest.h>

#include "support/exchange_plan.h"

namespace megascale::plan {
namespace {

using megascale::testing::exchange_plans;
using megascale::testing::Flaw;
using megascale::testing::PlanWriter;

Verification verify_all(const std::vector<PlanWriter>& writers) {
  std::vector<RankPlan> plans;
  for (std::uint32_t r = 0; r < writers.size(); ++r) plans.push_back(writers[r].rank_plan(r));
  return verify(std::move(plans));
}

TEST(VerifyTest, TheExchangeIsRight) {
  const Verification verification = verify_all(exchange_plans());
  for (const Violation& violation : verification.violations) ADD_FAILURE() << violation.message;
  ASSERT_EQ(verification.plans.size(), 2U);
  EXPECT_EQ(verification.plans[1].binding().rank, 1U);
}

struct Twin {
  const char* name;
  Flaw flaw;
  ViolationKind kind;
  std::uint32_t rank;
  std::vector<std::string> says;  // of the violation of that kind and rank: the task, the partner
};
std::ostream& operator<<(std::ostream& out, const Twin& twin) { return out << twin.name; }

class BrokenTwinTest : public ::testing::TestWithParam<Twin> {};
INSTANTIATE_TEST_SUITE_P(
    Exchange, BrokenTwinTest,
    ::testing::Values(Twin{"missing_receive",
                           Flaw::missing_receive,
                           ViolationKind::mismatch,
                           0,
                           {"step/send", "rank 1", "0->1"}},
                      Twin{"swapped_collectives",
                           Flaw::swapped_collectives,
                           ViolationKind::mismatch,
                           1,
                           {"step/gather", "all_gather", "rank 0", "all_reduce", "step/reduce"}},
                      Twin{"reuse_without_wait",
                           Flaw::reuse_without_wait,
                           ViolationKind::hazard,
                           0,
                           {"step/reuse", "buffer reused", "step/send", "forward_send"}},
                      Twin{"reuse_cycle_rank0",
                           Flaw::reuse_cycle,
                           ViolationKind::deadlock,
                           0,
                           {"step/receive", "1->0", ": 1"}},
                      Twin{"reuse_cycle_rank1",
                           Flaw::reuse_cycle,
                           ViolationKind::deadlock,
                           1,
                           {"step/reduce", "data", ": 0"}},
                      Twin{"wait_on_larger_id",
                           Flaw::wait_on_larger_id,
                           ViolationKind::bad_wait,
                           0,
                           {"step/gather", "6", "compute", "4"}},
                      Twin{"operand_outside",
                           Flaw::operand_outside,
                           ViolationKind::malformed,
                           0,
                           {"step/combine", "result", "2052", "2048"}},
                      Twin{"mismatched_bytes",
                           Flaw::mismatched_bytes,
                           ViolationKind::mismatch,
                           1,
                           {"step/reduce", "2044", "2048", "rank 0"}},
                      Twin{"slot_out_of_range",
                           Flaw::slot_out_of_range,
                           ViolationKind::malformed,
                           1,
                           {"step/combine", "slot 1", "result"}},
                      Twin{"hazard_at_one_coordinate",
                           Flaw::hazard_at_one_coordinate,
                           ViolationKind::hazard,
                           1,
                           {"step/neighbour", "gathered", "step/late", "host_out"}},
                      Twin{"issue_order",
                           Flaw::issue_order_across_lanes,
                           ViolationKind::issue_order,
                           1,
                           {"step/receive", "rank 0", "data"}}),
    [](const auto& twin) { return std::string(twin.param.name); });

TEST_P(BrokenTwinTest, IsNamedBeforeAnythingRuns) {
  const Twin& twin = GetParam();
  const Verification verification = verify_all(exchange_plans(twin.flaw));
  EXPECT_TRUE(verification.plans.empty());
  std::string all;
  bool found = false;
  for (const Violation& violation : verification.violations) {
    all += violation.message + "\n";
    bool says_all = violation.kind == twin.kind && violation.rank == twin.rank;
    for (const std::string& part : twin.says)
      says_all = says_all && violation.message.find(part) != std::string::npos;
    found = found || says_all;
  }
  EXPECT_TRUE(found) << "violations:\n" << all;
}

TEST(VerifyTest, AHazardOfOneCoordinateIsNoneAtTheOther) {
  for (const Violation& violation :
       verify_all(exchange_plans(Flaw::hazard_at_one_coordinate)).violations) {
    EXPECT_EQ(violation.rank, 1U) << violation.message;
  }
}

}  // namespace
}  // namespace megascale::plan
