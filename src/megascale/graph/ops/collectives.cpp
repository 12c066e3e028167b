#include "megascale/graph/differentiate.h"
#include "megascale/graph/ops/ops.h"

// Communication op kinds. They move bytes (and add, in rank order) and compute nothing else; which
// bytes go where stands in their TransferRule. Operands: what this rank sends, what it receives, or
// one buffer for both. In a chunk program the attributes name the group: axes (bits of an AxisSet)
// and ranks (its size). A send or recv has backward (1: against the direction of the pipeline),
// rows and columns instead.
namespace megascale::graph {
namespace {

void infer_nothing(ShapeContext&) {}

std::int64_t ranks(const ShapeContext& context) { return context.attributes().integer("ranks"); }

// Ranks that move equal parts cannot know how many of the rows mean something on the others.
void require_constant_rows(const ShapeContext& context) {
  context.require(!context.shape(0)[0].bounded(),
                  "a constant number of rows (rows that are counted at run time travel by "
                  "all_to_all_v)");
}

// Rows of all members, one member's after the other's.
void infer_all_gather(ShapeContext& context) {
  if (!context.has(0)) return;  // a step's own transfer of flat ranges
  Shape shape = context.shape(0);
  require_constant_rows(context);
  shape[0] = Dim(shape[0].size * ranks(context));
  context.output(1, std::move(shape), context.dtype(0));
}

void infer_reduce_scatter(ShapeContext& context) {
  if (!context.has(0)) return;
  Shape shape = context.shape(0);
  require_constant_rows(context);
  context.require(shape[0].size % ranks(context) == 0, "rows that divide among the ranks");
  shape[0] = Dim(shape[0].size / ranks(context));
  context.output(1, std::move(shape), context.dtype(0));
}

void infer_all_to_all(ShapeContext& context) {
  if (!context.has(0)) return;
  const Shape shape = context.shape(0);
  require_constant_rows(context);
  context.require(shape[0].size % ranks(context) == 0, "rows that divide among the ranks");
  context.output(1, shape, context.dtype(0));
}

namespace all_to_all_v {
enum : std::size_t { send, send_counts, receive_counts, receive };
}

// Attribute rows: the bound of what arrives from all ranks together.
void infer_all_to_all_v(ShapeContext& context) {
  Shape shape = context.shape(all_to_all_v::send);
  const auto n = ranks(context);
  for (const std::size_t counts : {all_to_all_v::send_counts, all_to_all_v::receive_counts}) {
    context.require_shape(counts, {Dim(n)});
    context.require(context.dtype(counts) == DType::int64, "int64 counts of rows, one per rank");
  }
  const auto rows_of = [&](std::int64_t bound, std::size_t counts) {
    return Dim(bound, context.tensor(counts), 0, static_cast<std::uint32_t>(n));
  };
  context.require(!shape.empty() && shape[0] == rows_of(shape[0].size, all_to_all_v::send_counts),
                  "send, whose rows are counted by all of send_counts");
  shape[0] = rows_of(context.attributes().integer("rows"), all_to_all_v::receive_counts);
  context.output(all_to_all_v::receive, std::move(shape), context.dtype(all_to_all_v::send));
}

// The gradient of a gather is a reduce-scatter over the same ranks, and the other way round;
// that of an exchange is the exchange back, which is the same one.
void emit_dual(BackwardContext& context, const OpDef& dual) {
  const TensorId dy = context.gradient(1);
  if (dy == kNoTensor || !context.needs_gradient(0)) return;
  const Op& op = context.emit(dual, "grad", {dy}, context.attributes());
  context.contribute(0, op.operands[1]);
}
void backward_all_gather(BackwardContext& context) { emit_dual(context, reduce_scatter_op()); }
void backward_reduce_scatter(BackwardContext& context) { emit_dual(context, all_gather_op()); }
void backward_all_to_all(BackwardContext& context) { emit_dual(context, all_to_all_op()); }

// The gradient takes the same way back: what was received from a rank is given to it.
void backward_all_to_all_v(BackwardContext& context) {
  const TensorId dy = context.gradient(all_to_all_v::receive);
  if (dy == kNoTensor || !context.needs_gradient(all_to_all_v::send)) return;
  Attributes attributes = context.attributes();
  attributes.set("rows", context.shape(all_to_all_v::send)[0].size);
  const Op& op = context.emit(all_to_all_v_op(), "grad",
                              {dy, context.operand(all_to_all_v::receive_counts),
                               context.operand(all_to_all_v::send_counts)},
                              std::move(attributes));
  context.contribute(all_to_all_v::send, op.operands[all_to_all_v::receive]);
}

void infer_send(ShapeContext& context) {
  if (context.has(0)) require_constant_rows(context);
}

void infer_recv(ShapeContext& context) {
  const Attributes& a = context.attributes();
  if (!context.has(0)) {
    context.output(0, {Dim(a.integer("rows")), Dim(a.integer("columns"))},
                   static_cast<DType>(a.integer("dtype")));
  }
}

// What was sent forward has its gradient received, and what was received has its gradient sent.
void backward_send(BackwardContext& context) {
  Attributes attributes = context.attributes();
  attributes.set("backward", std::int64_t{1});
  const Op& op = context.emit(recv_op(), "grad", {}, std::move(attributes));
  context.contribute(0, op.operands[0]);
}
void backward_recv(BackwardContext& context) {
  const TensorId dy = context.gradient(0);
  if (dy == kNoTensor) return;
  Attributes attributes = context.attributes();
  attributes.set("backward", std::int64_t{1});
  context.emit(send_op(), "grad", {dy}, std::move(attributes));
}

void infer_sum_blocks(ShapeContext& context) {
  Shape shape = context.shape(0);
  context.require(shape.size() == 2 && shape[0].size % ranks(context) == 0, "blocks[ranks x N,C]");
  shape[0] = Dim(shape[0].size / ranks(context));
  context.output(1, std::move(shape), context.dtype(0));
}

OpDef collective(const TransferRule& rule) {
  return {.name = rule.name,
          .operands = {{"send"}, {"receive", Access::write}},
          .infer = infer_nothing,
          .lane = Lane::data,
          .transfer = &rule,
          .transfer_operands = {.given = 0, .taken = 1}};
}

}  // namespace

const OpDef& all_gather_op() {
  static const OpDef def = [] {
    OpDef d = collective(transfer_rules::all_gather);
    d.infer = infer_all_gather;
    d.backward = backward_all_gather;
    return d;
  }();
  return def;
}

const OpDef& reduce_scatter_op() {
  static const OpDef def = [] {
    OpDef d = collective(transfer_rules::reduce_scatter);
    d.infer = infer_reduce_scatter;
    d.backward = backward_reduce_scatter;
    return d;
  }();
  return def;
}

const OpDef& all_to_all_op() {
  static const OpDef def = [] {
    OpDef d = collective(transfer_rules::all_to_all);
    d.infer = infer_all_to_all;
    d.backward = backward_all_to_all;
    return d;
  }();
  return def;
}

const OpDef& all_to_all_v_op() {
  static const OpDef def{
      .name = transfer_rules::all_to_all_v.name,
      .operands = {{"send"}, {"send_counts"}, {"receive_counts"}, {"receive", Access::write}},
      .infer = infer_all_to_all_v,
      .backward = backward_all_to_all_v,
      .lane = Lane::expert,
      .transfer = &transfer_rules::all_to_all_v,
      .transfer_operands = {.given = all_to_all_v::send,
                            .taken = all_to_all_v::receive,
                            .given_counts = all_to_all_v::send_counts,
                            .taken_counts = all_to_all_v::receive_counts}};
  return def;
}

// Attribute offset: every rank receives what the one `offset` further in the group sends.
const OpDef& shift_op() {
  static const OpDef def = collective(transfer_rules::shift);
  return def;
}

// What a reduce-scatter in pieces leaves to computation: the sum of the blocks that came from every
// rank, in rank order.
const OpDef& sum_blocks_op() {
  static const OpDef def{.name = "sum_blocks",
                         .operands = {{"blocks"}, {"output", Access::write}},
                         .infer = infer_sum_blocks};
  return def;
}

// In place.
const OpDef& all_reduce_op() {
  static const OpDef def{.name = transfer_rules::all_reduce.name,
                         .operands = {{"buffer", Access::accumulate}},
                         .infer = infer_nothing,
                         .lane = Lane::data,
                         .transfer = &transfer_rules::all_reduce,
                         .transfer_operands = {.given = 0, .taken = 0}};
  return def;
}

// In place; attribute root: index in the group.
const OpDef& broadcast_op() {
  static const OpDef def{.name = transfer_rules::broadcast.name,
                         .operands = {{"buffer", Access::accumulate}},
                         .infer = infer_nothing,
                         .lane = Lane::data,
                         .transfer = &transfer_rules::broadcast,
                         .transfer_operands = {.given = 0, .taken = 0}};
  return def;
}

const OpDef& send_op() {
  static const OpDef def{.name = transfer_rules::send.name,
                         .operands = {{"send"}},
                         .infer = infer_send,
                         .backward = backward_send,
                         .lane = Lane::forward_send,
                         .transfer = &transfer_rules::send,
                         .transfer_operands = {.given = 0}};
  return def;
}

const OpDef& recv_op() {
  static const OpDef def{.name = transfer_rules::recv.name,
                         .operands = {{"receive", Access::write}},
                         .infer = infer_recv,
                         .backward = backward_recv,
                         .lane = Lane::forward_receive,
                         .transfer = &transfer_rules::recv,
                         .transfer_operands = {.taken = 0}};
  return def;
}

}  // namespace megascale::graph
