// Extents that are known at run time only: which tensor counts them, through ops, gradients and
// transfers.
#include <gtest/gtest.h>

#include "megascale/base/error.h"
#include "megascale/graph/builder.h"
#include "megascale/graph/differentiate.h"
#include "megascale/graph/ops/ops.h"

namespace megascale::graph {
namespace {

constexpr std::int64_t kMostSent = 24, kMostReceived = 40, kColumns = 8;
constexpr std::uint32_t kRanks = 4;

AxisSizes four_expert_ranks() {
  AxisSizes axes;
  axes[Axis::expert] = kRanks;
  return axes;
}

// Stands for a loss: its gradient is written by an op with the shape of its input.
namespace seed {
enum Operand : std::size_t { input, gradient };
}
const OpKind<seed::Operand>& seed_op() {
  using enum seed::Operand;
  static const OpKind<seed::Operand> def{
      {.name = "seed",
       .operands = operand_table<Reads<input>, Writes<gradient>>(),
       .infer = [](ShapeContext& context) {
         context.output(gradient, context.shape(input), context.dtype(input));
       }}};
  return def;
}
namespace test_loss {
enum Operand : std::size_t { input };
}
const OpKind<test_loss::Operand>& loss_op() {
  using enum test_loss::Operand;
  static const OpKind<test_loss::Operand> def{
      {.name = "test_loss",
       .operands = operand_table<Reads<input>>(),
       .infer = [](ShapeContext&) {},
       .backward =
           [](BackwardContext& context) {
             context.contribute(input, context.emit_for(seed::gradient, seed_op(), "seed",
                                                        {{seed::input, context.operand(input)}}));
           }}};
  return def;
}

// A program in which rows that `sent` counts go to other ranks, through a weight, and back.
struct Exchange {
  Program program;
  Builder builder{program, four_expert_ranks()};
  TensorId sent = builder.external("sent", {Dim(kRanks)}, DType::int64, Role::batch);
  TensorId received = builder.external("received", {Dim(kRanks)}, DType::int64, Role::batch);
  Dim sent_rows{kMostSent, sent, 0, kRanks};
  Dim received_rows{kMostReceived, received, 0, kRanks};
  TensorId x = builder.external("x", {sent_rows, kColumns}, DType::float32, Role::activation);
  TensorId weight = builder.parameter("before.weight", {kColumns, kColumns}, DType::float32, {});
  TensorId before = builder.emit_for(linear::output, linear_op(), "before",
                                     {{linear::input, x}, {linear::weight, weight}});
  TensorId arrived =
      builder.all_to_all_v("there", before, sent, received, kMostReceived, Axis::expert);
  TensorId inner = builder.parameter("expert.weight", {kColumns, kColumns}, DType::float32, {});
  TensorId worked = builder.emit_for(linear::output, linear_op(), "expert",
                                     {{linear::input, arrived}, {linear::weight, inner}});
  TensorId back = builder.all_to_all_v("back", worked, received, sent, kMostSent, Axis::expert);
};

const Op* find(const std::vector<Op>& ops, const std::string& path) {
  for (const Op& op : ops) {
    if (op.path == path) return &op;
  }
  return nullptr;
}

TEST(RunTimeExtentTest, TransfersAndOpsKeepTheCountAndItsBound) {
  const Exchange e;
  EXPECT_EQ(e.program.tensor(e.arrived).shape, (Shape{e.received_rows, kColumns}));
  EXPECT_EQ(e.program.tensor(e.worked).shape, (Shape{e.received_rows, kColumns}));
  EXPECT_EQ(e.program.tensor(e.back).shape, (Shape{e.sent_rows, kColumns}));
  EXPECT_EQ(e.program.tensor(e.arrived).nbytes(), kMostReceived * kColumns * 4);
}

TEST(RunTimeExtentTest, GradientsTakeTheSameWayBackWithTheCountsExchanged) {
  Exchange e;
  e.builder.emit(loss_op(), "loss", {{test_loss::input, e.back}});
  differentiate(e.program);
  const Op *back = find(e.program.backward, "back/grad"),
           *there = find(e.program.backward, "there/grad");
  ASSERT_TRUE(back && there);
  EXPECT_EQ(back->operands[all_to_all_v::send_counts], e.sent);
  EXPECT_EQ(back->operands[all_to_all_v::receive_counts], e.received);
  EXPECT_EQ(e.program.tensor(back->operands[all_to_all_v::receive]).shape,
            (Shape{e.received_rows, kColumns}));
  EXPECT_EQ(there->operands[all_to_all_v::send_counts], e.received);
  EXPECT_EQ(there->operands[all_to_all_v::receive_counts], e.sent);
  EXPECT_EQ(e.program.tensor(there->operands[all_to_all_v::receive]).shape,
            (Shape{e.sent_rows, kColumns}));
  const Op* wgrad = find(e.program.backward, "expert/wgrad");
  ASSERT_TRUE(wgrad);
  EXPECT_EQ(counts_of(*wgrad, e.program.tensors), std::vector<TensorId>{e.received});
}

TEST(RunTimeExtentTest, AnOpReadsEveryCountOnce) {
  const Exchange e;
  const Op* there = find(e.program.forward, "there");
  ASSERT_TRUE(there);
  EXPECT_EQ(counts_of(*there, e.program.tensors), (std::vector<TensorId>{e.sent, e.received}));
}

TEST(RunTimeExtentTest, EqualPartsOfCountedRowsAreRefused) {
  Exchange e;
  for (const auto& gather :
       {&Builder::all_gather, &Builder::reduce_scatter, &Builder::all_to_all}) {
    EXPECT_THROW((e.builder.*gather)("wrong", e.before, Axis::expert), Error);
  }
}

TEST(RunTimeExtentTest, CountedRowsDoNotPassBetweenStages) {
  Exchange e;
  EXPECT_THROW(e.builder.send(e.back), Error);
}

TEST(RunTimeExtentTest, RowsThatOtherCountsCountAreRefused) {
  Exchange e;
  const auto wrong = [&](TensorId send_counts, TensorId receive_counts) {
    (void)e.builder.all_to_all_v("wrong", e.before, send_counts, receive_counts, kMostReceived,
                                 Axis::expert);
  };
  EXPECT_THROW(wrong(e.received, e.sent), Error) << "counts of other rows";
  const TensorId few = e.builder.external("few", {Dim(kRanks - 1)}, DType::int64, Role::batch);
  EXPECT_THROW(wrong(e.sent, few), Error) << "not one count per rank";
  const TensorId floats = e.builder.external("f", {Dim(kRanks)}, DType::float32, Role::batch);
  EXPECT_THROW(wrong(e.sent, floats), Error) << "counts that are no integers";
}

}  // namespace
}  // namespace megascale::graph
