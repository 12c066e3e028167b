#include "megascale/graph/differentiate.h"
#include "megascale/graph/ops/ops.h"

namespace megascale::graph {
namespace {

enum : std::size_t { kInput, kWeight, kBias, kOutput };

// The shape of the product of a linear and its kin.
Shape product_shape(ShapeContext& context) {
  const Shape& input = context.shape(kInput);
  const Shape& weight = context.shape(kWeight);
  context.require(input.size() == 2 && weight.size() == 2 && input[1] == weight[1],
                  "input[N,I] and weight[O,I]");
  context.require(context.dtype(kInput) == context.dtype(kWeight), "input and weight of one dtype");
  if (context.has(kBias)) context.require_shape(kBias, {weight[0]});
  return {input[0], weight[0]};
}

void infer(ShapeContext& context) {
  context.output(kOutput, product_shape(context), context.dtype(kInput));
}

void backward(BackwardContext& context) {
  const TensorId dy = context.gradient(kOutput);
  if (dy == kNoTensor) return;
  // "fp8": operands are rounded to 8 bits first, in all three products.
  const Attributes attributes = context.attributes();
  if (context.needs_gradient(kInput)) {
    const TensorId addend = context.take_addend(kInput);
    const Op& op = context.emit(linear_input_gradient_op(), "dgrad",
                                {dy, context.operand(kWeight), addend}, attributes);
    context.contribute(kInput, op.operands[3]);
  }
  const TensorId weight = context.main_gradient(kWeight);
  const TensorId bias = context.has(kBias) ? context.main_gradient(kBias) : kNoTensor;
  context.emit(linear_weight_gradient_op(), "wgrad", {dy, context.operand(kInput), weight, bias},
               attributes, Phase::weight_gradient);
}

Cost gemm_cost(double flops) {
  return {.flops = flops, .model_flops = flops, .megatron_flops = flops};
}

Cost cost(const OpView& op) {
  return gemm_cost(2.0 * static_cast<double>(op.size(0, 0)) * static_cast<double>(op.size(1, 0)) *
                   static_cast<double>(op.size(1, 1)));
}

void infer_input_gradient(ShapeContext& context) {
  const Shape &gradient = context.shape(0), &weight = context.shape(1);
  context.require(gradient.size() == 2 && weight.size() == 2 && gradient[1] == weight[0],
                  "gradient[N,O] and weight[O,I]");
  if (context.has(2)) context.require_shape(2, {gradient[0], weight[1]});
  context.output(3, {gradient[0], weight[1]}, context.dtype(0));
}

void infer_weight_gradient(ShapeContext& context) {
  const Shape &gradient = context.shape(0), &input = context.shape(1);
  context.require(gradient.size() == 2 && input.size() == 2 && gradient[0].size == input[0].size,
                  "gradient[N,O] and input[N,I]");
  context.require_shape(2, {gradient[1], input[1]});
  if (context.has(3)) context.require_shape(3, {gradient[1]});
}

void infer_gelu(ShapeContext& context) {
  infer(context);
  context.output(4, product_shape(context), context.dtype(kInput));
}

void infer_add(ShapeContext& context) {
  context.require_shape(3, product_shape(context));
  context.output(4, product_shape(context), context.dtype(kInput));
}

void infer_gelu_gradient(ShapeContext& context) {
  const Shape &gradient = context.shape(0), &weight = context.shape(1);
  context.require(gradient.size() == 2 && weight.size() == 2 && gradient[1] == weight[0],
                  "gradient[N,O] and weight[O,I]");
  context.require_shape(2, {gradient[0], weight[1]});
  context.output(3, {gradient[0], weight[1]}, context.dtype(0));
}

Cost weight_gradient_cost(const OpView& op) {
  return gemm_cost(2.0 * static_cast<double>(op.size(0, 0)) * static_cast<double>(op.size(0, 1)) *
                   static_cast<double>(op.size(1, 1)));
}

}  // namespace

const OpDef& linear_op() {
  static const OpDef def{
      .name = "linear",
      .operands = {{"input"}, {"weight"}, {"bias", Access::read, true}, {"output", Access::write}},
      .infer = infer,
      .backward = backward,
      .cost = cost,
      .row_product = RowProduct{.input = 0, .output = 3},
      .gemm = true};
  return def;
}

const OpDef& linear_input_gradient_op() {
  static const OpDef def{.name = "linear_input_gradient",
                         .operands = {{"gradient"},
                                      {"weight"},
                                      {"addend", Access::read, true},
                                      {"input_gradient", Access::write}},
                         .infer = infer_input_gradient,
                         .cost = cost,
                         .in_place = {{3, 2}},
                         .row_product = RowProduct{.input = 0, .output = 3, .addend = 2},
                         .gemm = true};
  return def;
}

const OpDef& linear_gelu_op() {
  static const OpDef def{.name = "linear_gelu",
                         .operands = {{"input"},
                                      {"weight"},
                                      {"bias", Access::read, true},
                                      {"sum", Access::write},
                                      {"output", Access::write}},
                         .infer = infer_gelu,
                         .cost = cost,
                         .gemm = true};
  return def;
}

const OpDef& linear_add_op() {
  static const OpDef def{.name = "linear_add",
                         .operands = {{"input"},
                                      {"weight"},
                                      {"bias", Access::read, true},
                                      {"addend"},
                                      {"output", Access::write}},
                         .infer = infer_add,
                         .cost = cost,
                         .gemm = true};
  return def;
}

const OpDef& linear_gelu_gradient_op() {
  static const OpDef def{
      .name = "linear_gelu_gradient",
      .operands = {{"gradient"}, {"weight"}, {"sum"}, {"sum_gradient", Access::write}},
      .infer = infer_gelu_gradient,
      .cost = cost,
      .gemm = true};
  return def;
}

const OpDef& linear_weight_gradient_op() {
  static const OpDef def{.name = "linear_weight_gradient",
                         .operands = {{"gradient"},
                                      {"input"},
                                      {"weight_gradient", Access::first_writes},
                                      {"bias_gradient", Access::first_writes, true}},
                         .infer = infer_weight_gradient,
                         .cost = weight_gradient_cost,
                         .gemm = true};
  return def;
}

}  // namespace megascale::graph
