// How copies of tokens get to experts and back: the map from choices to rows, which is computed once
// per layer and micro-batch, and the ops that move rows, and weights of choices, by it. Rows are
// counted at run time by the map's `sent`.
#include <algorithm>

#include "megascale/graph/differentiate.h"
#include "megascale/graph/ops/ops.h"

namespace megascale::graph {
namespace {

void infer_map(ShapeContext& context) {
  using enum dispatch_map::Operand;
  const std::int64_t experts = context.attributes().integer(attribute::experts),
                     ranks = context.attributes().integer(attribute::ranks),
                     pieces = context.attributes().integer(attribute::expert_pieces, 1);
  const Shape chosen = context.shape(choices);
  context.require(chosen.size() == 2 && context.dtype(choices) == DType::int32,
                  "choices[N,k] of int32");
  const bool of_rank = context.attributes().integer(attribute::of_rank, 0) != 0;
  context.require(ranks >= 1 && pieces >= 1 && experts % (ranks * pieces) == 0,
                  "experts that divide among the ranks and the pieces");
  context.require(!of_rank || pieces == 1, "pieces of the experts of all ranks");
  // No counts on source: its size is known only when the op has run.
  Dim rows(chosen[0].size * chosen[1].size);
  rows.leaving = !of_rank;
  if (pieces > 1) rows.mean = std::max<std::int64_t>(rows.size / pieces, 1);
  if (of_rank) {
    rows = Dim(context.attributes().integer(attribute::rows));
    rows.mean = context.attributes().integer(attribute::mean_rows);
  }
  context.output(source, {rows}, DType::int32);
  context.output(place, chosen, DType::int32);
  context.output(counts, {Dim(of_rank ? experts / ranks : experts)}, DType::int64);
  context.output(sent, {Dim(of_rank ? 1 : ranks)}, DType::int64);
}

// Checks the operands of a map and returns the number of rows, which `Operand::sent` counts.
template <class Operand>
Dim require_map(const ShapeContext& context) {
  const Shape &place = context.shape(Operand::place), &sent = context.shape(Operand::sent);
  context.require(place.size() == 2 && context.dtype(Operand::place) == DType::int32,
                  "place[N,k] of int32");
  context.require(sent.size() == 1 && context.dtype(Operand::sent) == DType::int64,
                  "sent[ranks] of int64");
  const Shape& source = context.shape(Operand::source);
  context.require(source.size() == 1 && source[0].size <= place[0].size * place[1].size,
                  "source[at most N k]");
  Dim rows(source[0].size, context.tensor(Operand::sent), 0,
           static_cast<std::uint32_t>(sent[0].size), source[0].mean);
  rows.leaving = source[0].leaving;
  return rows;
}

void infer_gather(ShapeContext& context) {
  using enum gather_rows::Operand;
  const Dim rows = require_map<gather_rows::Operand>(context);
  const Shape x = context.shape(input);
  context.require(x.size() == 2 && x[0].size == context.shape(place)[0].size, "input[N,C]");
  context.output(output, {rows, x[1]}, context.dtype(input));
}

void infer_combine(ShapeContext& context) {
  using enum combine_rows::Operand;
  const Dim rows = require_map<combine_rows::Operand>(context);
  const Shape x = context.shape(input);
  context.require(x.size() == 2 && x[0].size == rows.size, "input[rows,C]");
  context.output(output, {context.shape(place)[0], x[1]}, context.dtype(input));
}

void infer_gather_weights(ShapeContext& context) {
  using enum gather_weights::Operand;
  const Dim rows = require_map<gather_weights::Operand>(context);
  context.require_shape(weights, context.shape(place));
  context.output(output, {rows, Dim(1)}, context.dtype(weights));
}

void infer_gather_weights_gradient(ShapeContext& context) {
  using enum gather_weights_gradient::Operand;
  const Shape slots = context.shape(place);
  const Shape rows = context.shape(gradient);
  context.require(slots.size() == 2 && rows.size() == 2 && rows[1] == Dim(1) &&
                      rows[0].size <= slots[0].size * slots[1].size,
                  "gradient[at most N k,1] and place[N,k]");
  context.output(weights_gradient, slots, context.dtype(gradient));
}

// gather_rows and combine_rows are each other's gradient, by the same map.
template <class From, class To>
void backward_rows(BackwardContext& context, const OpKind<To>& dual) {
  const TensorId dy = context.gradient(From::output);
  if (dy == kNoTensor || !context.needs_gradient(From::input)) return;
  context.contribute(From::input, context.emit_for(To::output, dual, "grad",
                                                   {{To::input, dy},
                                                    {To::source, context.operand(From::source)},
                                                    {To::place, context.operand(From::place)},
                                                    {To::sent, context.operand(From::sent)}}));
}
void backward_gather(BackwardContext& context) {
  backward_rows<gather_rows::Operand>(context, combine_rows_op());
}
void backward_combine(BackwardContext& context) {
  backward_rows<combine_rows::Operand>(context, gather_rows_op());
}

void backward_gather_weights(BackwardContext& context) {
  using enum gather_weights::Operand;
  const TensorId dy = context.gradient(output);
  if (dy == kNoTensor || !context.needs_gradient(weights)) return;
  context.contribute(weights,
                     context.emit_for(gather_weights_gradient::weights_gradient,
                                      gather_weights_gradient_op(), "grad",
                                      {{gather_weights_gradient::gradient, dy},
                                       {gather_weights_gradient::place, context.operand(place)}}));
}

template <class Operand>
Dim require_weighted_rows(const ShapeContext& context) {
  const Dim rows = require_map<Operand>(context);
  const Shape& x = context.shape(Operand::input);
  context.require(x.size() == 2 && x[0].size == rows.size, "input[rows,C]");
  context.require_shape(Operand::weights, context.shape(Operand::place));
  return rows;
}

void infer_combine_weighted(ShapeContext& context) {
  using enum combine_weighted_rows::Operand;
  (void)require_weighted_rows<combine_weighted_rows::Operand>(context);
  context.output(output, {context.shape(place)[0], context.shape(input)[1]}, context.dtype(input));
}

void infer_combine_weighted_gradient(ShapeContext& context) {
  using enum combine_weighted_rows_gradient::Operand;
  const Dim rows = require_weighted_rows<combine_weighted_rows_gradient::Operand>(context);
  const Shape x = context.shape(input), slots = context.shape(place);
  context.require_shape(gradient, {slots[0], x[1]});
  context.output(input_gradient, {rows, x[1]}, context.dtype(input));
  context.output(weights_gradient, slots, context.dtype(weights));
}

void backward_combine_weighted(BackwardContext& context) {
  using enum combine_weighted_rows::Operand;
  namespace grad = combine_weighted_rows_gradient;
  const TensorId dy = context.gradient(output);
  if (dy == kNoTensor) return;
  const Op& gradient = context.emit(combine_weighted_rows_gradient_op(), "grad",
                                    {{grad::gradient, dy},
                                     {grad::input, context.operand(input)},
                                     {grad::weights, context.operand(weights)},
                                     {grad::source, context.operand(source)},
                                     {grad::place, context.operand(place)},
                                     {grad::sent, context.operand(sent)}});
  const TensorId dx = gradient.operands[grad::input_gradient],
                 dweights = gradient.operands[grad::weights_gradient];
  if (context.needs_gradient(input)) context.contribute(input, dx);
  if (context.needs_gradient(weights)) context.contribute(weights, dweights);
}

void infer_regroup(ShapeContext& context) {
  using enum regroup_map::Operand;
  const std::int64_t ranks = context.attributes().integer(attribute::ranks),
                     rows = context.attributes().integer(attribute::rows),
                     pieces = context.attributes().integer(attribute::expert_pieces, 1);
  const Shape& counted = context.shape(arrived);
  context.require(counted.size() == 1 && ranks >= 1 && pieces >= 1 &&
                      counted[0].size % (ranks * pieces) == 0 &&
                      context.dtype(arrived) == DType::int64,
                  "arrived[ranks x experts of a rank] of int64");
  const Dim experts(counted[0].size / ranks / pieces);
  context.output(order, {Dim(rows)}, DType::int32);
  context.output(inverse, {Dim(rows)}, DType::int32);
  context.output(groups, {experts}, DType::int64);
  context.output(received, {Dim(ranks)}, DType::int64);
}

void infer_reorder(ShapeContext& context) {
  using enum reorder_rows::Operand;
  const Shape x = context.shape(input);
  context.require(x.size() == 2, "input[M,C]");
  context.require_shape(order, {Dim(x[0].size)});
  context.require_shape(inverse, {Dim(x[0].size)});
  context.output(output, x, context.dtype(input));
}

void backward_reorder(BackwardContext& context) {
  using enum reorder_rows::Operand;
  const TensorId dy = context.gradient(output);
  if (dy == kNoTensor || !context.needs_gradient(input)) return;
  context.contribute(input, context.emit_for(output, reorder_rows_op(), "grad",
                                             {{input, dy},
                                              {order, context.operand(inverse)},
                                              {inverse, context.operand(order)}}));
}

void infer_join(ShapeContext& context) {
  using enum join_rows::Operand;
  Shape shape = context.shape(first);
  const Shape& more = context.shape(second);
  context.require(shape.size() == 2 && more.size() == 2 && shape[1] == more[1] &&
                      !shape[0].bounded() && !more[0].bounded() &&
                      context.dtype(first) == context.dtype(second),
                  "first[N,C] and second[M,C] of one dtype, with constant numbers of rows");
  shape[0] = Dim(shape[0].size + more[0].size);
  context.output(output, std::move(shape), context.dtype(first));
}

void infer_split(ShapeContext& context) {
  using enum split_rows::Operand;
  const Shape whole = context.shape(input);
  const std::int64_t rows = context.attributes().integer(attribute::rows);
  context.require(whole.size() == 2 && !whole[0].bounded() && rows > 0 && rows < whole[0].size,
                  "input[N,C] with more rows than the first part has");
  context.output(first, {Dim(rows), whole[1]}, context.dtype(input));
  context.output(second, {Dim(whole[0].size - rows), whole[1]}, context.dtype(input));
}

void backward_join(BackwardContext& context) {
  using enum join_rows::Operand;
  const TensorId dy = context.gradient(output);
  if (dy == kNoTensor) return;
  const Op& parts = context.emit(split_rows_op(), "grad", {{split_rows::input, dy}},
                                 {{attribute::rows, context.shape(first)[0].size}});
  const TensorId of_first = parts.operands[split_rows::first],
                 of_second = parts.operands[split_rows::second];
  if (context.needs_gradient(first)) context.contribute(first, of_first);
  if (context.needs_gradient(second)) context.contribute(second, of_second);
}

void backward_split(BackwardContext& context) {
  using enum split_rows::Operand;
  const TensorId of_first = context.gradient(first), of_second = context.gradient(second);
  if (of_first == kNoTensor && of_second == kNoTensor) return;
  MEGASCALE_CHECK(of_first != kNoTensor && of_second != kNoTensor,
                  "the loss depends on both parts of split_rows");
  context.contribute(
      input, context.emit_for(join_rows::output, join_rows_op(), "grad",
                              {{join_rows::first, of_first}, {join_rows::second, of_second}}));
}

}  // namespace

const OpKind<join_rows::Operand>& join_rows_op() {
  using enum join_rows::Operand;
  static const OpKind<join_rows::Operand> def{
      {.name = "join_rows",
       .operands = operand_table<Reads<first>, Reads<second>, Writes<output>>(),
       .infer = infer_join,
       .backward = backward_join}};
  return def;
}

const OpKind<split_rows::Operand>& split_rows_op() {
  using enum split_rows::Operand;
  static const OpKind<split_rows::Operand> def{
      {.name = "split_rows",
       .operands = operand_table<Reads<input>, Writes<first>, Writes<second>>(),
       .infer = infer_split,
       .backward = backward_split,
       .packs = true}};
  return def;
}

const OpKind<dispatch_map::Operand>& dispatch_map_op() {
  using enum dispatch_map::Operand;
  static const OpKind<dispatch_map::Operand> def{
      {.name = "dispatch_map",
       .operands = operand_table<Reads<choices>, Writes<source>, Writes<place>, Writes<counts>,
                                 Writes<sent>>(),
       .infer = infer_map,
       .runs_once = true}};
  return def;
}

const OpKind<gather_rows::Operand>& gather_rows_op() {
  using enum gather_rows::Operand;
  static const OpKind<gather_rows::Operand> def{
      {.name = "gather_rows",
       .operands =
           operand_table<Reads<input>, Reads<source>, Reads<place>, Reads<sent>, Writes<output>>(),
       .infer = infer_gather,
       .backward = backward_gather,
       .tile_flow = TileFlow{.input = input, .output = output}}};
  return def;
}

const OpKind<combine_rows::Operand>& combine_rows_op() {
  using enum combine_rows::Operand;
  static const OpKind<combine_rows::Operand> def{
      {.name = "combine_rows",
       .operands =
           operand_table<Reads<input>, Reads<source>, Reads<place>, Reads<sent>, Writes<output>>(),
       .infer = infer_combine,
       .backward = backward_combine,
       .tile_flow = TileFlow{.input = input, .output = output}}};
  return def;
}

const OpKind<combine_weighted_rows::Operand>& combine_weighted_rows_op() {
  using enum combine_weighted_rows::Operand;
  static const OpKind<combine_weighted_rows::Operand> def{
      {.name = "combine_weighted_rows",
       .operands = operand_table<Reads<input>, Reads<weights>, Reads<source>, Reads<place>,
                                 Reads<sent>, Writes<output>>(),
       .infer = infer_combine_weighted,
       .backward = backward_combine_weighted,
       .tile_flow = TileFlow{.input = input, .output = output}}};
  return def;
}

const OpKind<combine_weighted_rows_gradient::Operand>& combine_weighted_rows_gradient_op() {
  using enum combine_weighted_rows_gradient::Operand;
  static const OpKind<combine_weighted_rows_gradient::Operand> def{
      {.name = "combine_weighted_rows_gradient",
       .operands =
           operand_table<Reads<gradient>, Reads<input>, Reads<weights>, Reads<source>, Reads<place>,
                         Reads<sent>, Writes<input_gradient>, Writes<weights_gradient>>(),
       .infer = infer_combine_weighted_gradient}};
  return def;
}

const OpKind<gather_weights::Operand>& gather_weights_op() {
  using enum gather_weights::Operand;
  static const OpKind<gather_weights::Operand> def{
      {.name = "gather_weights",
       .operands = operand_table<Reads<weights>, Reads<source>, Reads<place>, Reads<sent>,
                                 Writes<output>>(),
       .infer = infer_gather_weights,
       .backward = backward_gather_weights}};
  return def;
}

const OpKind<gather_weights_gradient::Operand>& gather_weights_gradient_op() {
  using enum gather_weights_gradient::Operand;
  static const OpKind<gather_weights_gradient::Operand> def{
      {.name = "gather_weights_gradient",
       .operands = operand_table<Reads<gradient>, Reads<place>, Writes<weights_gradient>>(),
       .infer = infer_gather_weights_gradient}};
  return def;
}

const OpKind<regroup_map::Operand>& regroup_map_op() {
  using enum regroup_map::Operand;
  static const OpKind<regroup_map::Operand> def{
      {.name = "regroup_map",
       .operands = operand_table<Reads<arrived>, Writes<order>, Writes<inverse>, Writes<groups>,
                                 Writes<received>>(),
       .infer = infer_regroup,
       .runs_once = true}};
  return def;
}

const OpKind<reorder_rows::Operand>& reorder_rows_op() {
  using enum reorder_rows::Operand;
  static const OpKind<reorder_rows::Operand> def{
      {.name = "reorder_rows",
       .operands = operand_table<Reads<input>, Reads<order>, Reads<inverse>, Writes<output>>(),
       .infer = infer_reorder,
       .backward = backward_reorder,
       .tile_flow = TileFlow{.input = input, .output = output}}};
  return def;
}

}  // namespace megascale::graph
