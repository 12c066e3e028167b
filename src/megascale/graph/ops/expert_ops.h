#ifndef MEGASCALE_GRAPH_OPS_EXPERT_OPS_H_
#define MEGASCALE_GRAPH_OPS_EXPERT_OPS_H_

#include "megascale/graph/op.h"

// The op kinds of routed experts (MegaScale-MoE, arXiv 2505.11432, sections 3 and 4). A router
// chooses k experts for every token; a copy of the token goes to each. ops.h includes this header
// and explains the notation. Besides:
//
//   E   experts of the model           k  experts per token
//   G   experts of this rank           n  ranks of the expert group
//   R   N k: rows that leave at most   M  rows that arrive at most
//
// Number t k + j is the j-th choice of token t. Rows are copies of tokens; a run-time count says how
// many there are (<=R, <=M). Indices are int32, counts int64; logits, weights of choices and their
// gradients float32 in every model.
namespace megascale::graph {

// logits[N,E], (bias[E]), (padding[N]) -> choices[N,k], weights[N,k], loads[E]
// The k experts with the highest score plus bias, highest first, the lower index first if equal; a
// NaN is lower than every number. weights: their scores without bias. loads[e]: tokens that chose e.
// Attributes: score_function (0: softmax over all experts, 1: sigmoid), normalise (1: the weights of
// a token are divided by their sum), scale (factor of the weights).
// With `fixed` [N,k] those are the choices, to replay a run; one below 0 is an error. Attribute
// affinities 1: scores of the choices, before they are divided and scaled, are wanted. A token with padding 1
// goes to no expert: its choices are E, their weights 0.
namespace route {
enum Operand : std::size_t { logits, bias, fixed, padding, choices, weights, affinities, loads };
}
const OpKind<route::Operand>& route_op();

// dweights[N,k], logits[N,E], choices[N,k], (addend[N,E])
//   -> dlogits[N,E] = gradient of the weights for these choices + addend
namespace route_gradient {
enum Operand : std::size_t { gradient, logits, choices, addend, logits_gradient };
}
const OpKind<route_gradient::Operand>& route_gradient_op();

// loads[E] -> excess[E] = E loads - their sum, in float32. It stands in the place of a gradient of the
// bias, which has none: choices are not differentiable (arXiv 2408.15664).
namespace load_excess {
enum Operand : std::size_t { loads, excess };
}
const OpKind<load_excess::Operand>& load_excess_op();

// Moves a flat range of biases of choices by bias_rate, down where the excess of the step is above 0,
// up where it is below. Sums of excesses are those over all tokens of the step.
namespace update_choice_bias {
enum Operand : std::size_t { biases, excess, scalars };
}
const OpKind<update_choice_bias::Operand>& update_choice_bias_op();

// choices[N,k] -> sent[D]: how many tokens have a choice in each of the D groups of E / D experts, each
// token once per group. Attributes: experts (E), device_groups (D).
namespace group_loads {
enum Operand : std::size_t { choices, sent };
}
const OpKind<group_loads::Operand>& group_loads_op();

// logits[N,E], loads[r E] and perhaps sent[r D] of the r ranks of the micro-batch -> losses[2]
// (float64): the balancing losses, added, and the z-loss of this rank's tokens, as sums over tokens times
// w = counted / T. T is the number of tokens of the micro-batch, without those whose first choice is E
// (padding, with `choices`), and counted[1] what the loss of the model counts of it, by which the end of a
// step divides all gradients. So each micro-batch weighs as it does in that loss. Without `counted` w is 1.
//   balancing  aux_loss sum_t sum_e f_e P_te, f_e = E loads_e / (k r N), P_te the scores of token t,
//              divided by their sum (Switch Transformer; DeepSeek-V2, arXiv 2405.04434, eq. 16)
//   of groups  device_loss sum_t sum_e f'_d P_te + communication_loss sum_t sum_e f''_d P_te, d the
//              group of e, f'_d the mean of its f_e, f''_d = D sent_d / (min(k, D) r N) (DeepSeek-V2,
//              eq. 17 to 22, counted over the micro-batch and not over one sequence)
//   z-loss     z_loss sum_t logsumexp(logits_t)^2 (ST-MoE, arXiv 2202.08906)
// Attributes: aux_loss, z_loss, device_loss, communication_loss (coefficients; the last needs sent, the
// last two groups), device_groups (D), score_function, top_k.
namespace router_losses {
enum Operand : std::size_t { logits, loads, sent, choices, counted, losses };
}
const OpKind<router_losses::Operand>& router_losses_op();

// logits, loads, (sent), (choices), (counted), (addend[N,E])
//   -> dlogits[N,E] = gradient of all losses, all f constant, + addend
namespace router_losses_gradient {
enum Operand : std::size_t { logits, loads, sent, choices, counted, addend, logits_gradient };
}
const OpKind<router_losses_gradient::Operand>& router_losses_gradient_op();

// choices[N,k], affinities[N,k], (bias[E]) -> routes[N,k] = choices, scores[N,k] = affinities + bias of the
// chosen expert, which choices go by, in the fields routes and route_scores of the batch. The host finds
// them there.
namespace keep_routes {
enum Operand : std::size_t { choices, affinities, bias, routes, scores };
}
const OpKind<keep_routes::Operand>& keep_routes_op();

// choices[r N,k], affinities[r N,k] of the r ranks of the micro-batch, (exempt[sequences]), (before[1])
//   -> kept[N,k] of this rank: its choices, or E where one is dropped; dropped[1]: how many those are,
//      and those of `before`, which were dropped already
// Each of D groups of E / D experts keeps at most `capacity` choices of the micro-batch: those with the
// highest affinity, among equals those of earlier tokens; and all those of exempt sequences. The tokens
// are ordered by sequence and position, so the layout of the ranks does not matter (DeepSeek-V2, arXiv
// 2405.04434, 2.1.4). Attributes: experts (E), device_groups (D), capacity, ranks (r: tensor x context),
// context_ranks, sequence (tokens of one). With of_expert_group the r ranks are those that share experts,
// and their tokens count as one sequence, ordered by rank (r: expert_tensor x expert).
namespace drop_choices {
enum Operand : std::size_t { choices, affinities, exempt, before, kept, dropped };
}
const OpKind<drop_choices::Operand>& drop_choices_op();

// loads[E], (losses[2] of router_losses), (dropped[1] of drop_choices) -> record[E + 3] (float64, added
// over micro-batches): the loads, the number of dropped choices, and both losses.
namespace record_routing {
enum Operand : std::size_t { loads, losses, dropped, record };
}
const OpKind<record_routing::Operand>& record_routing_op();

// choices[N,k] -> source[R], place[N,k], counts[E], sent[n]
// Sorts the choices by expert, then by number: row i is choice source[i], choice number s is row
// place[s] (-1: it has no row). counts: rows of each expert; sent: rows for each rank's E/n experts.
// Attributes: experts (E), ranks (n).
// With attribute of_rank the choices are those of all n ranks, and only this rank's experts get rows:
// counts[E/n], sent[1] all of them, source[rows]. Attributes rows (more are an error) and mean_rows
// bound them.
// With attributes expert_pieces and expert_piece only the experts of that piece of each rank get rows.
// `sent` counts those; `counts` all choices.
namespace dispatch_map {
enum Operand : std::size_t { choices, source, place, counts, sent };
}
const OpKind<dispatch_map::Operand>& dispatch_map_op();

// x[N,C], and the map -> rows[<=R,C], the copies of tokens in the order of dispatch_map
namespace gather_rows {
enum Operand : std::size_t { input, source, place, sent, output };
}
const OpKind<gather_rows::Operand>& gather_rows_op();

// rows[<=R,C], and the map -> y[N,C]: the sum of each token's rows, in the order of its choices. The
// gradient of gather_rows, and the other way round.
namespace combine_rows {
enum Operand : std::size_t { input, source, place, sent, output };
}
const OpKind<combine_rows::Operand>& combine_rows_op();

// rows[<=R,C], weights[N,k], and the map -> y[N,C]: the sum of each token's rows times their weights,
// in the order of its choices
namespace combine_weighted_rows {
enum Operand : std::size_t { input, weights, source, place, sent, output };
}
const OpKind<combine_weighted_rows::Operand>& combine_weighted_rows_op();

// dy[N,C], rows, weights, and the map -> gradients of rows[<=R,C] and of weights[N,k]; 0 for choices
// without a row
namespace combine_weighted_rows_gradient {
enum Operand : std::size_t {
  gradient,
  input,
  weights,
  source,
  place,
  sent,
  input_gradient,
  weights_gradient
};
}
const OpKind<combine_weighted_rows_gradient::Operand>& combine_weighted_rows_gradient_op();

// weights[N,k], and the map -> row_weights[<=R,1]
namespace gather_weights {
enum Operand : std::size_t { weights, source, place, sent, output };
}
const OpKind<gather_weights::Operand>& gather_weights_op();

// gradient of the row weights[<=R,1], place[N,k] -> dweights[N,k]; 0 for choices without a row
namespace gather_weights_gradient {
enum Operand : std::size_t { gradient, place, weights_gradient };
}
const OpKind<gather_weights_gradient::Operand>& gather_weights_gradient_op();

// arrived[n G]: rows from rank r for this rank's expert g -> order[M], inverse[M], groups[G],
// received[n]. Rows arrive by rank and then by expert. The i-th row by expert and then by rank
// arrived as row order[i]; inverse is the inverse map. Attributes: ranks (n), rows (M). With attributes
// expert_pieces and expert_piece the rows are those of that piece of the experts: groups[G / pieces].
namespace regroup_map {
enum Operand : std::size_t { arrived, order, inverse, groups, received };
}
const OpKind<regroup_map::Operand>& regroup_map_op();

// x[<=M,C], order[M], inverse[M] -> y[<=M,C]: row i of y is row order[i] of x. Its gradient is the
// same kind with the two maps exchanged.
namespace reorder_rows {
enum Operand : std::size_t { input, order, inverse, output };
}
const OpKind<reorder_rows::Operand>& reorder_rows_op();

// Products with one weight per expert. groups[g] consecutive rows belong to expert g, in the order
// of the experts; no row is padded. FLOPs are counted for the expected rows, since the bound may be a
// multiple of what a step has. With attributes expert_pieces and expert_piece the rows are those of one
// piece of the experts, groups[G / pieces], and only the weights of these are touched.
// x[<=R,I], weight[G,O,I], groups[G] -> y[<=R,O], rows of expert g: x weight_g^T
namespace grouped_linear {
enum Operand : std::size_t { input, weight, groups, output };
}
const OpKind<grouped_linear::Operand>& grouped_linear_op();

// dy[<=R,O], weight[G,O,I], groups[G] -> dx[<=R,I], rows of expert g: dy weight_g
namespace grouped_linear_input_gradient {
enum Operand : std::size_t { gradient, weight, groups, input_gradient };
}
const OpKind<grouped_linear_input_gradient::Operand>& grouped_linear_input_gradient_op();

// dy[R,O], x[R,I], groups[pieces x G] -> weight gradient[G,O,I]. Attribute pieces (1 if absent): dy and
// x consist of as many blocks of R / pieces rows, and each has its own groups and unused rows at its end.
namespace grouped_linear_weight_gradient {
enum Operand : std::size_t { gradient, input, groups, weight_gradient };
}
const OpKind<grouped_linear_weight_gradient::Operand>& grouped_linear_weight_gradient_op();
// The same for further rows of the micro-batch: adds to the weight gradient that is already there.
const OpKind<grouped_linear_weight_gradient::Operand>& grouped_linear_weight_gradient_added_op();

// x[<=R,2F] = gate | up, weights[<=R,1] -> y[<=R,F] = silu(gate) up weight. The weight of a choice is
// multiplied here and not behind the next product, so that the result of that product need not be
// kept for its gradient (arXiv 2505.11432, section 4). With 8-bit operands the weights would widen the
// range of the next product's input, so they are multiplied behind it (section 7.3).
namespace gated_swiglu {
enum Operand : std::size_t { input, weights, output };
}
const OpKind<gated_swiglu::Operand>& gated_swiglu_op();

// dy[<=R,F], x[<=R,2F], weights[<=R,1] -> dx[<=R,2F], dweights[<=R,1]
namespace gated_swiglu_gradient {
enum Operand : std::size_t { gradient, input, weights, input_gradient, weights_gradient };
}
const OpKind<gated_swiglu_gradient::Operand>& gated_swiglu_gradient_op();

// x[N,C], logits[N,1] -> y[N,C] = sigmoid(logits) x, row by row: the gate of a shared expert
namespace gate_rows {
enum Operand : std::size_t { input, logits, output };
}
const OpKind<gate_rows::Operand>& gate_rows_op();

// dy[N,C], x[N,C], logits[N,1] -> dx[N,C], dlogits[N,1]
namespace gate_rows_gradient {
enum Operand : std::size_t { gradient, input, logits, input_gradient, logits_gradient };
}
const OpKind<gate_rows_gradient::Operand>& gate_rows_gradient_op();

// a[N,C], b[M,C] -> y[N + M,C]: the rows of a, then those of b
namespace join_rows {
enum Operand : std::size_t { first, second, output };
}
const OpKind<join_rows::Operand>& join_rows_op();

// y[N + M,C] -> a[N,C], b[M,C]. Attribute: rows (N). The gradient of join_rows, and the other way round.
namespace split_rows {
enum Operand : std::size_t { input, first, second };
}
const OpKind<split_rows::Operand>& split_rows_op();

// x -> y in the dtype of attribute `dtype`: a router computes in float32 whatever the model does.
namespace cast {
enum Operand : std::size_t { input, output };
}
const OpKind<cast::Operand>& cast_op();

}  // namespace megascale::graph

#endif  // MEGASCALE_GRAPH_OPS_EXPERT_OPS_H_
