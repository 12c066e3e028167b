// Gradients of programs that communicate: the dual of every transfer, in the reverse order.
#include <gtest/gtest.h>

#include "megascale/graph/builder.h"
#include "megascale/graph/differentiate.h"
#include "megascale/graph/ops/ops.h"

namespace megascale::graph {
namespace {

constexpr std::int64_t kLocalTokens = 6, kWidth = 8;

AxisSizes two_by_three() {
  AxisSizes axes;
  axes[Axis::tensor] = 2;
  axes[Axis::pipeline] = 3;
  return axes;
}

class Chunk {
 public:
  explicit Chunk(const AxisSizes& axes = two_by_three()) : builder(program, axes) {
    builder.set_scope("layer0");
  }
  TensorId linear(const std::string& path, TensorId input) {
    const auto w = builder.parameter(path + ".weight", {kWidth, kWidth}, DType::float32, {});
    return builder.emit_for(linear::output, linear_op(), path,
                            {{linear::input, input}, {linear::weight, w}});
  }
  const Op* find(const std::string& path) {
    const Op* found = nullptr;
    for (const Op& op : program.backward) {
      if (op.path == path) found = &op;
    }
    return found;
  }

  Program program;
  Builder builder;
};

void expect_dual(const Op* dual, const OpDef& def, const Op& of) {
  ASSERT_NE(dual, nullptr);
  EXPECT_EQ(dual->def, &def);
  EXPECT_EQ(dual->attributes.integer("axes"), of.attributes.integer("axes"));
  EXPECT_EQ(dual->attributes.integer("ranks"), of.attributes.integer("ranks"));
  EXPECT_EQ(dual->attributes.integer("dtype"), of.attributes.integer("dtype"));
}

// A chunk in the middle of a pipeline: what came forward is answered by a gradient, and sums and
// gathers over the tensor group change places.
TEST(CollectiveGradientTest, AMiddleChunkMirrorsItsTransfers) {
  Chunk c;
  const auto x = c.builder.receive(kLocalTokens, kWidth, DType::float32);
  const auto rows = c.builder.all_gather("rows", x, Axis::tensor);
  const auto partial = c.linear("a", rows);
  const auto shares = c.builder.reduce_scatter("shares", partial, Axis::tensor);
  c.builder.send(shares);
  differentiate(c.program);
  EXPECT_EQ(c.program.tensor(rows).shape, (Shape{2 * kLocalTokens, kWidth}));
  EXPECT_EQ(c.program.tensor(shares).shape, (Shape{kLocalTokens, kWidth}));

  std::vector<std::string> order;
  for (const Op& op : c.program.backward) order.push_back(op.path);
  ASSERT_EQ(order.size(), 6U);
  const Op *received = c.find("send/grad"), *gathered = c.find("shares/grad"),
           *dgrad = c.find("a/dgrad"), *wgrad = c.find("a/wgrad"), *summed = c.find("rows/grad"),
           *sent = c.find("receive/grad");
  ASSERT_TRUE(received && gathered && dgrad && wgrad && summed && sent);
  EXPECT_LT(received, gathered);
  EXPECT_LT(gathered, dgrad);
  EXPECT_LT(dgrad, summed);
  EXPECT_LT(summed, sent);

  EXPECT_EQ(received->def, &recv_op());
  EXPECT_EQ(sent->def, &send_op());
  for (const Op* op : {received, sent}) {
    EXPECT_EQ(op->attributes.integer("backward"), 1) << op->path;
    EXPECT_EQ(op->attributes.integer("rows"), kLocalTokens);
    EXPECT_EQ(op->attributes.integer("columns"), kWidth);
  }
  EXPECT_EQ(lane_of(*received), Lane::backward_receive);
  EXPECT_EQ(lane_of(*sent), Lane::backward_send);
  EXPECT_EQ(lane_of(c.program.forward.front()), Lane::forward_receive);
  EXPECT_EQ(lane_of(c.program.forward.back()), Lane::forward_send);

  expect_dual(gathered, all_gather_op(), c.program.forward[3]);
  expect_dual(summed, reduce_scatter_op(), c.program.forward[1]);
  EXPECT_EQ(gathered->operands[collective::send], received->operands[recv::receive]);
  EXPECT_EQ(wgrad->operands[linear_weight_gradient::gradient],
            gathered->operands[collective::receive])
      << "the gradient of all rows";
  EXPECT_EQ(wgrad->operands[linear_weight_gradient::input], rows) << "and the rows themselves";
  EXPECT_EQ(summed->operands[collective::send],
            dgrad->operands[linear_input_gradient::input_gradient]);
  EXPECT_EQ(sent->operands[send::send], summed->operands[collective::receive]);
  EXPECT_EQ(c.program.tensor(sent->operands[send::send]).shape, (Shape{kLocalTokens, kWidth}));
}

// The gradient of a shift goes back to the rank that the rows came from.
TEST(CollectiveGradientTest, TheGradientOfAShiftGoesBack) {
  AxisSizes axes;
  axes[Axis::tensor] = 4;
  axes[Axis::pipeline] = 3;
  Chunk c(axes);
  const auto x = c.builder.receive(kLocalTokens, kWidth, DType::float32);
  const auto peer = c.builder.shift("peer", x, Axis::tensor, 1);
  c.builder.send(c.linear("a", peer));
  differentiate(c.program);
  EXPECT_EQ(c.program.tensor(peer).shape, (Shape{kLocalTokens, kWidth}));
  const Op* back = c.find("peer/grad");
  expect_dual(back, shift_op(), c.program.forward[1]);
  EXPECT_EQ(back->attributes.integer("offset"), 3);
  EXPECT_EQ(back->operands[collective::send],
            c.find("a/dgrad")->operands[linear_input_gradient::input_gradient]);
}

// Two branches of one gather: their gradients are added before the one reduce-scatter.
TEST(CollectiveGradientTest, BranchesAreSummedBeforeTheDual) {
  Chunk c;
  const auto x = c.builder.receive(kLocalTokens, kWidth, DType::float32);
  const auto rows = c.builder.all_gather("rows", x, Axis::tensor);
  const auto sum = c.builder.emit_for(
      add::output, add_op(), "sum", {{add::a, c.linear("a", rows)}, {add::b, c.linear("b", rows)}});
  c.builder.send(c.builder.reduce_scatter("shares", sum, Axis::tensor));
  differentiate(c.program);
  int duals = 0;
  for (const Op& op : c.program.backward) duals += op.def == &reduce_scatter_op();
  EXPECT_EQ(duals, 1);
  const Op *b = c.find("b/dgrad"), *a = c.find("a/dgrad"), *dual = c.find("rows/grad");
  ASSERT_TRUE(a && b && dual);
  EXPECT_EQ(a->operands[linear_input_gradient::addend],
            b->operands[linear_input_gradient::input_gradient])
      << "a adds to what b has written";
  EXPECT_EQ(dual->operands[collective::send], a->operands[linear_input_gradient::input_gradient]);
}

// What leaves a chunk and is used inside too has the gradient of both.
TEST(CollectiveGradientTest, ASentTensorThatIsReadHereHasBothGradients) {
  Chunk c;
  const auto x = c.builder.receive(kLocalTokens, kWidth, DType::float32);
  const auto a = c.linear("a", x);
  c.builder.send(c.builder.emit_for(add::output, add_op(), "residual", {{add::a, x}, {add::b, a}}));
  differentiate(c.program);
  const Op *received = c.find("send/grad"), *dgrad = c.find("a/dgrad"),
           *sent = c.find("receive/grad");
  ASSERT_TRUE(received && dgrad && sent);
  EXPECT_EQ(dgrad->operands[linear_input_gradient::addend], received->operands[recv::receive])
      << "the residual's part is the addend";
  EXPECT_EQ(sent->operands[send::send], dgrad->operands[linear_input_gradient::input_gradient]);
}

TEST(CollectiveGradientTest, AGroupOfOneCommunicatesNothing) {
  AxisSizes axes;
  axes[Axis::pipeline] = 3;
  Chunk c(axes);
  const auto x = c.builder.receive(kLocalTokens, kWidth, DType::float32);
  EXPECT_EQ(c.builder.all_gather("rows", x, Axis::tensor), x);
  EXPECT_EQ(c.builder.reduce_scatter("shares", x, Axis::tensor), x);
  EXPECT_EQ(c.program.forward.size(), 1U);
}

// add_bias: its input takes dy as it is, the bias its sum over rows.
TEST(CollectiveGradientTest, ABiasOfItsOwnHasAWeightGradientOfItsOwn) {
  Chunk c;
  const auto x = c.builder.receive(kLocalTokens, kWidth, DType::float32);
  const auto bias = c.builder.parameter("bias", {kWidth}, DType::float32, {});
  c.builder.send(c.builder.emit_for(add_bias::output, add_bias_op(), "bias",
                                    {{add_bias::input, x}, {add_bias::bias, bias}}));
  differentiate(c.program);
  const Op *received = c.find("send/grad"), *wgrad = c.find("bias/wgrad"),
           *sent = c.find("receive/grad");
  ASSERT_TRUE(received && wgrad && sent);
  EXPECT_EQ(wgrad->def, &bias_gradient_op());
  EXPECT_EQ(wgrad->phase, Phase::weight_gradient);
  EXPECT_EQ(wgrad->operands[bias_gradient::gradient], received->operands[recv::receive]);
  EXPECT_EQ(wgrad->operands[bias_gradient::bias_gradient],
            c.program.parameters[0].main_gradients.at(0));
  EXPECT_EQ(sent->operands[send::send], received->operands[recv::receive]);
}

}  // namespace
}  // namespace megascale::graph
