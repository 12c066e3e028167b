// The verifier on fused pairs: what a pair must look like, and which bytes its tasks may share.
#include "megascale/plan/fused_pairs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/plan_writer.h"

namespace megascale::testing {
namespace {

using plan::ViolationKind;
using ::testing::HasSubstr;

const graph::OpDef& gemm_op() {
  static const graph::OpDef def{.name = "product", .operands = {}, .gemm = true};
  return def;
}

Work nothing() {
  return [](const TaskArguments&) -> const Error* { return nullptr; };
}

// A transfer, an op that moves rows, and the product of these rows. Tests leave out or change one of them.
struct PairWriter {
  PlanWriter w;
  BufferId given = w.buffer("given", 64), taken = w.buffer("taken", 64),
           rows = w.buffer("rows", 64), result = w.buffer("result", 64);
  CommunicatorId group = w.communicator("rows", {0, 1}, Lane::tensor);

  void transfer() {
    w.transfer(graph::all_to_all_op(), "transfer", group,
               {w.whole(given, Access::read), w.whole(taken, Access::write)}, {});
    w.tables.ops.back().pair = 1;
  }
  void compute(const char* name, std::vector<Operand> operands, std::uint32_t pair,
               const graph::OpDef& def = work_op()) {
    const bool is_first = w.tables.tasks.empty();
    w.work(Lane::compute, name, std::move(operands),
           {.after = is_first ? std::vector<TaskId>{} : std::vector<TaskId>{0}}, nothing());
    w.tables.ops.back().pair = pair;
    w.tables.ops.back().def = &def;
  }
  void move() { compute("move", {w.whole(taken, Access::read), w.whole(rows, Access::write)}, 1); }
  void product() {
    compute("product", {w.whole(rows, Access::read), w.whole(result, Access::write)}, 1, gemm_op());
  }
  void whole() {
    transfer();
    move();
    product();
  }
  // Returns tables with the ops and tasks of the pair, and its tasks once more.
  [[nodiscard]] auto with_second_tasks() const {
    auto tables = w.tables;
    for (std::size_t i = 0; i < 3; ++i) tables.tasks.push_back(tables.tasks[i]);
    return tables;
  }
};

plan::Verification verify(const PairWriter& pair) {
  return plan::verify({pair.w.rank_plan(0), pair.w.rank_plan(1)});
}

void expect_violation(const PairWriter& pair, ViolationKind kind, const std::string& text) {
  const plan::Verification verification = verify(pair);
  ASSERT_FALSE(verification.ok()) << text;
  EXPECT_EQ(verification.violations.front().kind, kind);
  EXPECT_THAT(verification.violations.front().message, HasSubstr(text));
}

TEST(FusedPairsTest, APairIsFoundAndAccepted) {
  PairWriter pair;
  pair.whole();
  ASSERT_TRUE(verify(pair).ok()) << verify(pair).violations.front().message;
  const auto found = plan::fused_pairs(*pair.w.rank_plan(0).plan);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].tasks, (std::vector<std::uint32_t>{0, 1, 2}));
}

TEST(FusedPairsTest, MicroBatchesHavePairsOfTheirOwn) {
  PairWriter pair;
  pair.whole();
  auto tables = pair.with_second_tasks();
  for (std::size_t i = 3; i < 6; ++i) tables.tasks[i].micro_batch = 1;
  const auto found = plan::fused_pairs(plan::StepPlan(tables));
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[1].tasks, (std::vector<std::uint32_t>{3, 4, 5}));
}

// Programs number their pairs from 1 each, and a stage may have several of them.
TEST(FusedPairsTest, ChunksHavePairsOfTheirOwn) {
  PairWriter pair;
  pair.whole();
  auto tables = pair.with_second_tasks();
  for (std::size_t i = 3; i < 6; ++i) {
    tables.ops.push_back(tables.ops[i - 3]);
    tables.ops.back().chunk = 1;
    tables.tasks[i].op = plan::OpIndex{static_cast<std::uint32_t>(i)};
  }
  const auto found = plan::fused_pairs(plan::StepPlan(tables));
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[1].tasks, (std::vector<std::uint32_t>{3, 4, 5}));
}

TEST(FusedPairsTest, AResultMayTakeTheBytesThatItIsMadeOf) {
  PairWriter pair;
  pair.rows = pair.taken;
  pair.whole();
  EXPECT_TRUE(verify(pair).ok());
}

TEST(FusedPairsTest, APairHasOneTransferAndOneProductAtItsEnds) {
  PairWriter without_product;
  without_product.transfer();
  without_product.move();
  expect_violation(without_product, ViolationKind::malformed, "expected one product");
  PairWriter alone;
  alone.transfer();
  expect_violation(alone, ViolationKind::malformed, "found one task");
  PairWriter two;
  two.transfer();
  two.compute("first", {two.w.whole(two.taken, Access::read), two.w.whole(two.rows, Access::write)},
              1, gemm_op());
  two.product();
  expect_violation(two, ViolationKind::malformed, "expected one product");
  PairWriter inside;
  inside.transfer();
  inside.compute(
      "product",
      {inside.w.whole(inside.taken, Access::read), inside.w.whole(inside.rows, Access::write)}, 1,
      gemm_op());
  inside.compute(
      "move",
      {inside.w.whole(inside.rows, Access::read), inside.w.whole(inside.result, Access::write)}, 1);
  expect_violation(inside, ViolationKind::malformed, "at the other end than the transfer");
  PairWriter twice;
  twice.transfer();
  twice.transfer();
  twice.product();
  expect_violation(twice, ViolationKind::malformed,
                   "expected one transfer, first or last, found 2");
  PairWriter between;
  between.compute("product", {between.w.whole(between.result, Access::write)}, 1, gemm_op());
  between.transfer();
  between.compute("move", {between.w.whole(between.rows, Access::write)}, 1);
  expect_violation(between, ViolationKind::malformed, "expected one transfer, first or last");
}

TEST(FusedPairsTest, NoOtherComputationStandsInBetween) {
  PairWriter pair;
  pair.transfer();
  pair.move();
  pair.compute("other", {}, 0);
  pair.product();
  expect_violation(pair, ViolationKind::malformed, "without other tasks between");
  PairWriter elsewhere;
  elsewhere.transfer();
  elsewhere.compute("other", {}, 0);
  elsewhere.move();
  elsewhere.w.tables.ops.back().lane = Lane::host_out;
  elsewhere.product();
  elsewhere.w.tables.tasks.back().wait_count = 2;  // for the move, too
  elsewhere.w.tables.waits.push_back(elsewhere.w.wait_for(2));
  expect_violation(elsewhere, ViolationKind::malformed, "computation on the compute lane");
}

TEST(FusedPairsTest, BytesFlowFromTaskToTask) {
  PairWriter pair;
  pair.transfer();
  pair.compute("move",
               {pair.w.whole(pair.given, Access::read), pair.w.whole(pair.rows, Access::write)}, 1);
  pair.product();
  expect_violation(pair, ViolationKind::malformed, "reads nothing of what that writes");
}

// The product waits for the transfer, so this order is no hazard. In one kernel it is.
TEST(FusedPairsTest, NoTaskWritesWhatAnotherStillNeeds) {
  PairWriter pair;
  pair.result = pair.given;
  pair.whole();
  expect_violation(pair, ViolationKind::hazard, "may run at the same time");
  for (plan::PlanOp& op : pair.w.tables.ops) op.pair = 0;
  EXPECT_TRUE(verify(pair).ok());
  // A result may take the bytes that it is made of, but all of them: the others may be needed later.
  PairWriter part;
  part.transfer();
  Operand half = part.w.whole(part.taken, Access::write);
  half.nbytes /= 2;
  part.compute("move", {part.w.whole(part.taken, Access::read), half}, 1);
  part.compute("product", {half, part.w.whole(part.result, Access::write)}, 1, gemm_op());
  part.w.tables.ops.back().operands[0].access = Access::read;
  expect_violation(part, ViolationKind::hazard, "may run at the same time");
}

}  // namespace
}  // namespace megascale::testing
