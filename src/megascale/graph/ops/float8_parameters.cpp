// Parameters in 8 bits: ops on flat buffers, which have no shapes, and the op that reads a weight back.
#include "megascale/graph/ops/float8_parameter_ops.h"

namespace megascale::graph {
namespace {

void infer_flat(ShapeContext&) {}

void infer_dequantise(ShapeContext& context) {
  using enum dequantise_float8::Operand;
  const Shape x = context.shape(codes);
  context.require((x.size() == 2 || x.size() == 3) && context.dtype(codes) == DType::float8_e4m3,
                  "codes[N,C] or codes[n,N,C] of float8_e4m3");
  const Shape& groups = context.shape(scales);
  const std::int64_t rows = numel(x) / x.back().size;
  context.require(groups.size() == 1 && context.dtype(scales) == DType::float32 &&
                      groups[0].size > 0 && rows % groups[0].size == 0,
                  "scales[S] of float32, each of equally many rows");
  context.output(output, x, DType::float32);
}

}  // namespace

const OpKind<float8_amax::Operand>& float8_amax_op() {
  using enum float8_amax::Operand;
  static const OpKind<float8_amax::Operand> def{
      {.name = "float8_amax",
       .operands = operand_table<Reads<masters>, Writes<amax>>(),
       .infer = infer_flat}};
  return def;
}

const OpKind<quantise_float8::Operand>& quantise_float8_op() {
  using enum quantise_float8::Operand;
  static const OpKind<quantise_float8::Operand> def{
      {.name = "quantise_float8",
       .operands = operand_table<Reads<masters>, Reads<amax>, Writes<codes>, Writes<scales>>(),
       .infer = infer_flat}};
  return def;
}

const OpKind<dequantise_float8::Operand>& dequantise_float8_op() {
  using enum dequantise_float8::Operand;
  static const OpKind<dequantise_float8::Operand> def{
      {.name = "dequantise_float8",
       .operands = operand_table<Reads<codes>, Reads<scales>, Writes<output>>(),
       .infer = infer_dequantise}};
  return def;
}

}  // namespace megascale::graph
