#ifndef MEGASCALE_GRAPH_OPS_OPS_H_
#define MEGASCALE_GRAPH_OPS_OPS_H_

#include "megascale/graph/op.h"
#include "megascale/graph/ops/expert_ops.h"

// All op kinds; those of routed experts are in expert_ops.h. A kind and the kinds of its gradient are defined in one file of this folder. The
// namespace before a kind names its operands. The comment gives "inputs -> outputs" with their
// shapes; optional operands stand in parentheses. The table in the kind's file says how each
// operand is used.
//
//   N   tokens of a micro-batch on this rank       B, S  sequences, and tokens of one sequence
//   C   channels; I, O: input and output features  V     entries of the vocabulary on this rank
//   F   features of the feed-forward part          P     positions
//   heads, groups   query and key-value heads      size  channels of a head
//   dx              the gradient of the loss with respect to x
namespace megascale::graph {

// table[V,C], (position_table[P,C], positions[N]), tokens[N] -> y[N,C]
namespace embedding {
enum Operand : std::size_t { table, position_table, tokens, positions, output };
}
const OpKind<embedding::Operand>& embedding_op();

// dy[N,C], tokens[N], (positions[N]) -> table gradient[V,C], (position table gradient[P,C])
namespace embedding_gradient {
enum Operand : std::size_t { gradient, tokens, positions, table_gradient, position_table_gradient };
}
const OpKind<embedding_gradient::Operand>& embedding_gradient_op();

// x[N,I], weight[O,I], (bias[O]) -> y[N,O] = x weight^T + bias
namespace linear {
enum Operand : std::size_t { input, weight, bias, output };
}
const OpKind<linear::Operand>& linear_op();

// dy[N,O], weight[O,I], (addend[N,I]) -> dx[N,I] = dy weight + addend
namespace linear_input_gradient {
enum Operand : std::size_t { gradient, weight, addend, input_gradient };
}
const OpKind<linear_input_gradient::Operand>& linear_input_gradient_op();

// dy[N,O], x[N,I] -> weight gradient[O,I], (bias gradient[O])
namespace linear_weight_gradient {
enum Operand : std::size_t { gradient, input, weight_gradient, bias_gradient };
}
const OpKind<linear_weight_gradient::Operand>& linear_weight_gradient_op();

// A product and the addition behind it, fused (plan/passes/fuse_products.h). Fused kinds have no
// backward rule, because they are put in after differentiation.
// x[N,I], weight[O,I], (bias[O]), addend[N,O] -> y[N,O] = x weight^T + bias + addend
namespace linear_add {
enum Operand : std::size_t { input, weight, bias, addend, output };
}
const OpKind<linear_add::Operand>& linear_add_op();

// A product and GELU, fused:
// x[N,I], weight[O,I], (bias[O]) -> sum[N,O] = x weight^T + bias, y[N,O] = gelu(sum)
namespace linear_gelu {
enum Operand : std::size_t { input, weight, bias, sum, output };
}
const OpKind<linear_gelu::Operand>& linear_gelu_op();

// The input gradient of a product and the gradient of GELU, fused:
// dy[N,O], weight[O,I], sum[N,I] -> dsum[N,I] = (dy weight) gelu'(sum)
namespace linear_gelu_gradient {
enum Operand : std::size_t { gradient, weight, sum, sum_gradient };
}
const OpKind<linear_gelu_gradient::Operand>& linear_gelu_gradient_op();

// x[N,C], gamma[C], beta[C] -> y[N,C], mean[N], rstd[N]
namespace layer_norm {
enum Operand : std::size_t { input, gamma, beta, output, mean, rstd };
}
const OpKind<layer_norm::Operand>& layer_norm_op();

// dy, x, gamma, mean, rstd, (addend) -> dx = gradient of the norm + addend, (dgamma), (dbeta)
namespace layer_norm_gradient {
enum Operand : std::size_t {
  gradient,
  input,
  gamma,
  mean,
  rstd,
  addend,
  input_gradient,
  gamma_gradient,
  beta_gradient
};
}
const OpKind<layer_norm_gradient::Operand>& layer_norm_gradient_op();

// x[N,C], gamma[C] -> y[N,C], rstd[N]
namespace rms_norm {
enum Operand : std::size_t { input, gamma, output, rstd };
}
const OpKind<rms_norm::Operand>& rms_norm_op();

// dy, x, gamma, rstd, (addend) -> dx = gradient of the norm + addend, (dgamma)
namespace rms_norm_gradient {
enum Operand : std::size_t { gradient, input, gamma, rstd, addend, input_gradient, gamma_gradient };
}
const OpKind<rms_norm_gradient::Operand>& rms_norm_gradient_op();

// The steps of a norm without fusion (unfused_norm.cpp).
// x[N,C] -> mean[N]
namespace norm_mean {
enum Operand : std::size_t { input, mean };
}
const OpKind<norm_mean::Operand>& norm_mean_op();

// x[N,C], mean[N] -> x - mean
namespace norm_centre {
enum Operand : std::size_t { input, mean, centred };
}
const OpKind<norm_centre::Operand>& norm_centre_op();

// centred x[N,C] -> rstd[N]
namespace norm_rstd {
enum Operand : std::size_t { centred, rstd };
}
const OpKind<norm_rstd::Operand>& norm_rstd_op();

// centred x[N,C], rstd[N] -> normalised[N,C]
namespace norm_normalise {
enum Operand : std::size_t { centred, rstd, normalised };
}
const OpKind<norm_normalise::Operand>& norm_normalise_op();

// normalised[N,C], gamma[C], (beta[C]) -> y[N,C]
namespace norm_scale {
enum Operand : std::size_t { normalised, gamma, beta, output };
}
const OpKind<norm_scale::Operand>& norm_scale_op();

// dy, normalised, gamma -> gradient of normalised, (dgamma), (dbeta)
namespace norm_scale_gradient {
enum Operand : std::size_t {
  gradient,
  normalised,
  gamma,
  normalised_gradient,
  gamma_gradient,
  beta_gradient
};
}
const OpKind<norm_scale_gradient::Operand>& norm_scale_gradient_op();

// The means over channels that the gradient of a norm needs.
// g[N,C] = gradient of normalised, z[N,C] = normalised -> means[N,2]: of g, and of g z
namespace norm_gradient_means {
enum Operand : std::size_t { gradient, normalised, means };
}
const OpKind<norm_gradient_means::Operand>& norm_gradient_means_op();

// gradient of normalised, normalised, means, rstd -> dx[N,C]
namespace norm_gradient {
enum Operand : std::size_t { gradient, normalised, means, rstd, input_gradient };
}
const OpKind<norm_gradient::Operand>& norm_gradient_op();

// x -> y = gelu(x), in the tanh form, or exact if the attribute `exact` is 1
namespace gelu {
enum Operand : std::size_t { input, output };
}
const OpKind<gelu::Operand>& gelu_op();

// dy, x -> dx
namespace gelu_gradient {
enum Operand : std::size_t { gradient, input, input_gradient };
}
const OpKind<gelu_gradient::Operand>& gelu_gradient_op();

// x[N,2F] = gate | up -> y[N,F] = silu(gate) up
namespace swiglu {
enum Operand : std::size_t { input, output };
}
const OpKind<swiglu::Operand>& swiglu_op();

// dy[N,F], x[N,2F] -> dx[N,2F]
namespace swiglu_gradient {
enum Operand : std::size_t { gradient, input, input_gradient };
}
const OpKind<swiglu_gradient::Operand>& swiglu_gradient_op();

// x[N,2F] = gate | up -> y[N,F] = gelu(gate) up, in the tanh form
namespace geglu {
enum Operand : std::size_t { input, output };
}
const OpKind<geglu::Operand>& geglu_op();

// dy[N,F], x[N,2F] -> dx[N,2F]
namespace geglu_gradient {
enum Operand : std::size_t { gradient, input, input_gradient };
}
const OpKind<geglu_gradient::Operand>& geglu_gradient_op();

// x[N,C] -> y = c tanh(x / c); attribute: soft_cap, the c
namespace soft_cap {
enum Operand : std::size_t { input, output };
}
const OpKind<soft_cap::Operand>& soft_cap_op();

// dy, y -> dx = dy (1 - (y / c)^2)
namespace soft_cap_gradient {
enum Operand : std::size_t { gradient, output, input_gradient };
}
const OpKind<soft_cap_gradient::Operand>& soft_cap_gradient_op();

// -> table[P,rotated]: cosines and sines of the angles of each position below P
// positions[N] -> table[N,rotated]: those of the positions of these tokens, where few tokens of a long context
// are computed
namespace rope_table {
enum Operand : std::size_t { positions, table };
}
const OpKind<rope_table::Operand>& rope_table_op();

// qkv[N,(heads + 2 groups) size], (positions[N]), table[P,rotated] -> qkv with rotated queries and keys.
// Without positions row n of the table, which then has N, belongs to token n; such an op has no gradient.
namespace rope {
enum Operand : std::size_t { input, positions, table, output };
}
const OpKind<rope::Operand>& rope_op();

// gradient of the rotated qkv, positions, table -> gradient of qkv
namespace rope_gradient {
enum Operand : std::size_t { gradient, positions, table, input_gradient };
}
const OpKind<rope_gradient::Operand>& rope_gradient_op();

// query[N,heads size], key_value[N,heads (size - rotated + values)], key_rope[N,rotated], positions[N],
// table[P,rotated] -> qkv[N,heads (2 size + values)]: the heads of latent attention, with rotated channels
namespace latent_heads {
enum Operand : std::size_t { query, key_value, key_rope, positions, table, qkv };
}
const OpKind<latent_heads::Operand>& latent_heads_op();

// gradient of qkv, positions, table -> gradients of query, key_value and key_rope
namespace latent_heads_gradient {
enum Operand : std::size_t {
  gradient,
  positions,
  table,
  query_gradient,
  key_value_gradient,
  key_rope_gradient
};
}
const OpKind<latent_heads_gradient::Operand>& latent_heads_gradient_op();

// qkv[N,(heads + 2 groups) size], query_gamma[size], key_gamma[size]
//   -> qkv with normalised queries and keys, rstd[N,heads + groups]
// With the attribute `whole` 1: query_gamma[heads size], key_gamma[groups size], rstd[N,2]
// If tensor ranks divide the heads of such a norm: squares[ranks N,2] of all ranks, in rank order
namespace head_norm {
enum Operand : std::size_t { input, query_gamma, key_gamma, output, rstd, squares };
}
const OpKind<head_norm::Operand>& head_norm_op();

// qkv[N,(heads + 2 groups) size] -> squares[N,2]: the sums of squares of a token's queries and of its keys
namespace head_norm_squares {
enum Operand : std::size_t { input, squares };
}
const OpKind<head_norm_squares::Operand>& head_norm_squares_op();

// gradient of the normalised qkv, qkv, query_gamma, key_gamma, rstd, (products[ranks N,2])
//   -> gradient of qkv, (gradients of query_gamma and key_gamma)
namespace head_norm_gradient {
enum Operand : std::size_t {
  gradient,
  input,
  query_gamma,
  key_gamma,
  rstd,
  input_gradient,
  query_gamma_gradient,
  key_gamma_gradient,
  products
};
}
const OpKind<head_norm_gradient::Operand>& head_norm_gradient_op();

// gradient of the normalised qkv, qkv, query_gamma, key_gamma, rstd -> products[N,2]: the sums over a
// token's queries, and over its keys, of gradient times weight times normalised value
namespace head_norm_products {
enum Operand : std::size_t { gradient, input, query_gamma, key_gamma, rstd, products };
}
const OpKind<head_norm_products::Operand>& head_norm_products_op();

// qkv[N,(heads + groups) size + groups value_size], (segments[N]), (samples[B])
// -> y[N,heads value_size], logsumexp[B,heads,S]. Heads of values have value_size channels.
// With samples, probabilities are dropped as in dropout.
namespace attention {
enum Operand : std::size_t { qkv, segments, samples, output, logsumexp };
}
const OpKind<attention::Operand>& attention_op();

// dy, qkv, (segments), (samples), y, logsumexp -> dqkv
namespace attention_gradient {
enum Operand : std::size_t { gradient, qkv, segments, samples, output, logsumexp, qkv_gradient };
}
const OpKind<attention_gradient::Operand>& attention_gradient_op();

// Attention without fusion (unfused_attention.cpp), for plans that are sized and simulated.
// qkv[N,(heads + groups) size + groups value_size] -> scores[B heads S, S] of all keys
namespace attention_scores {
enum Operand : std::size_t { qkv, scores };
}
const OpKind<attention_scores::Operand>& attention_scores_op();

// dscores, qkv, addend of qkv's shape -> dqkv = addend + gradient, in place of the addend
namespace attention_scores_gradient {
enum Operand : std::size_t { gradient, qkv, addend, qkv_gradient };
}
const OpKind<attention_scores_gradient::Operand>& attention_scores_gradient_op();

// scores, (segments[N]) -> probabilities
namespace masked_softmax {
enum Operand : std::size_t { scores, segments, probabilities };
}
const OpKind<masked_softmax::Operand>& masked_softmax_op();

// dprobabilities, probabilities -> dscores
namespace masked_softmax_gradient {
enum Operand : std::size_t { gradient, probabilities, scores_gradient };
}
const OpKind<masked_softmax_gradient::Operand>& masked_softmax_gradient_op();

// probabilities, qkv -> y[N,heads value_size]
namespace attention_values {
enum Operand : std::size_t { probabilities, qkv, output };
}
const OpKind<attention_values::Operand>& attention_values_op();

// dy, probabilities, qkv -> dprobabilities, dqkv (nonzero in the columns of the values only)
namespace attention_values_gradient {
enum Operand : std::size_t { gradient, probabilities, qkv, probabilities_gradient, qkv_gradient };
}
const OpKind<attention_values_gradient::Operand>& attention_values_gradient_op();

// x, (samples[sequences]) -> y, mask (one byte per element): some elements become 0, the others are scaled
// up. Without the numbers of the samples a plan can be sized, not executed.
namespace dropout {
enum Operand : std::size_t { input, samples, output, mask };
}
const OpKind<dropout::Operand>& dropout_op();

// dy, mask -> dx
namespace dropout_gradient {
enum Operand : std::size_t { gradient, mask, input_gradient };
}
const OpKind<dropout_gradient::Operand>& dropout_gradient_op();

// qkv[N,(heads + groups) size + groups value_size], cache[S P,groups (size + value_size)],
// counts[2 + 3 S] -> y[N,heads value_size]: new tokens of S sequences, whose keys and values are
// written into the cache (decode.cpp).
namespace cached_attention {
enum Operand : std::size_t { qkv, cache, counts, output };
}
const OpKind<cached_attention::Operand>& cached_attention_op();

// query[N,heads size], latent[N,rank], key_rope[N,rotated], table[N,rotated],
// weight[heads (size - rotated + values),rank], cache[S P,rank + rotated], counts[2 + 3 S]
// -> y[N,heads values]: the same with latent attention. Queries and key_rope are not rotated yet. A row of
// the cache holds a token's latent vector, then its rotated channels (decode.cpp).
namespace cached_latent_attention {
enum Operand : std::size_t { query, latent, key_rope, table, weight, cache, counts, output };
}
const OpKind<cached_latent_attention::Operand>& cached_latent_attention_op();

// x[N,C], counts[2 + 3 S] -> y[M,C], last rows of each sequence
namespace last_rows {
enum Operand : std::size_t { input, counts, output };
}
const OpKind<last_rows::Operand>& last_rows_op();

// a, b -> y = a + b
namespace add {
enum Operand : std::size_t { a, b, output };
}
const OpKind<add::Operand>& add_op();

// x[N,C] -> y[N,C] = factor x; attribute: scale. For adapters, whose result has a constant factor.
namespace scale {
enum Operand : std::size_t { input, output };
}
const OpKind<scale::Operand>& scale_op();

// x[N,C], bias[C] -> y[N,C] = x + bias. For row-parallel linears, whose bias is added after the
// partial sums of the ranks.
namespace add_bias {
enum Operand : std::size_t { input, bias, output };
}
const OpKind<add_bias::Operand>& add_bias_op();

// dy[N,C] -> bias gradient[C]
namespace bias_gradient {
enum Operand : std::size_t { gradient, bias_gradient };
}
const OpKind<bias_gradient::Operand>& bias_gradient_op();

// logits[N,V], targets[N] -> stats[N,3]: maximum, sum of exponentials, logit of the target
namespace logit_stats {
enum Operand : std::size_t { logits, targets, stats };
}
const OpKind<logit_stats::Operand>& logit_stats_op();

// logits[N,V], stats[ranks x N,3], targets[N], (weights[N]) -> (gradient[N,V], may take the bytes of logits;
// of the sum of the losses, each times its weight), loss[2]: sum of the losses, number of valid tokens. With
// weights the loss of the model is another one, and this sum is not read.
namespace cross_entropy {
enum Operand : std::size_t { logits, stats, targets, gradient, loss, weights };
}
const OpKind<cross_entropy::Operand>& cross_entropy_op();

// stats[ranks x N,3], targets[N] -> scores[B]: of each sequence, the sum of the log-probabilities of this rank's
// valid tokens
namespace sequence_scores {
enum Operand : std::size_t { stats, targets, scores };
}
const OpKind<sequence_scores::Operand>& sequence_scores_op();

// scores[context ranks x B], reference[B] -> weights[N]: of each token the derivative of the loss with respect to
// its cross-entropy, loss[2]: sum of the losses of pairs, number of pairs; record[3]: see PreferenceRecord.
// Sequences 2i and 2i + 1 are the chosen and the rejected answer of pair i.
namespace preference_loss {
enum Operand : std::size_t { scores, reference, weights, loss, record };
}
const OpKind<preference_loss::Operand>& preference_loss_op();

// The ops of the step itself, over flat buffers.
//
// Copies the loaded batch: staging -> batch, with the numbers of the step.
namespace host_copy {
enum Operand : std::size_t { staging, batch };
}
const OpKind<host_copy::Operand>& host_copy_op();

// -> staging: the host loads a batch; carried if the batch is that of the next step
namespace load_batch {
enum Operand : std::size_t { staging };
}
const OpKind<load_batch::Operand>& load_batch_op();

// flat main gradients -> blocks: float64 sums of squares, one per 4,096 elements
namespace gradient_blocks {
enum Operand : std::size_t { gradients, blocks };
}
const OpKind<gradient_blocks::Operand>& gradient_blocks_op();

// blocks of flat buffers, (numbers of the step) -> sums by parameter, (stop: this rank's votes)
namespace parameter_norms {
enum Operand : std::size_t { blocks, sums, numbers, stop };
}
const OpKind<parameter_norms::Operand>& parameter_norms_op();

// sums by parameter, losses, numbers of the step, update state (read and written) -> update scalars
namespace gradient_norm {
enum Operand : std::size_t { sums, losses, numbers, state, scalars };
}
const OpKind<gradient_norm::Operand>& gradient_norm_op();

// values = 0 between the tensors of a flat buffer. The op's segments say where those lie.
namespace clear_padding {
enum Operand : std::size_t { values };
}
const OpKind<clear_padding::Operand>& clear_padding_op();

// Rounds float32 values to bfloat16 and packs them, in place, into the first half of their bytes.
namespace pack_bfloat16 {
enum Operand : std::size_t { values };
}
const OpKind<pack_bfloat16::Operand>& pack_bfloat16_op();

// Packs shares of float32 values to the begin of `values`, one behind the other, as float32 or rounded
// to bfloat16. The values are `blocks` equal blocks. `share` is the share of the first one; those of the
// others lie as far from the begin of their block. A share has at most half of a block.
namespace pack_shares {
enum Operand : std::size_t { values, share };
}
const OpKind<pack_shares::Operand>& pack_shares_op();

// sum (float32) = the blocks (bfloat16, as many as fit), added in their order
namespace add_bfloat16_blocks {
enum Operand : std::size_t { blocks, sum };
}
const OpKind<add_bfloat16_blocks::Operand>& add_bfloat16_blocks_op();

// sum += addend, over a flat range
namespace add_main_gradient {
enum Operand : std::size_t { sum, addend };
}
const OpKind<add_main_gradient::Operand>& add_main_gradient_op();

// own: the records of this rank (role record), one tensor after the other -> sums: those of the whole
// model, 0 where this rank has none. The op's segments say where each tensor lies in `sums`.
namespace collect_records {
enum Operand : std::size_t { own, sums };
}
const OpKind<collect_records::Operand>& collect_records_op();

// Updates a flat range of parameters, first and second moments from main gradients and update
// scalars. Writes the parameters of the model as well, if their dtype is not float32.
namespace adamw {
enum Operand : std::size_t {
  parameters,
  gradients,
  first_moment,
  second_moment,
  scalars,
  model_parameters
};
}
const OpKind<adamw::Operand>& adamw_op();

// LAMB, first half: writes the direction over the main gradients, and the sums of squares of
// weights and directions per block.
namespace lamb_direction {
enum Operand : std::size_t {
  parameters,
  gradients,
  first_moment,
  second_moment,
  scalars,
  weight_blocks,
  direction_blocks
};
}
const OpKind<lamb_direction::Operand>& lamb_direction_op();

// LAMB, second half: weight -= learning rate x trust ratio x direction.
namespace lamb_apply {
enum Operand : std::size_t {
  parameters,
  direction,
  scalars,
  weight_sums,
  direction_sums,
  model_parameters
};
}
const OpKind<lamb_apply::Operand>& lamb_apply_op();

// The kinds of communication.
//
// all_gather, reduce_scatter, all_to_all and shift: the sent and the received bytes.
namespace collective {
enum Operand : std::size_t { send, receive };
}
// all_reduce and broadcast: one buffer for both.
namespace in_place_collective {
enum Operand : std::size_t { buffer };
}
// Rows of all ranks, in rank order.
const OpKind<collective::Operand>& all_gather_op();

// Sum over the ranks; each rank receives its block of the sum.
const OpKind<collective::Operand>& reduce_scatter_op();

// Sum over the ranks, on every rank.
const OpKind<in_place_collective::Operand>& all_reduce_op();

// Block j goes to rank j; block i came from rank i.
const OpKind<collective::Operand>& all_to_all_op();

// send[<=N,C], send_counts[ranks], receive_counts[ranks] -> receive[<=M,C]: send_counts[j] rows go
// to rank j and receive_counts[i] rows come from rank i. Attributes: rows (M), row_nbytes.
namespace all_to_all_v {
enum Operand : std::size_t { send, send_counts, receive_counts, receive };
}
const OpKind<all_to_all_v::Operand>& all_to_all_v_op();

// Each rank receives from the rank that is `offset` further in the group.
const OpKind<collective::Operand>& shift_op();

// blocks[ranks x N,C] -> y[N,C]: the sum of the blocks in rank order
namespace sum_blocks {
enum Operand : std::size_t { blocks, output };
}
const OpKind<sum_blocks::Operand>& sum_blocks_op();

// The buffer of rank `root`, on every rank.
const OpKind<in_place_collective::Operand>& broadcast_op();

// The ops around the all_to_all of context parallelism (Ulysses).
// rows[N,(heads + groups) size + groups value_size] -> blocks[ranks x N, columns of the heads of one
// rank]
namespace split_heads {
enum Operand : std::size_t { rows, blocks };
}
const OpKind<split_heads::Operand>& split_heads_op();

// The inverse of split_heads. Key-value heads that several blocks share are added in rank order.
namespace join_heads {
enum Operand : std::size_t { blocks, rows };
}
const OpKind<join_heads::Operand>& join_heads_op();

// rows[B x S, W] -> blocks[ranks x B x S/ranks, W]: block j holds the tokens of rank j of every
// sequence
namespace split_sequences {
enum Operand : std::size_t { rows, blocks };
}
const OpKind<split_sequences::Operand>& split_sequences_op();

// The inverse of split_sequences.
namespace join_sequences {
enum Operand : std::size_t { blocks, rows };
}
const OpKind<join_sequences::Operand>& join_sequences_op();

// send and recv: to and from a neighbouring stage of the pipeline. Attributes: rows, columns,
// dtype, backward.
namespace send {
enum Operand : std::size_t { send };
}
const OpKind<send::Operand>& send_op();

namespace recv {
enum Operand : std::size_t { receive };
}
const OpKind<recv::Operand>& recv_op();

}  // namespace megascale::graph

#endif  // MEGASCALE_GRAPH_OPS_OPS_H_
