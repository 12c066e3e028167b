#include "megascale/plan/equal_offsets.h"

#include <gtest/gtest.h>

#include "support/plan_writer.h"

namespace megascale::plan {
namespace {

using graph::Axis;
using graph::Lane;
using testing::PlanWriter;

constexpr std::uint64_t kPart = 64;

// One transfer of three members of the data group, as `add` writes it.
class EqualOffsetsTest : public ::testing::Test {
 public:
  PlanWriter w;
  BufferId whole = w.buffer("whole", 3 * kPart), part = w.buffer("part", 3 * kPart);
  CommunicatorId group = w.communicator("data", {0, 1, 2}, Lane::data);

  static AxisTerm place(std::uint32_t k = 0) {
    return {.axes = {Axis::data}, .k = k, .n = 3, .stride = kPart};
  }
  static Operand operand(BufferId buffer, graph::Access access, std::uint64_t nbytes,
                         const AxisTerm& term = {}) {
    return {.buffer = buffer, .nbytes = nbytes, .access = access, .term = term};
  }
  bool holds(const graph::OpDef& def, const std::vector<Operand>& operands) {
    PlanWriter one = w;
    one.transfer(def, "transfer", group, operands, {});
    one.tables.axes[Axis::data] = 3;
    std::vector<Coordinates> members(3);
    for (std::uint32_t m = 0; m < 3; ++m) members[m][static_cast<std::size_t>(Axis::data)] = m;
    return has_equal_offsets(StepPlan(one.tables), group, members);
  }
  bool gathers(BufferId from, const AxisTerm& from_term, const AxisTerm& to_term = {}) {
    return holds(graph::all_gather_op(),
                 {operand(from, graph::Access::read, kPart, from_term),
                  operand(whole, graph::Access::write, 3 * kPart, to_term)});
  }
  bool scatters(BufferId to, const AxisTerm& to_term) {
    return holds(graph::reduce_scatter_op(), {operand(whole, graph::Access::read, 3 * kPart),
                                              operand(to, graph::Access::write, kPart, to_term)});
  }
};

TEST_F(EqualOffsetsTest, PartsLieAtOneOffsetOrInTheirPlace) {
  EXPECT_TRUE(gathers(part, {}));
  EXPECT_TRUE(gathers(whole, place()));
  EXPECT_TRUE(scatters(part, {}));
  EXPECT_TRUE(scatters(whole, place()));
}

TEST_F(EqualOffsetsTest, PartsElsewhereAreNoticed) {
  EXPECT_FALSE(gathers(part, place())) << "in its place of another buffer";
  EXPECT_FALSE(gathers(whole, place(1))) << "in another member's place";
  EXPECT_FALSE(scatters(part, place()));
  EXPECT_FALSE(scatters(whole, place(2)));
}

TEST_F(EqualOffsetsTest, TheWholeLiesAtOneOffset) {
  EXPECT_TRUE(holds(graph::all_reduce_op(), {operand(part, graph::Access::accumulate, kPart)}));
  EXPECT_FALSE(
      holds(graph::all_reduce_op(), {operand(part, graph::Access::accumulate, kPart, place())}));
  const BufferId large = w.buffer("large", 5 * kPart);
  EXPECT_FALSE(
      holds(graph::all_gather_op(), {operand(part, graph::Access::read, kPart),
                                     operand(large, graph::Access::write, 3 * kPart, place())}));
}

TEST_F(EqualOffsetsTest, PairsMayUseAnyOffset) {
  EXPECT_TRUE(holds(graph::shift_op(), {operand(whole, graph::Access::read, kPart, place(1)),
                                        operand(part, graph::Access::write, kPart, place(2))}));
}

TEST_F(EqualOffsetsTest, StagingIsNotInTheArena) {
  w.tables.buffers[index(part)].category = Category::staging;
  EXPECT_FALSE(holds(graph::all_reduce_op(), {operand(part, graph::Access::accumulate, kPart)}));
  EXPECT_FALSE(gathers(part, {}));
  EXPECT_TRUE(gathers(whole, place()));
}

// What another group does is not asked.
TEST_F(EqualOffsetsTest, OnlyTheGroupsTransfersCount) {
  const CommunicatorId other = w.communicator("other", {0, 1, 2}, Lane::tensor);
  w.transfer(graph::all_reduce_op(), "elsewhere", other,
             {operand(part, graph::Access::accumulate, kPart, place())}, {});
  EXPECT_TRUE(gathers(part, {}));
}

}  // namespace
}  // namespace megascale::plan
