// The router of a layer with experts: the choice of experts from logits, the losses that balance the
// choices, and their gradients. Its results decide where rows go and how many, so route runs once
// and is never computed again in the backward.
#include "megascale/graph/differentiate.h"
#include "megascale/graph/ops/ops.h"

namespace megascale::graph {
namespace {

void require_logits(const ShapeContext& context, std::size_t operand) {
  context.require(context.shape(operand).size() == 2 && context.dtype(operand) == DType::float32,
                  "logits[N,E] of float32");
}

void infer_route(ShapeContext& context) {
  using enum route::Operand;
  require_logits(context, logits);
  const Shape shape = context.shape(logits);
  const std::int64_t k = context.attributes().integer(attribute::top_k);
  context.require(k >= 1 && k <= shape[1].size, "a top_k of 1 to E");
  if (const std::int64_t groups = context.attributes().integer(attribute::expert_groups, 0);
      groups > 0) {
    const std::int64_t chosen = context.attributes().integer(attribute::groups_of_token);
    context.require(shape[1].size % groups == 0 && chosen >= 1 && chosen <= groups && k >= chosen &&
                        k <= chosen * (shape[1].size / groups),
                    "groups of equal size, as many of a token as have top_k experts");
    const std::int64_t best = context.attributes().integer(attribute::group_best, 0);
    context.require(best >= 0 && best <= k && best <= shape[1].size / groups,
                    "a group_best of at most top_k, and of at most the experts of a group");
  }
  if (context.has(bias)) context.require_shape(bias, {shape[1]});
  if (context.has(fixed)) context.require_shape(fixed, {shape[0], Dim(k)});
  if (context.has(padding)) {
    context.require_shape(padding, {shape[0]});
    context.require(context.dtype(padding) == DType::int32, "padding[N] of int32");
  }
  context.output(choices, {shape[0], Dim(k)}, DType::int32);
  context.output(weights, {shape[0], Dim(k)}, DType::float32);
  if (context.attributes().integer(attribute::affinities, 0) != 0)
    context.output(affinities, {shape[0], Dim(k)}, DType::float32);
  context.output(loads, {shape[1]}, DType::int64);
}

void infer_load_excess(ShapeContext& context) {
  using enum load_excess::Operand;
  const Shape& counted = context.shape(loads);
  context.require(counted.size() == 1 && context.dtype(loads) == DType::int64, "loads[E] of int64");
  context.require_shape(excess, counted);
}

void infer_nothing_of_router(ShapeContext&) {}

void backward_route(BackwardContext& context) {
  using enum route::Operand;
  if (context.has(bias) && context.needs_gradient(bias)) {
    const TensorId excess = context.main_gradient(bias);
    context.emit(load_excess_op(), "load_excess",
                 {{load_excess::loads, context.operand(loads)}, {load_excess::excess, excess}});
  }
  const TensorId dweights = context.gradient(weights);
  if (dweights == kNoTensor || !context.needs_gradient(logits)) return;
  const TensorId addend = context.take_addend(logits);
  context.contribute(logits,
                     context.emit_for(route_gradient::logits_gradient, route_gradient_op(), "grad",
                                      {{route_gradient::gradient, dweights},
                                       {route_gradient::logits, context.operand(logits)},
                                       {route_gradient::choices, context.operand(choices)},
                                       {route_gradient::addend, addend}},
                                      context.attributes()));
}

void infer_route_gradient(ShapeContext& context) {
  using enum route_gradient::Operand;
  require_logits(context, logits);
  const Shape shape = context.shape(logits);
  const std::int64_t k = context.attributes().integer(attribute::top_k);
  context.require_shape(gradient, {shape[0], Dim(k)});
  context.require_shape(choices, {shape[0], Dim(k)});
  if (context.has(addend)) context.require_shape(addend, shape);
  context.output(logits_gradient, shape, DType::float32);
}

void infer_group_loads(ShapeContext& context) {
  using enum group_loads::Operand;
  const std::int64_t experts = context.attributes().integer(attribute::experts),
                     groups = context.attributes().integer(attribute::device_groups);
  context.require(context.shape(choices).size() == 2 && context.dtype(choices) == DType::int32,
                  "choices[N,k] of int32");
  context.require(groups >= 1 && experts % groups == 0, "experts in equal groups");
  context.output(sent, {Dim(groups)}, DType::int64);
}

void infer_drop_choices(ShapeContext& context) {
  using enum drop_choices::Operand;
  const auto attribute = [&](attribute::Name name) { return context.attributes().integer(name); };
  const std::int64_t experts = attribute(attribute::experts),
                     groups = attribute(attribute::device_groups),
                     ranks = attribute(attribute::ranks),
                     contexts = attribute(attribute::context_ranks),
                     length = attribute(attribute::sequence);
  const Shape all = context.shape(choices);
  context.require(all.size() == 2 && context.dtype(choices) == DType::int32,
                  "choices[ranks x N,k] of int32");
  context.require_shape(affinities, all);
  context.require(context.dtype(affinities) == DType::float32, "affinities of float32");
  context.require(groups >= 1 && experts % groups == 0, "experts in equal groups");
  context.require(attribute(attribute::capacity) >= 0, "a capacity of at least 0");
  context.require(contexts >= 1 && ranks % contexts == 0, "ranks that the context ranks divide");
  context.require(length >= 1 && length % contexts == 0 && all[0].size % length == 0 &&
                      all[0].size % ranks == 0,
                  "whole sequences, in equal shares of the ranks");
  if (context.has(exempt)) {
    context.require_shape(exempt, {Dim(all[0].size / length)});
    context.require(context.dtype(exempt) == DType::int32, "exempt[sequences] of int32");
  }
  if (context.has(before)) {
    context.require_shape(before, {Dim(1)});
    context.require(context.dtype(before) == DType::int64, "before[1] of int64");
  }
  context.output(kept, {Dim(all[0].size / ranks), all[1]}, DType::int32);
  context.output(dropped, {Dim(1)}, DType::int64);
}

template <class Operand>
void require_counts(const ShapeContext& context) {
  require_logits(context, Operand::logits);
  if (context.has(Operand::choices)) {
    context.require_shape(Operand::choices, {context.shape(Operand::logits)[0],
                                             Dim(context.attributes().integer(attribute::top_k))});
    context.require(context.dtype(Operand::choices) == DType::int32, "choices[N,k] of int32");
  }
  if (context.has(Operand::counted)) {
    context.require_shape(Operand::counted, {Dim(1)});
    context.require(context.dtype(Operand::counted) == DType::int64, "counted[1] of int64");
  }
  const std::int64_t experts = context.shape(Operand::logits)[1].size;
  const std::int64_t groups = context.attributes().integer(attribute::device_groups, 0);
  const Shape& of_ranks = context.shape(Operand::loads);
  context.require(of_ranks.size() == 1 && of_ranks[0].size > 0 && of_ranks[0].size % experts == 0 &&
                      context.dtype(Operand::loads) == DType::int64,
                  "loads[ranks x E] of int64");
  context.require(groups >= 0 && (groups == 0 || experts % groups == 0), "experts in equal groups");
  if (!context.has(Operand::sent)) return;
  context.require(groups > 0 && context.dtype(Operand::sent) == DType::int64,
                  "sent[ranks x D] of int64");
  context.require_shape(Operand::sent, {Dim(of_ranks[0].size / experts * groups)});
}

void infer_losses(ShapeContext& context) {
  using enum router_losses::Operand;
  require_counts<router_losses::Operand>(context);
  context.output(losses, {Dim(2)}, DType::float64);
}

// The losses are part of what a step minimises. Nothing reads them in the program, so their gradient
// begins here.
void backward_losses(BackwardContext& context) {
  using enum router_losses::Operand;
  if (!context.needs_gradient(logits)) return;
  const TensorId addend = context.take_addend(logits);
  context.contribute(
      logits,
      context.emit_for(router_losses_gradient::logits_gradient, router_losses_gradient_op(), "grad",
                       {{router_losses_gradient::logits, context.operand(logits)},
                        {router_losses_gradient::loads, context.operand(loads)},
                        {router_losses_gradient::sent, context.operand(sent)},
                        {router_losses_gradient::choices, context.operand(choices)},
                        {router_losses_gradient::counted, context.operand(counted)},
                        {router_losses_gradient::addend, addend}},
                       context.attributes()));
}

void infer_losses_gradient(ShapeContext& context) {
  using enum router_losses_gradient::Operand;
  require_counts<router_losses_gradient::Operand>(context);
  if (context.has(addend)) context.require_shape(addend, context.shape(logits));
  context.output(logits_gradient, context.shape(logits), DType::float32);
}

void infer_record(ShapeContext& context) {
  using enum record_routing::Operand;
  const Shape& counted = context.shape(loads);
  context.require(counted.size() == 1 && context.dtype(loads) == DType::int64, "loads[E] of int64");
  if (context.has(losses)) context.require_shape(losses, {Dim(2)});
  if (context.has(dropped)) context.require_shape(dropped, {Dim(1)});
  context.require_shape(record, {Dim(counted[0].size + 3)});
}

}  // namespace

const OpKind<load_excess::Operand>& load_excess_op() {
  using enum load_excess::Operand;
  static const OpKind<load_excess::Operand> def{
      {.name = "load_excess",
       .operands = operand_table<Reads<loads>, FirstWrites<excess>>(),
       .infer = infer_load_excess}};
  return def;
}

const OpKind<update_choice_bias::Operand>& update_choice_bias_op() {
  using enum update_choice_bias::Operand;
  static const OpKind<update_choice_bias::Operand> def{
      {.name = "update_choice_bias",
       .operands = operand_table<Accumulates<biases>, Reads<excess>, Reads<scalars>>(),
       .infer = infer_nothing_of_router}};
  return def;
}

const OpKind<keep_routes::Operand>& keep_routes_op() {
  using enum keep_routes::Operand;
  static const OpKind<keep_routes::Operand> def{
      {.name = "keep_routes",
       .operands = operand_table<Reads<choices>, Reads<affinities>, MayRead<bias>, Writes<routes>,
                                 Writes<scores>>(),
       .infer =
           [](ShapeContext& context) {
             const Shape& slots = context.shape(choices);
             for (const auto operand : {affinities, routes, scores})
               context.require_shape(operand, slots);
           },
       .runs_once = true}};
  return def;
}

const OpKind<record_routing::Operand>& record_routing_op() {
  using enum record_routing::Operand;
  static const OpKind<record_routing::Operand> def{
      {.name = "record_routing",
       .operands =
           operand_table<Reads<loads>, MayRead<losses>, MayRead<dropped>, FirstWrites<record>>(),
       .infer = infer_record,
       .runs_once = true}};
  return def;
}

const OpKind<route::Operand>& route_op() {
  using enum route::Operand;
  static const OpKind<route::Operand> def{
      {.name = "route",
       .operands =
           operand_table<Reads<logits>, MayRead<bias>, MayRead<fixed>, MayRead<padding>,
                         Writes<choices>, Writes<weights>, MayWrite<affinities>, Writes<loads>>(),
       .infer = infer_route,
       .backward = backward_route,
       .runs_once = true}};
  return def;
}

const OpKind<route_gradient::Operand>& route_gradient_op() {
  using enum route_gradient::Operand;
  static const OpKind<route_gradient::Operand> def{
      {.name = "route_gradient",
       .operands = operand_table<Reads<gradient>, Reads<logits>, Reads<choices>, MayRead<addend>,
                                 Writes<logits_gradient>>(),
       .infer = infer_route_gradient,
       .in_place = {{logits_gradient, addend}}}};
  return def;
}

const OpKind<group_loads::Operand>& group_loads_op() {
  using enum group_loads::Operand;
  static const OpKind<group_loads::Operand> def{
      {.name = "group_loads",
       .operands = operand_table<Reads<choices>, Writes<sent>>(),
       .infer = infer_group_loads,
       .runs_once = true}};
  return def;
}

const OpKind<drop_choices::Operand>& drop_choices_op() {
  using enum drop_choices::Operand;
  static const OpKind<drop_choices::Operand> def{
      {.name = "drop_choices",
       .operands = operand_table<Reads<choices>, Reads<affinities>, MayRead<exempt>,
                                 MayRead<before>, Writes<kept>, Writes<dropped>>(),
       .infer = infer_drop_choices,
       .runs_once = true}};
  return def;
}

const OpKind<router_losses::Operand>& router_losses_op() {
  using enum router_losses::Operand;
  static const OpKind<router_losses::Operand> def{
      {.name = "router_losses",
       .operands = operand_table<Reads<logits>, Reads<loads>, MayRead<sent>, MayRead<choices>,
                                 MayRead<counted>, Writes<losses>>(),
       .infer = infer_losses,
       .backward = backward_losses}};
  return def;
}

const OpKind<router_losses_gradient::Operand>& router_losses_gradient_op() {
  using enum router_losses_gradient::Operand;
  static const OpKind<router_losses_gradient::Operand> def{
      {.name = "router_losses_gradient",
       .operands = operand_table<Reads<logits>, Reads<loads>, MayRead<sent>, MayRead<choices>,
                                 MayRead<counted>, MayRead<addend>, Writes<logits_gradient>>(),
       .infer = infer_losses_gradient,
       .in_place = {{logits_gradient, addend}}}};
  return def;
}

}  // namespace megascale::graph
