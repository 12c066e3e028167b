// Matrices that are rounded to 8 bits, their largest values and transposes, the three products of a linear
// layer that read them, and the two products of experts that do.
#include "megascale/graph/ops/grouped_products.h"
#include "megascale/graph/ops/quantised_ops.h"

namespace megascale::graph {
namespace {

template <Role kRole>
void infer_quantise(ShapeContext& context) {
  using enum quantise::Operand;
  const Shape x = context.shape(input);
  const std::int64_t sides = context.attributes().integer(attribute::sides);
  const bool is_stack = x.size() == 3, transposes = (sides & kTransposed) != 0;
  const std::size_t r = x.size() - 2, c = x.size() - 1;
  context.require((x.size() == 2 || is_stack) && x[c].size % 16 == 0 &&
                      (!transposes || x[r].size % 16 == 0) &&
                      context.dtype(input) == DType::bfloat16 && sides != 0,
                  "input[R,C] or [M,R,C] of bfloat16, C and, if transposed, R multiples of 16, and "
                  "something to write");
  if (context.has(amax)) {
    context.require(
        !is_stack && context.shape(amax).size() == 1 && context.dtype(amax) == DType::float32,
        "amax[K] of float32 beside one matrix");
  }
  if ((sides & kCodes) != 0) context.output(codes, x, DType::uint8, kRole);
  if (transposes) {
    // Codes beyond counted rows are zero, so a sum over all of them is right.
    Shape turned{Dim(x[c].size), Dim(x[r].size)};
    if (is_stack) turned.insert(turned.begin(), x[0]);
    context.output(transposed, turned, DType::uint8, kRole);
  }
  Shape of_scale{Dim(kScaleNumbers)};
  if (is_stack) of_scale.insert(of_scale.begin(), Dim(x[0].size));
  context.output(scale, of_scale, DType::float32, kRole);
}

void infer_matrix_amax(ShapeContext& context) {
  using enum matrix_amax::Operand;
  const Shape& x = context.shape(input);
  context.require(x.size() == 2 && x[1].size % 16 == 0 && context.dtype(input) == DType::bfloat16,
                  "input[R,C] of bfloat16, C a multiple of 16");
  context.output(amax, {Dim(1)}, DType::float32);
}
void infer_transpose_codes(ShapeContext& context) {
  using enum transpose_codes::Operand;
  const Shape& x = context.shape(codes);
  context.require(x.size() == 2 && x[0].size % 16 == 0 && x[1].size % 16 == 0 &&
                      context.dtype(codes) == DType::uint8,
                  "codes[R,C] of uint8, R and C multiples of 16");
  context.output(transposed, {x[1], x[0]}, DType::uint8);
}

// Checks a factor of a product: codes of two dimensions, and their scale.
const Shape& factor(const ShapeContext& context, std::size_t codes, std::size_t scale) {
  context.require(context.shape(codes).size() == 2 && context.dtype(codes) == DType::uint8,
                  "codes of uint8 with two dimensions");
  context.require_shape(scale, {Dim(kScaleNumbers)});
  return context.shape(codes);
}

void infer_linear(ShapeContext& context) {
  using enum quantised_linear::Operand;
  const Shape &x = factor(context, input, input_scale), &w = factor(context, weight, weight_scale);
  context.require(x[1].size == w[1].size, "input[N,I] and weight[O,I]");
  const Shape y{x[0], w[0]};
  if (context.has(bias)) context.require_shape(bias, {y[1]});
  if (context.has(addend)) context.require_shape(addend, y);
  context.output(output, y, DType::bfloat16);
}
void infer_input_gradient(ShapeContext& context) {
  using enum quantised_input_gradient::Operand;
  const Shape &dy = factor(context, gradient, gradient_scale),
              &w = factor(context, weight, weight_scale);
  context.require(dy[1].size == w[1].size, "gradient[N,O] and weight[I,O]");
  const Shape dx{dy[0], w[0]};
  if (context.has(addend)) context.require_shape(addend, dx);
  context.output(input_gradient, dx, DType::bfloat16);
}
void infer_weight_gradient(ShapeContext& context) {
  using enum quantised_weight_gradient::Operand;
  const Shape &dy = factor(context, gradient, gradient_scale),
              &x = factor(context, input, input_scale);
  context.require(dy[1].size == x[1].size, "gradient[O,N] and input[I,N]");
  context.require_shape(weight_gradient, {dy[0], x[0]});
}

template <class Operand>
void infer_grouped(ShapeContext& context, Operand left, Operand left_scale, Operand result) {
  using enum quantised_grouped_linear::Operand;  // for what both kinds have
  const Shape &x = factor(context, left, left_scale), &w = context.shape(weight);
  context.require(w.size() == 3 && context.dtype(weight) == DType::uint8 && x[1].size == w[2].size,
                  "codes [N,K] and weight[experts,M,K] of uint8");
  context.require_shape(weight_scales, {Dim(w[0].size), Dim(kScaleNumbers)});
  require_groups(context, groups, w[0]);
  context.output(result, {x[0], w[1]}, DType::bfloat16);
}
void infer_grouped_linear(ShapeContext& context) {
  using enum quantised_grouped_linear::Operand;
  infer_grouped(context, input, input_scale, output);
}
void infer_grouped_input_gradient(ShapeContext& context) {
  using enum quantised_grouped_input_gradient::Operand;
  infer_grouped(context, gradient, gradient_scale, input_gradient);
}
Cost cost_of_grouped(const OpView& op) {
  using enum quantised_grouped_linear::Operand;
  return grouped_cost(op, input, op.size(weight, 1), op.size(weight, 2));
}

// `kLeft` and `kRight` are codes with the terms of a sum side by side.
template <auto kLeft, auto kRight>
Cost cost(const OpView& op) {
  const double flops = 2.0 * static_cast<double>(op.size(kLeft, 0)) *
                       static_cast<double>(op.size(kRight, 0)) *
                       static_cast<double>(op.size(kLeft, 1));
  return {.flops = flops, .model_flops = flops, .megatron_flops = flops};
}

}  // namespace

const OpKind<quantise::Operand>& quantise_op() {
  using enum quantise::Operand;
  static const OpKind<quantise::Operand> def{
      {.name = "quantise",
       .operands = operand_table<Reads<input>, MayRead<amax>, MayWrite<codes>, MayWrite<transposed>,
                                 Writes<scale>>(),
       .infer = infer_quantise<Role::activation>}};
  return def;
}

const OpKind<quantise::Operand>& quantise_weight_op() {
  using enum quantise::Operand;
  static const OpKind<quantise::Operand> def{
      {.name = "quantise_weight",
       .operands = operand_table<Reads<input>, MayRead<amax>, MayWrite<codes>, MayWrite<transposed>,
                                 Writes<scale>>(),
       .infer = infer_quantise<Role::state>,
       .runs_once = true,
       .once_per_step = true}};
  return def;
}

const OpKind<matrix_amax::Operand>& matrix_amax_op() {
  using enum matrix_amax::Operand;
  static const OpKind<matrix_amax::Operand> def{
      {.name = "matrix_amax",
       .operands = operand_table<Reads<input>, Writes<amax>>(),
       .infer = infer_matrix_amax,
       .packs = true}};
  return def;
}

const OpKind<transpose_codes::Operand>& transpose_codes_op() {
  using enum transpose_codes::Operand;
  static const OpKind<transpose_codes::Operand> def{
      {.name = "transpose_codes",
       .operands = operand_table<Reads<codes>, Writes<transposed>>(),
       .infer = infer_transpose_codes}};
  return def;
}

const OpKind<quantised_linear::Operand>& quantised_linear_op() {
  using enum quantised_linear::Operand;
  static const OpKind<quantised_linear::Operand> def{
      {.name = "quantised_linear",
       .operands =
           operand_table<Reads<input>, Reads<input_scale>, Reads<weight>, Reads<weight_scale>,
                         MayRead<bias>, MayRead<addend>, Writes<output>>(),
       .infer = infer_linear,
       .cost = cost<input, weight>,
       .row_product = RowProduct{.input = input, .output = output, .addend = addend},
       .tile_flow = TileFlow{.input = input, .output = output},
       .gemm = true}};
  return def;
}

const OpKind<quantised_input_gradient::Operand>& quantised_input_gradient_op() {
  using enum quantised_input_gradient::Operand;
  static const OpKind<quantised_input_gradient::Operand> def{
      {.name = "quantised_input_gradient",
       .operands = operand_table<Reads<gradient>, Reads<gradient_scale>, Reads<weight>,
                                 Reads<weight_scale>, MayRead<addend>, Writes<input_gradient>>(),
       .infer = infer_input_gradient,
       .cost = cost<gradient, weight>,
       .in_place = {{input_gradient, addend}},
       .row_product = RowProduct{.input = gradient, .output = input_gradient, .addend = addend},
       .tile_flow = TileFlow{.input = gradient, .output = input_gradient},
       .gemm = true}};
  return def;
}

const OpKind<quantised_weight_gradient::Operand>& quantised_weight_gradient_op() {
  using enum quantised_weight_gradient::Operand;
  static const OpKind<quantised_weight_gradient::Operand> def{
      {.name = "quantised_weight_gradient",
       .operands = operand_table<Reads<gradient>, Reads<gradient_scale>, Reads<input>,
                                 Reads<input_scale>, FirstWrites<weight_gradient>>(),
       .infer = infer_weight_gradient,
       .cost = cost<gradient, input>,
       .gemm = true}};
  return def;
}

const OpKind<quantised_grouped_linear::Operand>& quantised_grouped_linear_op() {
  using enum quantised_grouped_linear::Operand;
  static const OpKind<quantised_grouped_linear::Operand> def{
      {.name = "quantised_grouped_linear",
       .operands = operand_table<Reads<input>, Reads<weight>, Reads<groups>, Reads<input_scale>,
                                 Reads<weight_scales>, Writes<output>>(),
       .infer = infer_grouped_linear,
       .cost = cost_of_grouped,
       .tile_flow = TileFlow{.input = input, .output = output},
       .gemm = true}};
  return def;
}

const OpKind<quantised_grouped_input_gradient::Operand>& quantised_grouped_input_gradient_op() {
  using enum quantised_grouped_input_gradient::Operand;
  static const OpKind<quantised_grouped_input_gradient::Operand> def{
      {.name = "quantised_grouped_input_gradient",
       .operands =
           operand_table<Reads<gradient>, Reads<weight>, Reads<groups>, Reads<gradient_scale>,
                         Reads<weight_scales>, Writes<input_gradient>>(),
       .infer = infer_grouped_input_gradient,
       .cost = cost_of_grouped,
       .tile_flow = TileFlow{.input = gradient, .output = input_gradient},
       .gemm = true}};
  return def;
}

}  // namespace megascale::graph
