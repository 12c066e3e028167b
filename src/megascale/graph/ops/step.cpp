// The ops of a step that belong to no micro-batch and to no optimizer: loading the batch, and the sum
// of the gradients of a parameter with two uses. Like the ops of optimizers (adamw.cpp, lamb.cpp,
// clipping.cpp) they work on flat buffers and are not part of chunk programs. So their shape rules do
// nothing; the plan builder sets every operand.
#include "megascale/graph/ops/ops.h"

namespace megascale::graph {
namespace {
void infer_nothing(ShapeContext&) {}
}  // namespace

const OpKind<host_copy::Operand>& host_copy_op() {
  using enum host_copy::Operand;
  static const OpKind<host_copy::Operand> def{
      {.name = "host_copy",
       .operands = operand_table<Reads<staging>, Writes<batch>>(),
       .infer = infer_nothing,
       .lane = Lane::host_in}};
  return def;
}

const OpKind<load_batch::Operand>& load_batch_op() {
  using enum load_batch::Operand;
  static const OpKind<load_batch::Operand> def{{.name = "load_batch",
                                                .operands = operand_table<Writes<staging>>(),
                                                .infer = infer_nothing,
                                                .lane = Lane::host_in}};
  return def;
}

const OpKind<clear_padding::Operand>& clear_padding_op() {
  using enum clear_padding::Operand;
  static const OpKind<clear_padding::Operand> def{{.name = "clear_padding",
                                                   .operands = operand_table<Accumulates<values>>(),
                                                   .infer = infer_nothing}};
  return def;
}

const OpKind<pack_bfloat16::Operand>& pack_bfloat16_op() {
  using enum pack_bfloat16::Operand;
  static const OpKind<pack_bfloat16::Operand> def{{.name = "pack_bfloat16",
                                                   .operands = operand_table<Accumulates<values>>(),
                                                   .infer = infer_nothing}};
  return def;
}

// Attributes: blocks and dtype.
const OpKind<pack_shares::Operand>& pack_shares_op() {
  using enum pack_shares::Operand;
  static const OpKind<pack_shares::Operand> def{
      {.name = "pack_shares",
       .operands = operand_table<Accumulates<values>, Reads<share>>(),
       .infer = infer_nothing}};
  return def;
}

const OpKind<add_bfloat16_blocks::Operand>& add_bfloat16_blocks_op() {
  using enum add_bfloat16_blocks::Operand;
  static const OpKind<add_bfloat16_blocks::Operand> def{
      {.name = "add_bfloat16_blocks",
       .operands = operand_table<Reads<blocks>, Writes<sum>>(),
       .infer = infer_nothing}};
  return def;
}

const OpKind<add_main_gradient::Operand>& add_main_gradient_op() {
  using enum add_main_gradient::Operand;
  static const OpKind<add_main_gradient::Operand> def{
      {.name = "add_main_gradient",
       .operands = operand_table<Accumulates<sum>, Reads<addend>>(),
       .infer = infer_nothing}};
  return def;
}

const OpKind<collect_records::Operand>& collect_records_op() {
  using enum collect_records::Operand;
  static const OpKind<collect_records::Operand> def{
      {.name = "collect_records",
       .operands = operand_table<MayRead<own>, Writes<sums>>(),
       .infer = infer_nothing}};
  return def;
}

}  // namespace megascale::graph
