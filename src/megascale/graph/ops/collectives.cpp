#include "megascale/graph/ops/ops.h"

// Communication op kinds. They move bytes (and add, in rank order) and compute nothing else; which
// communicator they use is a property of the plan's op. Operands: what this rank sends, what it
// receives.
namespace megascale::graph {
namespace {

void infer_nothing(ShapeContext&) {}

OpDef collective(std::string_view name) {
  return {.name = name,
          .operands = {{"send"}, {"receive", Access::write}},
          .infer = infer_nothing,
          .lane = Lane::data,
          .collective = true};
}

}  // namespace

const OpDef& all_gather_op() {
  static const OpDef def = collective("all_gather");
  return def;
}

const OpDef& reduce_scatter_op() {
  static const OpDef def = collective("reduce_scatter");
  return def;
}

const OpDef& all_to_all_op() {
  static const OpDef def = collective("all_to_all");
  return def;
}

// Attribute offset: every rank receives what the one `offset` further in the group sends.
const OpDef& shift_op() {
  static const OpDef def = collective("shift");
  return def;
}

// In place.
const OpDef& all_reduce_op() {
  static const OpDef def{.name = "all_reduce",
                         .operands = {{"buffer", Access::accumulate}},
                         .infer = infer_nothing,
                         .lane = Lane::data,
                         .collective = true};
  return def;
}

// In place; attribute root: index in the group.
const OpDef& broadcast_op() {
  static const OpDef def{.name = "broadcast",
                         .operands = {{"buffer", Access::accumulate}},
                         .infer = infer_nothing,
                         .lane = Lane::data,
                         .collective = true};
  return def;
}

const OpDef& send_op() {
  static const OpDef def{.name = "send",
                         .operands = {{"send"}},
                         .infer = infer_nothing,
                         .lane = Lane::forward_send,
                         .collective = true};
  return def;
}

const OpDef& recv_op() {
  static const OpDef def{.name = "recv",
                         .operands = {{"receive", Access::write}},
                         .infer = infer_nothing,
                         .lane = Lane::forward_receive,
                         .collective = true};
  return def;
}

}  // namespace megascale::graph
