// The MLP of a layer as a mixture of experts (MegaScale-MoE, arXiv 2505.11432, sections 3 and 4): a
// router in float32, a copy of each token for each of its experts, SwiGLU experts as grouped products
// and, if the configuration says so, a shared expert beside them. Norm, router and the sum of a
// token's rows work on the rank's own tokens, whatever axis divides them. Experts are spread over the
// expert ranks: rows go there and back by all_to_all_v, with sizes that the router has just decided, or
// all tokens are gathered and partial sums are scattered (moe.token_dispatcher_type). Either can be done
// in pieces (expert_pieces.cpp).
#include "megascale/config/adapter_targets.h"
#include "megascale/config/derived.h"
#include "megascale/model/gpt_builder.h"

namespace megascale::model {

namespace attribute = graph::attribute;
using graph::Axis;
using graph::Dim;
using graph::Initializer;
using graph::TensorId;
namespace {

// The attribute score_function of the router's ops.
std::int64_t scores_by(const MoeConfig& moe) {
  return moe.router_score_function == ScoreFunction::sigmoid ? 1 : 0;
}

}  // namespace

TensorId GptBuilder::experts(std::int64_t layer, const std::string& name, TensorId x) {
  const MoeConfig& moe = config_.moe;
  builder_.set_region(graph::Region::router);
  const Routes own = route(layer, name, x);
  builder_.set_region(graph::Region::layers);
  // The ranks that divide each expert. They are those that divide other products, if equally many.
  const Axis sharers = shape_.axes[Axis::expert_tensor] == shape_.axes[Axis::tensor]
                           ? Axis::tensor
                           : Axis::expert_tensor;
  const Routed routed = share_rows(own, x, sharers);
  const ExpertWeights weights = expert_weights(name);
  const bool has_shared = moe.shared_expert_intermediate_size != 0;
  // The shared expert needs no transfers of its own if the ranks that divide it share all tokens
  // anyway, because they divide each expert, or because all tokens are gathered for dispatch. A gate
  // scales the whole sum, which is then one of its own.
  const bool with_parts = sharers == Axis::tensor;
  const bool is_whole = has_shared && replicates_shared_ && shape_.axes[Axis::tensor] > 1;
  const bool joins_sum = has_shared && !is_whole && !moe.shared_expert_gate;
  const bool with_dispatch = joins_sum && !with_parts && !cuts_experts() && tensor_ranks_dispatch();
  // Each rank of an expert has multiplied a part of its width, so the results are partial sums.
  const auto in_pieces = [&] {
    return gathers_tokens() ? tokens_in_pieces(weights, routed)
                            : experts_in_pieces(weights, routed);
  };
  const TensorId y = cuts_experts()
                         ? in_pieces()
                         : whole_experts(weights, routed, with_dispatch ? name : std::string());
  const auto sum = [&](TensorId partial) {
    return in_8_bits(builder_.reduce_scatter("mlp/experts/reduce_scatter", partial, sharers));
  };
  if (!has_shared || with_dispatch) return sum(y);
  if (joins_sum && with_parts)
    return sum(add("mlp/shared_expert/sum", y, shared_expert(name, routed.rows).partial));
  TensorId z =
      is_whole
          ? whole_shared_expert(name, x)
          : finish_row_linear(
                "mlp/shared_expert/down",
                shared_expert(name, with_parts ? routed.rows : gather("mlp/shared_expert", x)));
  if (moe.shared_expert_gate) z = gate_shared_expert(name, x, z);
  return add("mlp/shared_expert/sum", sum(y), z);
}

GptBuilder::RowLinear GptBuilder::shared_expert(const std::string& name, TensorId tokens) {
  return mlp(name + ".shared_expert", "mlp/shared_expert",
             config_.moe.shared_expert_intermediate_size, tokens);
}

TensorId GptBuilder::whole_shared_expert(const std::string& name, TensorId x) {
  const std::int64_t width = config_.moe.shared_expert_intermediate_size,
                     hidden = config_.hidden_size;
  const auto product = [&](const char* part, TensorId rows, std::int64_t outputs,
                           std::int64_t inputs, double stddev) {
    return whole_linear(name + ".shared_expert." + part, std::string("mlp/shared_expert/") + part,
                        rows, outputs, inputs, stddev);
  };
  const TensorId up = product("gate_up", x, 2 * width, hidden, config_.init_method_std);
  const TensorId gated =
      builder_.emit_for(graph::swiglu::output, graph::swiglu_op(), "mlp/shared_expert/swiglu",
                        {{graph::swiglu::input, up}});
  return product("down", gated, hidden, width, output_stddev());
}

// Every tensor rank gates its own tokens.
TensorId GptBuilder::gate_shared_expert(const std::string& name, TensorId x, TensorId y) {
  const TensorId weight = builder_.parameter(name + ".shared_expert_gate.weight",
                                             {1, config_.hidden_size}, config_.dtype,
                                             {.initializer = normal(config_.init_method_std),
                                              .summed_over = of_shares(),
                                              .rule = rule_of_weights()});
  const TensorId logits = linear("mlp/shared_expert_gate", x, weight, graph::kNoTensor, {});
  return builder_.emit_for(graph::gate_rows::output, graph::gate_rows_op(),
                           "mlp/shared_expert_gate/rows",
                           {{graph::gate_rows::input, y}, {graph::gate_rows::logits, logits}});
}

// With whole experts, equally many tensor and expert ranks are the same ranks in the same order.
bool GptBuilder::tensor_ranks_dispatch() const {
  return shape_.axes[Axis::expert_tensor] == 1 &&
         shape_.axes[Axis::expert] == shape_.axes[Axis::tensor] && gathers_tokens();
}

TensorId GptBuilder::whole_experts(const ExpertWeights& weights, const Routed& routed,
                                   const std::string& name_of_shared) {
  const Dispatched arrived =
      gathers_tokens() ? dispatch_by_gather(routed) : dispatch_by_rows(routed);
  const TensorId y = expert_outputs(arrived, weights, gated_rows(arrived, weights));
  const TensorId beside = name_of_shared.empty()
                              ? graph::kNoTensor
                              : shared_expert(name_of_shared, arrived.tokens).partial;
  return combine(arrived, y, beside);
}

GptBuilder::ExpertWeights GptBuilder::expert_weights(const std::string& name) {
  const std::int64_t width = config_.moe.ffn_hidden_size, hidden = config_.hidden_size;
  const ExpertWeight gate_up = expert_weight(name + ".experts.gate_up", {2 * width, hidden}, 1,
                                             {width, width}, config_.init_method_std);
  return {
      .gate_up = gate_up,
      .down = expert_weight(name + ".experts.down", {hidden, width}, 2, {width}, output_stddev())};
}

TensorId GptBuilder::gated_rows(const Dispatched& arrived, const ExpertWeights& weights) {
  const TensorId up =
      expert_product("mlp/experts/gate_up" + arrived.piece, arrived, arrived.rows, weights.gate_up);
  if (weights_behind_products()) {
    return builder_.emit_for(graph::swiglu::output, graph::swiglu_op(),
                             "mlp/experts/swiglu" + arrived.piece, {{graph::swiglu::input, up}});
  }
  return builder_.emit_for(
      graph::gated_swiglu::output, graph::gated_swiglu_op(), "mlp/experts/swiglu" + arrived.piece,
      {{graph::gated_swiglu::input, up}, {graph::gated_swiglu::weights, arrived.weights}});
}

TensorId GptBuilder::expert_outputs(const Dispatched& arrived, const ExpertWeights& weights,
                                    TensorId gated) {
  return expert_product("mlp/experts/down" + arrived.piece, arrived, gated, weights.down);
}

TensorId GptBuilder::expert_product(const std::string& path, const Dispatched& arrived, TensorId x,
                                    const ExpertWeight& weight) {
  const auto product = [&](const std::string& name, TensorId rows, TensorId matrices) {
    return builder_.emit_for(graph::grouped_linear::output, graph::grouped_linear_op(), name,
                             {{graph::grouped_linear::input, rows},
                              {graph::grouped_linear::weight, matrices},
                              {graph::grouped_linear::groups, arrived.groups}},
                             precision_of(arrived));
  };
  return adapted(path, x, product(path, x, weight.whole), weight.adapter, product);
}

graph::Attributes GptBuilder::precision_of(const Dispatched& arrived) const {
  graph::Attributes attributes = precision();
  for (const auto& [name, value] : arrived.of_experts.values()) attributes.set(name, value);
  return attributes;
}

TensorId GptBuilder::router_logits(const std::string& name, TensorId x) {
  const TensorId weight = builder_.parameter(
      name + ".router.weight", {config_.moe.num_experts, config_.hidden_size}, DType::float32,
      {.initializer = normal(config_.init_method_std),
       .summed_over = of_shares(),
       .rule = rule_of_weights()});
  if (config_.dtype != DType::float32) {
    x = builder_.emit_for(graph::cast::output, graph::cast_op(), "mlp/router/cast",
                          {{graph::cast::input, x}},
                          {{attribute::dtype, static_cast<std::int64_t>(DType::float32)}});
  }
  return linear("mlp/router", x, weight, graph::kNoTensor, {});
}

TensorId GptBuilder::padding_of(TensorId scored) {
  if (pads_ && padding_ == graph::kNoTensor) {
    padding_ = builder_.batch_input(graph::BatchField::padding,
                                    {builder_.program().tensor(scored).shape[0]});
  }
  return padding_;
}

GptBuilder::Routes GptBuilder::route(std::int64_t layer, const std::string& name, TensorId x) {
  using enum graph::route::Operand;
  const MoeConfig& moe = config_.moe;
  const TensorId scored = router_logits(name, x);
  TensorId choice_bias = graph::kNoTensor;
  if (moe.router_enable_expert_bias) {
    choice_bias = builder_.parameter(
        name + ".router.choice_bias", {moe.num_experts}, DType::float32,
        {.decay = false,
         .summed_over = of_shares(),
         .rule = has_adapters(config_) ? rule_of_weights() : graph::UpdateRule::choice_bias});
  }
  const std::int64_t number = layers_with_experts_before(config_, layer);
  const bool keeps = moe.routing_replay == RoutingReplay::record;
  const auto batch_field = [&](graph::BatchField field, DType dtype) {
    return builder_.batch_input(
        field, {builder_.program().tensor(scored).shape[0], Dim(moe.router_topk)}, dtype, number);
  };
  const TensorId replayed = moe.routing_replay == RoutingReplay::replay
                                ? batch_field(graph::BatchField::routes, DType::int32)
                                : graph::kNoTensor;
  const graph::Op routed = builder_.emit(
      graph::route_op(), "mlp/route",
      {{logits, scored}, {bias, choice_bias}, {fixed, replayed}, {padding, padding_of(scored)}},
      {{attribute::top_k, moe.router_topk},
       {attribute::score_function, scores_by(moe)},
       {attribute::normalise, std::int64_t{moe.norm_topk_prob}},
       {attribute::scale, moe.router_topk_scaling_factor},
       {attribute::affinities, std::int64_t{keeps || drops() || fits_rows()}}});
  if (moe.router_num_groups > 0) {
    graph::Attributes& attributes = builder_.program().forward.back().attributes;
    attributes.set(attribute::expert_groups, moe.router_num_groups);
    attributes.set(attribute::groups_of_token, moe.router_group_topk);
    if (moe.router_group_best > 0) attributes.set(attribute::group_best, moe.router_group_best);
  }
  if (moe.router_force_load_balancing)
    builder_.program().forward.back().attributes.set(attribute::even_choices, std::int64_t{1});
  Routes result{.choices = routed.operands[choices], .weights = routed.operands[weights]};
  if (keeps) {
    builder_.emit(
        graph::keep_routes_op(), "mlp/keep_routes",
        {{graph::keep_routes::choices, result.choices},
         {graph::keep_routes::affinities, routed.operands[affinities]},
         {graph::keep_routes::bias, choice_bias},
         {graph::keep_routes::routes, batch_field(graph::BatchField::routes, DType::int32)},
         {graph::keep_routes::scores,
          batch_field(graph::BatchField::route_scores, DType::float32)}});
  }
  const TensorId own_loads = routed.operands[loads];
  // Losses count the choices that the router wanted, and recorded routes contain them.
  const TensorId losses =
      is_training() ? router_losses(scored, own_loads, result.choices) : graph::kNoTensor;
  TensorId dropped = graph::kNoTensor;
  const auto keep = [&](const graph::Op& limited) {
    result.choices = limited.operands[graph::drop_choices::kept];
    dropped = limited.operands[graph::drop_choices::dropped];
  };
  if (drops()) keep(drop_choices(result.choices, routed.operands[affinities]));
  if (fits_rows()) keep(drop_over_rows(result.choices, routed.operands[affinities], dropped));
  if (!is_training()) return result;
  const std::int64_t records = moe.num_experts + kRoutingRecords;
  builder_.emit(graph::record_routing_op(), "mlp/router/record",
                {{graph::record_routing::loads, own_loads},
                 {graph::record_routing::losses, losses},
                 {graph::record_routing::dropped, dropped},
                 {graph::record_routing::record,
                  builder_.record(name + ".routing", records, number * records)}});
  return result;
}

TensorId GptBuilder::router_losses(TensorId scores, TensorId loads, TensorId choices) {
  const MoeConfig& moe = config_.moe;
  if (moe.aux_loss_coeff == 0 && moe.z_loss_coeff == 0 && moe.device_aux_loss_coeff == 0 &&
      moe.communication_aux_loss_coeff == 0) {
    return graph::kNoTensor;
  }
  const TensorId all_loads =
      builder_.gather_numbers("mlp/router/loads", loads, {Axis::tensor, Axis::context});
  const TensorId all_sent =
      moe.communication_aux_loss_coeff != 0 ? tokens_of_groups(choices) : graph::kNoTensor;
  if (counted_ == graph::kNoTensor)
    counted_ = builder_.batch_input(graph::BatchField::counted, {Dim(1)});
  return builder_.emit_for(graph::router_losses::losses, graph::router_losses_op(),
                           "mlp/router/losses",
                           {{graph::router_losses::logits, scores},
                            {graph::router_losses::loads, all_loads},
                            {graph::router_losses::sent, all_sent},
                            {graph::router_losses::choices, pads_ ? choices : graph::kNoTensor},
                            {graph::router_losses::counted, counted_}},
                           {{attribute::top_k, moe.router_topk},
                            {attribute::score_function, scores_by(moe)},
                            {attribute::aux_loss, moe.aux_loss_coeff},
                            {attribute::z_loss, moe.z_loss_coeff},
                            {attribute::device_groups, moe.device_groups},
                            {attribute::device_loss, moe.device_aux_loss_coeff},
                            {attribute::communication_loss, moe.communication_aux_loss_coeff}});
}

TensorId GptBuilder::tokens_of_groups(TensorId choices) {
  const TensorId own =
      builder_.emit_for(graph::group_loads::sent, graph::group_loads_op(), "mlp/router/group_loads",
                        {{graph::group_loads::choices, choices}},
                        {{attribute::experts, config_.moe.num_experts},
                         {attribute::device_groups, config_.moe.device_groups}});
  return builder_.gather_numbers("mlp/router/sent", own, {Axis::tensor, Axis::context});
}

graph::Op GptBuilder::drop_choices(TensorId choices, TensorId affinities) {
  using graph::drop_choices::exempt;
  const MoeConfig& moe = config_.moe;
  const graph::AxisSet ranks{Axis::tensor, Axis::context};
  if (moe.capacity_exempt_share > 0 && exempt_ == graph::kNoTensor)
    exempt_ = builder_.batch_input(graph::BatchField::exempt, {Dim(shape_.micro_batch_size)});
  return builder_.emit(graph::drop_choices_op(), "mlp/drop_choices",
                       {{graph::drop_choices::choices,
                         builder_.gather_numbers("mlp/drop_choices/choices", choices, ranks)},
                        {graph::drop_choices::affinities,
                         builder_.gather_numbers("mlp/drop_choices/affinities", affinities, ranks)},
                        {exempt, exempt_}},
                       {{attribute::experts, moe.num_experts},
                        {attribute::device_groups, capacity_groups(moe)},
                        {attribute::capacity, expert_capacity(moe, tokens_of_micro_batch())},
                        {attribute::capacity_factor, moe.expert_capacity_factor},
                        {attribute::ranks, std::int64_t{ranks.group_size(shape_.axes)}},
                        {attribute::context_ranks, std::int64_t{shape_.axes[Axis::context]}},
                        {attribute::sequence, config_.seq_length}});
}

// All ranks that share experts decide for all of their choices alike, so no rank gets more rows than it
// has room for. Each rank's experts, or each piece of them, are a group with that room.
graph::Op GptBuilder::drop_over_rows(TensorId choices, TensorId affinities, TensorId before) {
  const graph::AxisSet ranks{Axis::expert_tensor, Axis::expert};
  const std::int64_t tokens = builder_.program().tensor(choices).shape[0].size,
                     members = ranks.group_size(shape_.axes);
  const RowRoom room = row_room(tokens);
  return builder_.emit(
      graph::drop_choices_op(), "mlp/drop_rows",
      {{graph::drop_choices::choices,
        builder_.gather_numbers("mlp/drop_rows/choices", choices, ranks)},
       {graph::drop_choices::affinities,
        builder_.gather_numbers("mlp/drop_rows/affinities", affinities, ranks)},
       {graph::drop_choices::before, before}},
      {{attribute::experts, config_.moe.num_experts},
       {attribute::device_groups, room.groups},
       {attribute::capacity, room.rows},
       {attribute::ranks, members},
       {attribute::context_ranks, std::int64_t{1}},
       {attribute::of_expert_group, std::int64_t{1}},
       {attribute::expert_tensor_ranks, std::int64_t{shape_.axes[Axis::expert_tensor]}},
       {attribute::sequence, tokens * members}});
}

GptBuilder::RowRoom GptBuilder::row_room(std::int64_t tokens) const {
  const std::int64_t ranks = shape_.axes[Axis::expert],
                     of_rank = tokens * shape_.axes[Axis::expert_tensor];
  if (!cuts_experts()) return {.groups = ranks, .rows = expected_rows(of_rank).bound};
  return {.groups = ranks * expert_pieces_,
          .rows = expert_rows_of_piece(config_.moe, of_rank, ranks, expert_pieces_).bound};
}

GptBuilder::Routed GptBuilder::share_rows(const Routes& own, TensorId x, Axis sharers) {
  if (shape_.axes[sharers] == 1) return {x, own};
  const TensorId rows = in_8_bits(builder_.all_gather("mlp/experts/all_gather", x, sharers));
  const TensorId choices =
      builder_.gather_numbers("mlp/experts/all_gather_choices", own.choices, {Axis::expert_tensor});
  const TensorId weights =
      builder_.all_gather("mlp/experts/all_gather_weights", own.weights, Axis::expert_tensor);
  return {rows, {.choices = choices, .weights = weights}};
}

GptBuilder::DispatchMap GptBuilder::dispatch_map(TensorId choices, graph::Attributes attributes,
                                                 const std::string& piece) {
  attributes.set(attribute::experts, config_.moe.num_experts);
  attributes.set(attribute::ranks, std::int64_t{shape_.axes[Axis::expert]});
  const graph::Op& mapped =
      builder_.emit(graph::dispatch_map_op(), "mlp/dispatch_map" + piece,
                    {{graph::dispatch_map::choices, choices}}, std::move(attributes));
  return {.source = mapped.operands[graph::dispatch_map::source],
          .place = mapped.operands[graph::dispatch_map::place],
          .counts = mapped.operands[graph::dispatch_map::counts],
          .sent = mapped.operands[graph::dispatch_map::sent]};
}

GptBuilder::Dispatched GptBuilder::copies(const DispatchMap& map, TensorId x, TensorId weights,
                                          const std::string& piece) {
  Dispatched result{.map = map,
                    .rows = builder_.emit_for(graph::gather_rows::output, graph::gather_rows_op(),
                                              "mlp/gather" + piece,
                                              {{graph::gather_rows::input, x},
                                               {graph::gather_rows::source, map.source},
                                               {graph::gather_rows::place, map.place},
                                               {graph::gather_rows::sent, map.sent}}),
                    .weights = weights,
                    .groups = map.counts,
                    .piece = piece};
  if (weights_behind_products()) return result;
  result.weights = builder_.emit_for(graph::gather_weights::output, graph::gather_weights_op(),
                                     "mlp/gather_weights" + piece,
                                     {{graph::gather_weights::weights, weights},
                                      {graph::gather_weights::source, map.source},
                                      {graph::gather_weights::place, map.place},
                                      {graph::gather_weights::sent, map.sent}});
  return result;
}

ExpertRows GptBuilder::expected_rows(TensorId x) {
  return expected_rows(builder_.program().tensor(x).shape[0].size);
}

ExpertRows GptBuilder::expected_rows(std::int64_t tokens) const {
  // A piece has room for all rows that its tokens can ever have.
  return expert_rows(config_.moe, tokens, shape_.axes[Axis::expert],
                     drops() && !cuts_experts() ? tokens_of_micro_batch() : 0);
}

GptBuilder::DispatchMap GptBuilder::map_of_rank(TensorId choices, std::int64_t bound,
                                                std::int64_t mean, const std::string& piece) {
  return dispatch_map(choices,
                      {{attribute::of_rank, std::int64_t{1}},
                       {attribute::rows, bound},
                       {attribute::mean_rows, mean}},
                      piece);
}

// Every rank gets the tokens, choices and weights of the whole expert group, and copies those that
// its own experts want.
GptBuilder::Dispatched GptBuilder::dispatch_by_gather(const Routed& own) {
  const ExpertRows expected = expected_rows(own.rows);
  const TensorId choices =
      builder_.gather_numbers("mlp/dispatch_choices", own.routes.choices, {Axis::expert});
  const TensorId weights =
      builder_.all_gather("mlp/dispatch_weights", own.routes.weights, Axis::expert);
  const TensorId rows = in_8_bits(builder_.all_gather("mlp/dispatch", own.rows, Axis::expert));
  Dispatched result =
      copies(map_of_rank(choices, expected.bound, expected.mean, {}), rows, weights);
  result.tokens = rows;
  result.gathered = true;
  return result;
}

GptBuilder::Dispatched GptBuilder::dispatch_by_rows(const Routed& own) {
  Dispatched result = copies(dispatch_map(own.routes.choices, {}), own.rows, own.routes.weights);
  if (shape_.axes[Axis::expert] == 1) return result;
  const ExpertRows expected = expected_rows(own.rows);
  regroup(result, exchange_counts(result.map), expected.bound);
  const char* const path = "mlp/dispatch";
  result.rows = sort_rows(path, result, in_8_bits(send_rows(path, result, result.rows, expected)));
  if (!weights_behind_products()) {
    const char* const with = "mlp/dispatch_weights";
    result.weights = sort_rows(with, result, send_rows(with, result, result.weights, expected));
  }
  return result;
}

TensorId GptBuilder::exchange_counts(const DispatchMap& map) {
  return builder_.all_to_all("mlp/dispatch/counts", map.counts, Axis::expert);
}

void GptBuilder::regroup(Dispatched& dispatched, TensorId counts, std::int64_t bound) {
  graph::Attributes attributes = dispatched.of_experts;
  attributes.set(attribute::ranks, std::int64_t{shape_.axes[Axis::expert]});
  attributes.set(attribute::rows, bound);
  const graph::Op& regrouped =
      builder_.emit(graph::regroup_map_op(), "mlp/dispatch/regroup_map" + dispatched.piece,
                    {{graph::regroup_map::arrived, counts}}, std::move(attributes));
  dispatched.order = regrouped.operands[graph::regroup_map::order];
  dispatched.inverse = regrouped.operands[graph::regroup_map::inverse];
  dispatched.groups = regrouped.operands[graph::regroup_map::groups];
  dispatched.received = regrouped.operands[graph::regroup_map::received];
}

TensorId GptBuilder::send_rows(const std::string& path, const Dispatched& dispatched, TensorId rows,
                               const ExpertRows& expected) {
  return builder_.all_to_all_v(path + dispatched.piece, rows, dispatched.map.sent,
                               dispatched.received, expected.bound, Axis::expert, expected.mean);
}

TensorId GptBuilder::sort_rows(const std::string& path, const Dispatched& dispatched,
                               TensorId rows) {
  return reorder(path + dispatched.piece + "/reorder", rows, dispatched.order, dispatched.inverse);
}

TensorId GptBuilder::return_rows(const Dispatched& dispatched, TensorId y) {
  const Dim& sent = builder_.program().tensor(dispatched.map.source).shape[0];
  const std::string path = "mlp/combine" + dispatched.piece;
  y = reorder(path + "/reorder", y, dispatched.inverse, dispatched.order);
  return in_8_bits(builder_.all_to_all_v(path, y, dispatched.received, dispatched.map.sent,
                                         sent.size, Axis::expert, sent.mean));
}

TensorId GptBuilder::combine(const Dispatched& dispatched, TensorId y, TensorId beside) {
  if (shape_.axes[Axis::expert] > 1 && !dispatched.gathered) y = return_rows(dispatched, y);
  y = sum_rows(dispatched, y);
  if (beside != graph::kNoTensor) y = add("mlp/shared_expert/sum", y, beside);
  if (!dispatched.gathered) return y;
  return in_8_bits(builder_.reduce_scatter("mlp/combine", y, Axis::expert));
}

TensorId GptBuilder::sum_rows(const Dispatched& dispatched, TensorId y) {
  const DispatchMap& map = dispatched.map;
  if (weights_behind_products()) {
    namespace combine = graph::combine_weighted_rows;
    return builder_.emit_for(combine::output, graph::combine_weighted_rows_op(),
                             "mlp/sum_rows" + dispatched.piece,
                             {{combine::input, y},
                              {combine::weights, dispatched.weights},
                              {combine::source, map.source},
                              {combine::place, map.place},
                              {combine::sent, map.sent}});
  }
  return builder_.emit_for(graph::combine_rows::output, graph::combine_rows_op(),
                           "mlp/sum_rows" + dispatched.piece,
                           {{graph::combine_rows::input, y},
                            {graph::combine_rows::source, map.source},
                            {graph::combine_rows::place, map.place},
                            {graph::combine_rows::sent, map.sent}});
}

GptBuilder::ExpertWeight GptBuilder::expert_weight(const std::string& name,
                                                   std::array<std::int64_t, 2> extents,
                                                   std::uint32_t divided,
                                                   std::vector<std::int64_t> sections,
                                                   double stddev) {
  ExpertWeight weight{.whole = expert_matrix(name + ".weight", extents, divided, sections,
                                             normal(stddev), rule_of_weights())};
  if (!has_adapter(config_, adapter_target(name))) return weight;
  const auto [outputs, inputs] = extents;
  const std::int64_t rank = config_.lora.rank;
  const auto matrix = [&](const std::string& part, std::array<std::int64_t, 2> size,
                          std::uint32_t dimension, Initializer initializer) {
    return expert_matrix(part, size, dimension == divided ? divided : 0, sections, initializer,
                         graph::UpdateRule::optimizer);
  };
  weight.adapter.a = matrix(adapter_input_name(name), {rank, inputs}, 2, initial_input(inputs));
  weight.adapter.b =
      matrix(adapter_output_name(name), {outputs, rank}, 1, {Initializer::Kind::zeros, 0});
  return weight;
}

TensorId GptBuilder::expert_matrix(const std::string& name, std::array<std::int64_t, 2> extents,
                                   std::uint32_t divided, std::vector<std::int64_t> sections,
                                   Initializer initializer, graph::UpdateRule rule) {
  const std::int64_t experts = config_.moe.num_experts, ranks = shape_.axes[Axis::expert],
                     parts = shape_.axes[Axis::expert_tensor];
  graph::AxisSet summed_over{Axis::expert_data};
  std::vector<graph::Sharding> shardings;
  if (ranks > 1) shardings.push_back({{Axis::expert}, 0, {experts}});
  if (divided == 0) {
    summed_over.insert(Axis::expert_tensor);
  } else {
    if (parts > 1) shardings.push_back({{Axis::expert_tensor}, divided, std::move(sections)});
    extents[divided - 1] /= parts;
  }
  return builder_.parameter(name, {experts / ranks, extents[0], extents[1]}, config_.dtype,
                            {.initializer = initializer,
                             .shardings = std::move(shardings),
                             .summed_over = existing(shape_.axes, summed_over),
                             .of_experts = true,
                             .rule = rule});
}

TensorId GptBuilder::in_8_bits(TensorId x, bool wanted) {
  graph::Op& last = builder_.program().forward.back();
  const bool brings_x =
      last.def->transfer != nullptr && last.operands[*last.def->transfer_operands.taken] == x;
  if (wanted && brings_x) last.attributes.set(attribute::fp8, std::int64_t{1});
  return x;
}

// Rows arrive by rank; those for a single expert need no other order.
TensorId GptBuilder::reorder(const std::string& path, TensorId rows, TensorId order,
                             TensorId inverse) {
  const std::int64_t pieces = cuts_experts() ? expert_pieces_ : 1;
  if (config_.moe.num_experts == shape_.axes[Axis::expert] * pieces) return rows;
  return builder_.emit_for(graph::reorder_rows::output, graph::reorder_rows_op(), path,
                           {{graph::reorder_rows::input, rows},
                            {graph::reorder_rows::order, order},
                            {graph::reorder_rows::inverse, inverse}});
}

}  // namespace megascale::model
