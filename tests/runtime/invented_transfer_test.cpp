// A kind of transfer that the system does not know: one definition, and it is verified, executed,
// counted and priced.
#include <gtest/gtest.h>

#include "megascale/plan/communication_volume.h"
#include "support/job.h"
#include "support/watchdog.h"

namespace megascale::runtime {
namespace {

using graph::Access;
using graph::Lane;
using testing::Job;
using testing::Over;
using testing::PlanWriter;

// A root gives every rank a block of its own.
constexpr TransferRule kScatterRule{.name = "test_scatter",
                                    .source = TransferRule::Source::root,
                                    .given = TransferRule::Share::block};
const graph::OpDef& scatter_op() {
  static const graph::OpDef def{.name = kScatterRule.name,
                                .operands = {{"send"}, {"receive", Access::write}},
                                .infer = [](graph::ShapeContext&) {},
                                .lane = Lane::data,
                                .transfer = &kScatterRule,
                                .transfer_operands = {.given = 0, .taken = 1}};
  return def;
}

constexpr std::uint32_t kMembers = 3, kRoot = 1;
constexpr std::size_t kFloats = 5;

PlanWriter scattering(std::uint32_t rank, std::uint32_t root = kRoot,
                      std::size_t received = kFloats) {
  PlanWriter w;
  const auto all = w.buffer("all", kMembers * kFloats * sizeof(float));
  const auto mine = w.buffer("mine", received * sizeof(float));
  const auto group = w.communicator("everybody", {0, 1, 2}, Lane::data);
  const auto fill =
      w.work(Lane::compute, "fill", {w.whole(all, Access::write)}, {}, [rank](const auto& a) {
        for (std::size_t i = 0; i < kMembers * kFloats; ++i)
          testing::floats(a, 0)[i] = static_cast<float>(100 * rank + i);
        return nullptr;
      });
  w.transfer(scatter_op(), "scatter", group,
             {w.whole(all, Access::read), w.whole(mine, Access::write)}, {.after = {fill}});
  w.tables.ops.back().attributes.set("root", std::int64_t{root});
  return w;
}

class InventedTransferTest : public ::testing::TestWithParam<Over> {};
INSTANTIATE_TEST_SUITE_P(Over, InventedTransferTest, ::testing::Values(Over::local, Over::ucx),
                         [](const auto& parameter) {
                           return parameter.param == Over::local ? "local" : "ucx";
                         });

TEST_P(InventedTransferTest, MovesWhatItsRuleSays) {
  if (GetParam() == Over::ucx && !comm::ucx_is_available()) GTEST_SKIP() << "built without UCX";
  const testing::Watchdog watchdog("an invented transfer");
  Job job({scattering(0), scattering(1), scattering(2)}, {}, {}, GetParam());
  job.fill_arenas(std::byte{0xff});
  job.step();
  for (std::uint32_t rank = 0; rank < kMembers; ++rank) {
    const plan::Buffer& mine = job.plan(rank).buffers()[1];
    const auto* got = reinterpret_cast<const float*>(job.arena(rank).data() + mine.offset);
    for (std::size_t i = 0; i < kFloats; ++i)
      EXPECT_EQ(got[i], static_cast<float>(100 * kRoot + rank * kFloats + i)) << "rank " << rank;
  }
}

TEST(InventedTransferPlanTest, IsVerifiedAndCounted) {
  const auto verified = [](PlanWriter third) {
    return plan::verify(
        {scattering(0).rank_plan(0), scattering(1).rank_plan(1), third.rank_plan(2)});
  };
  EXPECT_TRUE(verified(scattering(2)).ok());
  const auto refused = [&](PlanWriter third, const std::string& part) {
    const plan::Verification verification = verified(std::move(third));
    ASSERT_FALSE(verification.ok()) << part;
    EXPECT_NE(verification.violations[0].message.find(part), std::string::npos)
        << verification.violations[0].message;
  };
  refused(scattering(2, /*root=*/2), "root 2");
  refused(scattering(2, kMembers), "a root among them");
  refused(scattering(2, kRoot, kFloats + 1), "a part for every rank");
  // On average a member of a chain hands over two thirds of what the root gives.
  PlanWriter writer = scattering(0);
  writer.tables.axes[graph::Axis::data] = kMembers;
  EXPECT_DOUBLE_EQ(plan::count_communication(plan::StepPlan(writer.tables))[Lane::data],
                   kMembers * kFloats * sizeof(float) * 2.0 / 3.0);
}

}  // namespace
}  // namespace megascale::runtime
