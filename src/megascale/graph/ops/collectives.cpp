// The op kinds of communication. They move bytes and add values (in rank order, except over NCCL);
// they compute nothing else. The TransferRule of a kind says which bytes go where. The operands are
// the bytes that this rank sends and those that it receives, or one buffer for both.
//
// In a chunk program, attributes name the group: axes (bits of an AxisSet) and ranks (its size). A
// send or recv has the attributes rows, columns and backward (1: against the direction of the
// pipeline) instead. In the transfers of the step itself the plan builder sets all operands.
#include "megascale/graph/differentiate.h"
#include "megascale/graph/ops/ops.h"

namespace megascale::graph {
namespace {

void infer_nothing(ShapeContext&) {}

std::int64_t ranks(const ShapeContext& context) {
  return context.attributes().integer(attribute::ranks);
}

// Ranks that move equal parts cannot know how many rows are in use on other ranks.
void require_constant_rows(const ShapeContext& context, std::size_t operand) {
  context.require(!context.shape(operand)[0].bounded(),
                  "a constant number of rows (rows that are counted at run time travel by "
                  "all_to_all_v)");
}

// The result holds the rows of all members, in member order.
void infer_all_gather(ShapeContext& context) {
  using enum collective::Operand;
  if (!context.has(send)) return;  // a transfer of the step itself, over flat ranges
  Shape shape = context.shape(send);
  require_constant_rows(context, send);
  shape[0] = Dim(shape[0].size * ranks(context));
  context.output(receive, std::move(shape), context.dtype(send));
}

void infer_reduce_scatter(ShapeContext& context) {
  using enum collective::Operand;
  if (!context.has(send)) return;
  Shape shape = context.shape(send);
  require_constant_rows(context, send);
  context.require(shape[0].size % ranks(context) == 0, "rows that divide among the ranks");
  shape[0] = Dim(shape[0].size / ranks(context));
  context.output(receive, std::move(shape), context.dtype(send));
}

void infer_all_to_all(ShapeContext& context) {
  using enum collective::Operand;
  if (!context.has(send)) return;
  const Shape shape = context.shape(send);
  require_constant_rows(context, send);
  context.require(shape[0].size % ranks(context) == 0, "rows that divide among the ranks");
  context.output(receive, shape, context.dtype(send));
}

// Attributes: rows, an upper bound for the rows that arrive from all ranks together, and mean_rows,
// how many of them arrive on average (0: as many).
void infer_all_to_all_v(ShapeContext& context) {
  using enum all_to_all_v::Operand;
  Shape shape = context.shape(send);
  const auto n = ranks(context);
  for (const auto counts : {send_counts, receive_counts}) {
    context.require_shape(counts, {Dim(n)});
    context.require(context.dtype(counts) == DType::int64, "int64 counts of rows, one per rank");
  }
  const auto rows_of = [&](std::int64_t bound, std::size_t counts) {
    return Dim(bound, context.tensor(counts), 0, static_cast<std::uint32_t>(n));
  };
  Dim sent = rows_of(shape.empty() ? 0 : shape[0].size, send_counts);
  sent.mean = shape.empty() ? 0 : shape[0].mean;
  sent.leaving = !shape.empty() && shape[0].leaving;
  context.require(!shape.empty() && shape[0] == sent,
                  "send, whose rows are counted by all of send_counts");
  shape[0] = rows_of(context.attributes().integer(attribute::rows), receive_counts);
  shape[0].mean = context.attributes().integer(attribute::mean_rows, 0);
  shape[0].leaving = shape[0].mean != 0 && !sent.leaving;  // rows that arrived go back
  context.output(receive, std::move(shape), context.dtype(send));
}

// The gradient of an all_gather is a reduce_scatter over the same ranks, and the other way round.
// The gradient of an all_to_all is the same all_to_all, since it is its own inverse.
void emit_dual(BackwardContext& context, const OpKind<collective::Operand>& dual) {
  using enum collective::Operand;
  const TensorId dy = context.gradient(receive);
  if (dy == kNoTensor || !context.needs_gradient(send)) return;
  context.contribute(send,
                     context.emit_for(receive, dual, "grad", {{send, dy}}, context.attributes()));
}
void backward_all_gather(BackwardContext& context) { emit_dual(context, reduce_scatter_op()); }
void backward_reduce_scatter(BackwardContext& context) { emit_dual(context, all_gather_op()); }
void backward_all_to_all(BackwardContext& context) { emit_dual(context, all_to_all_op()); }

// The gradient travels back: rows that came from a rank return to it.
void backward_all_to_all_v(BackwardContext& context) {
  using enum all_to_all_v::Operand;
  const TensorId dy = context.gradient(receive);
  if (dy == kNoTensor || !context.needs_gradient(send)) return;
  Attributes attributes = context.attributes();
  attributes.set(attribute::rows, context.shape(send)[0].size);
  attributes.set(attribute::mean_rows, context.shape(send)[0].mean);
  const TensorId dx = context.emit_for(receive, all_to_all_v_op(), "grad",
                                       {{send, dy},
                                        {send_counts, context.operand(receive_counts)},
                                        {receive_counts, context.operand(send_counts)}},
                                       std::move(attributes));
  context.contribute(send, dx);
}

void infer_send(ShapeContext& context) {
  if (context.has(send::send)) require_constant_rows(context, send::send);
}

void infer_recv(ShapeContext& context) {
  const Attributes& a = context.attributes();
  if (!context.has(recv::receive)) {
    context.output(recv::receive,
                   {Dim(a.integer(attribute::rows)), Dim(a.integer(attribute::columns))},
                   static_cast<DType>(a.integer(attribute::dtype)));
  }
}

// The gradient of a send is a recv from the stage that received the tensor, and the other way
// round.
void backward_send(BackwardContext& context) {
  Attributes attributes = context.attributes();
  attributes.set(attribute::backward, std::int64_t{1});
  context.contribute(send::send,
                     context.emit_for(recv::receive, recv_op(), "grad", {}, std::move(attributes)));
}
void backward_recv(BackwardContext& context) {
  const TensorId dy = context.gradient(recv::receive);
  if (dy == kNoTensor) return;
  Attributes attributes = context.attributes();
  attributes.set(attribute::backward, std::int64_t{1});
  context.emit(send_op(), "grad", {{send::send, dy}}, std::move(attributes));
}

// A shift of the step itself, or of a pass that cuts transfers, names both operands.
void infer_shift(ShapeContext& context) {
  using enum collective::Operand;
  if (!context.has(send)) return;
  require_constant_rows(context, send);
  context.output(receive, Shape(context.shape(send)), context.dtype(send));
}

// The gradient travels back to the rank that gave the rows.
void backward_shift(BackwardContext& context) {
  using enum collective::Operand;
  const TensorId dy = context.gradient(receive);
  if (dy == kNoTensor || !context.needs_gradient(send)) return;
  Attributes attributes = context.attributes();
  attributes.set(attribute::offset,
                 attributes.integer(attribute::ranks) - attributes.integer(attribute::offset));
  context.contribute(
      send, context.emit_for(receive, shift_op(), "grad", {{send, dy}}, std::move(attributes)));
}

void infer_sum_blocks(ShapeContext& context) {
  using enum sum_blocks::Operand;
  Shape shape = context.shape(blocks);
  context.require(shape.size() == 2 && shape[0].size % ranks(context) == 0, "blocks[ranks x N,C]");
  shape[0] = Dim(shape[0].size / ranks(context));
  context.output(output, std::move(shape), context.dtype(blocks));
}

OpKind<collective::Operand> make_collective(const TransferRule& rule, void (*infer)(ShapeContext&),
                                            void (*backward)(BackwardContext&)) {
  using enum collective::Operand;
  return {{.name = rule.name,
           .operands = operand_table<Reads<send>, Writes<receive>>(),
           .infer = infer,
           .backward = backward,
           .lane = Lane::data,
           .transfer = &rule,
           .transfer_operands = {.given = send, .taken = receive}}};
}

// Makes a kind with one buffer that holds both the sent and the received bytes.
OpKind<in_place_collective::Operand> make_in_place(const TransferRule& rule) {
  using enum in_place_collective::Operand;
  return {{.name = rule.name,
           .operands = operand_table<Accumulates<buffer>>(),
           .infer = infer_nothing,
           .lane = Lane::data,
           .transfer = &rule,
           .transfer_operands = {.given = buffer, .taken = buffer}}};
}

}  // namespace

const OpKind<collective::Operand>& all_gather_op() {
  static const auto def =
      make_collective(transfer_rules::all_gather, infer_all_gather, backward_all_gather);
  return def;
}

const OpKind<collective::Operand>& reduce_scatter_op() {
  static const auto def = make_collective(transfer_rules::reduce_scatter, infer_reduce_scatter,
                                          backward_reduce_scatter);
  return def;
}

const OpKind<collective::Operand>& all_to_all_op() {
  static const auto def =
      make_collective(transfer_rules::all_to_all, infer_all_to_all, backward_all_to_all);
  return def;
}

const OpKind<all_to_all_v::Operand>& all_to_all_v_op() {
  using enum all_to_all_v::Operand;
  static const OpKind<all_to_all_v::Operand> def{
      {.name = transfer_rules::all_to_all_v.name,
       .operands =
           operand_table<Reads<send>, Reads<send_counts>, Reads<receive_counts>, Writes<receive>>(),
       .infer = infer_all_to_all_v,
       .backward = backward_all_to_all_v,
       .lane = Lane::expert,
       .transfer = &transfer_rules::all_to_all_v,
       .transfer_operands = {.given = send,
                             .taken = receive,
                             .given_counts = send_counts,
                             .taken_counts = receive_counts}}};
  return def;
}

// Attribute offset: each rank receives from the rank that is `offset` further in the group.
const OpKind<collective::Operand>& shift_op() {
  static const auto def = make_collective(transfer_rules::shift, infer_shift, backward_shift);
  return def;
}

// The sum of the blocks that came from all ranks, in rank order. If a reduce_scatter is split into
// pieces, this op is its computation.
const OpKind<sum_blocks::Operand>& sum_blocks_op() {
  using enum sum_blocks::Operand;
  static const OpKind<sum_blocks::Operand> def{
      {.name = "sum_blocks",
       .operands = operand_table<Reads<blocks>, Writes<output>>(),
       .infer = infer_sum_blocks}};
  return def;
}

const OpKind<in_place_collective::Operand>& all_reduce_op() {
  static const auto def = make_in_place(transfer_rules::all_reduce);
  return def;
}

// Attribute root: index of the sender in the group.
const OpKind<in_place_collective::Operand>& broadcast_op() {
  static const auto def = make_in_place(transfer_rules::broadcast);
  return def;
}

const OpKind<send::Operand>& send_op() {
  using enum send::Operand;
  static const OpKind<send::Operand> def{{.name = transfer_rules::send.name,
                                          .operands = operand_table<Reads<send>>(),
                                          .infer = infer_send,
                                          .backward = backward_send,
                                          .lane = Lane::forward_send,
                                          .transfer = &transfer_rules::send,
                                          .transfer_operands = {.given = send}}};
  return def;
}

const OpKind<recv::Operand>& recv_op() {
  using enum recv::Operand;
  static const OpKind<recv::Operand> def{{.name = transfer_rules::recv.name,
                                          .operands = operand_table<Writes<receive>>(),
                                          .infer = infer_recv,
                                          .backward = backward_recv,
                                          .lane = Lane::forward_receive,
                                          .transfer = &transfer_rules::recv,
                                          .transfer_operands = {.taken = receive}}};
  return def;
}

}  // namespace megascale::graph
