#ifndef MEGASCALE_GRAPH_OPS_OPS_H_
#define MEGASCALE_GRAPH_OPS_OPS_H_

#include "megascale/graph/op.h"

// Every op kind, one file each (a kind stands with the kinds of its gradient). The namespace before
// a kind names its operands; the comment says their shapes, optional ones in parentheses. How an
// operand is accessed stands in the table in the kind's file.
namespace megascale::graph {

// table[V,C] (+ position_table[P,C], positions[N]), tokens[N] -> y[N,C]
namespace embedding {
enum Operand : std::size_t { table, position_table, tokens, positions, output };
}
const OpKind<embedding::Operand>& embedding_op();

// dy, tokens, (positions) -> table gradient, (position table gradient)
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

// Fused (plan/passes/fuse_products.h), so without gradient rules:
// x[N,I], weight[O,I], (bias[O]), addend[N,O] -> y[N,O] = x weight^T + bias + addend
namespace linear_add {
enum Operand : std::size_t { input, weight, bias, addend, output };
}
const OpKind<linear_add::Operand>& linear_add_op();

// x[N,I], weight[O,I], (bias[O]) -> sum[N,O] = x weight^T + bias, y[N,O] = gelu(sum)
namespace linear_gelu {
enum Operand : std::size_t { input, weight, bias, sum, output };
}
const OpKind<linear_gelu::Operand>& linear_gelu_op();

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

// dy, x, gamma, mean, rstd, (addend) -> dx = gradient + addend, dgamma, dbeta
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

// dy, x, gamma, rstd, (addend) -> dx = gradient + addend, dgamma
namespace rms_norm_gradient {
enum Operand : std::size_t { gradient, input, gamma, rstd, addend, input_gradient, gamma_gradient };
}
const OpKind<rms_norm_gradient::Operand>& rms_norm_gradient_op();

// A norm without fusion (unfused_norm.cpp). x[N,C] -> mean[N]
namespace norm_mean {
enum Operand : std::size_t { input, mean };
}
const OpKind<norm_mean::Operand>& norm_mean_op();

// x, mean -> x - mean
namespace norm_centre {
enum Operand : std::size_t { input, mean, centred };
}
const OpKind<norm_centre::Operand>& norm_centre_op();

// centred x -> rstd[N]
namespace norm_rstd {
enum Operand : std::size_t { centred, rstd };
}
const OpKind<norm_rstd::Operand>& norm_rstd_op();

// centred x, rstd -> normalised[N,C]
namespace norm_normalise {
enum Operand : std::size_t { centred, rstd, normalised };
}
const OpKind<norm_normalise::Operand>& norm_normalise_op();

// normalised, gamma[C], (beta[C]) -> y
namespace norm_scale {
enum Operand : std::size_t { normalised, gamma, beta, output };
}
const OpKind<norm_scale::Operand>& norm_scale_op();

// dy, normalised, gamma -> gradient of normalised, dgamma, (dbeta)
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

// gradient of normalised, normalised -> means[N,2] of the gradient and of their product
namespace norm_gradient_means {
enum Operand : std::size_t { gradient, normalised, means };
}
const OpKind<norm_gradient_means::Operand>& norm_gradient_means_op();

// gradient of normalised, normalised, means, rstd -> dx
namespace norm_gradient {
enum Operand : std::size_t { gradient, normalised, means, rstd, input_gradient };
}
const OpKind<norm_gradient::Operand>& norm_gradient_op();

// x -> y, tanh approximation
namespace gelu {
enum Operand : std::size_t { input, output };
}
const OpKind<gelu::Operand>& gelu_op();

namespace gelu_gradient {
enum Operand : std::size_t { gradient, input, input_gradient };
}
const OpKind<gelu_gradient::Operand>& gelu_gradient_op();

// x[N,2F] = gate | up -> y[N,F] = silu(gate) up
namespace swiglu {
enum Operand : std::size_t { input, output };
}
const OpKind<swiglu::Operand>& swiglu_op();

namespace swiglu_gradient {
enum Operand : std::size_t { gradient, input, input_gradient };
}
const OpKind<swiglu_gradient::Operand>& swiglu_gradient_op();

// -> table[P,size]
namespace rope_table {
enum Operand : std::size_t { table };
}
const OpKind<rope_table::Operand>& rope_table_op();

// qkv[N,(heads+2 groups) size], positions[N], table[P,size] -> the same with q and k rotated
namespace rope {
enum Operand : std::size_t { input, positions, table, output };
}
const OpKind<rope::Operand>& rope_op();

namespace rope_gradient {
enum Operand : std::size_t { gradient, positions, table, input_gradient };
}
const OpKind<rope_gradient::Operand>& rope_gradient_op();

// qkv[N,(heads+2 groups) size], (segments[N]) -> y[N,heads size], logsumexp[B,heads,S]
namespace attention {
enum Operand : std::size_t { qkv, segments, output, logsumexp };
}
const OpKind<attention::Operand>& attention_op();

namespace attention_gradient {
enum Operand : std::size_t { gradient, qkv, segments, output, logsumexp, qkv_gradient };
}
const OpKind<attention_gradient::Operand>& attention_gradient_op();

// The same without fusion, for plans that are sized and simulated:
// qkv[N,(heads+2 groups) size] -> scores[B heads S, S] of all keys
namespace attention_scores {
enum Operand : std::size_t { qkv, scores };
}
const OpKind<attention_scores::Operand>& attention_scores_op();

// dscores, qkv, addend[N,(heads+2 groups) size] -> dqkv = addend + gradient, in place of the addend
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

// probabilities, qkv -> y[N,heads size]
namespace attention_values {
enum Operand : std::size_t { probabilities, qkv, output };
}
const OpKind<attention_values::Operand>& attention_values_op();

// dy, probabilities, qkv -> dprobabilities, dqkv (the values' columns, else 0)
namespace attention_values_gradient {
enum Operand : std::size_t { gradient, probabilities, qkv, probabilities_gradient, qkv_gradient };
}
const OpKind<attention_values_gradient::Operand>& attention_values_gradient_op();

// x -> y, mask: a share of the elements is 0, the others are scaled up
namespace dropout {
enum Operand : std::size_t { input, output, mask };
}
const OpKind<dropout::Operand>& dropout_op();

// dy, mask -> dx
namespace dropout_gradient {
enum Operand : std::size_t { gradient, mask, input_gradient };
}
const OpKind<dropout_gradient::Operand>& dropout_gradient_op();

// qkv[N,...], cache[P,2 groups size], counts -> y[N,heads size]; keys and values of the N tokens go
// into the cache
namespace cached_attention {
enum Operand : std::size_t { qkv, cache, counts, output };
}
const OpKind<cached_attention::Operand>& cached_attention_op();

// x[N,C], counts -> y[1,C], the row of the last token
namespace last_row {
enum Operand : std::size_t { input, counts, output };
}
const OpKind<last_row::Operand>& last_row_op();

// a, b -> y = a + b
namespace add {
enum Operand : std::size_t { a, b, output };
}
const OpKind<add::Operand>& add_op();

// x[N,C], bias[C] -> y = x + bias: what a row-parallel linear adds once its partial sums are added
namespace add_bias {
enum Operand : std::size_t { input, bias, output };
}
const OpKind<add_bias::Operand>& add_bias_op();

// dy[N,C] -> bias gradient[C]
namespace bias_gradient {
enum Operand : std::size_t { gradient, bias_gradient };
}
const OpKind<bias_gradient::Operand>& bias_gradient_op();

// logits[N,V], targets[N] -> stats[N,3]
namespace logit_stats {
enum Operand : std::size_t { logits, targets, stats };
}
const OpKind<logit_stats::Operand>& logit_stats_op();

// logits[N,V], stats[N,3], targets[N] -> (gradient[N,V] in place of logits), loss[2] = sum, valid
// tokens
namespace cross_entropy {
enum Operand : std::size_t { logits, stats, targets, gradient, loss };
}
const OpKind<cross_entropy::Operand>& cross_entropy_op();

// The step's own ops.
// staging -> batch, per-step numbers
namespace host_copy {
enum Operand : std::size_t { staging, batch };
}
const OpKind<host_copy::Operand>& host_copy_op();

// -> staging; carried where it is that of the next step
namespace load_batch {
enum Operand : std::size_t { staging };
}
const OpKind<load_batch::Operand>& load_batch_op();

// flat main gradients -> float64 sums of squares per 4,096 elements
namespace gradient_blocks {
enum Operand : std::size_t { gradients, blocks };
}
const OpKind<gradient_blocks::Operand>& gradient_blocks_op();

// blocks of flat buffers -> their sums by parameter
namespace parameter_norms {
enum Operand : std::size_t { blocks, sums };
}
const OpKind<parameter_norms::Operand>& parameter_norms_op();

// sums by parameter, losses -> update scalars
namespace gradient_norm {
enum Operand : std::size_t { sums, losses, numbers, state, scalars };
}
const OpKind<gradient_norm::Operand>& gradient_norm_op();

// a += b over a flat range
namespace add_main_gradient {
enum Operand : std::size_t { sum, addend };
}
const OpKind<add_main_gradient::Operand>& add_main_gradient_op();

// flat range: parameters, main gradients, first and second moments, update scalars
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

// LAMB, first half: direction into the main gradients, norms of weights and directions per block
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

// LAMB, second half: w -= lr trust direction
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

// Communication.
// all_gather, reduce_scatter, all_to_all and shift: what this rank sends, and what it receives.
namespace collective {
enum Operand : std::size_t { send, receive };
}
// all_reduce and broadcast: one buffer for both.
namespace in_place_collective {
enum Operand : std::size_t { buffer };
}
const OpKind<collective::Operand>& all_gather_op();

const OpKind<collective::Operand>& reduce_scatter_op();

const OpKind<in_place_collective::Operand>& all_reduce_op();

const OpKind<collective::Operand>& all_to_all_op();

// send[<=N,C], send_counts[ranks], receive_counts[ranks] -> receive[<=M,C]: so many rows to and
// from every rank, in rank order. Attributes rows (M), row_nbytes.
namespace all_to_all_v {
enum Operand : std::size_t { send, send_counts, receive_counts, receive };
}
const OpKind<all_to_all_v::Operand>& all_to_all_v_op();

const OpKind<collective::Operand>& shift_op();

// blocks[ranks x N,C] -> y[N,C], their sum in rank order
namespace sum_blocks {
enum Operand : std::size_t { blocks, output };
}
const OpKind<sum_blocks::Operand>& sum_blocks_op();

const OpKind<in_place_collective::Operand>& broadcast_op();

// Context parallelism (Ulysses): what stands around an all_to_all.
// rows[N, (heads+2 groups) size] -> blocks[ranks x N, their share of the heads for each rank]
namespace split_heads {
enum Operand : std::size_t { rows, blocks };
}
const OpKind<split_heads::Operand>& split_heads_op();

// The inverse; key-value heads that several blocks share are added in rank order
namespace join_heads {
enum Operand : std::size_t { blocks, rows };
}
const OpKind<join_heads::Operand>& join_heads_op();

// rows[B x S, W] -> blocks[ranks x B x S/ranks, W], each rank's tokens of every sequence
namespace split_sequences {
enum Operand : std::size_t { rows, blocks };
}
const OpKind<split_sequences::Operand>& split_sequences_op();

// The inverse
namespace join_sequences {
enum Operand : std::size_t { blocks, rows };
}
const OpKind<join_sequences::Operand>& join_sequences_op();

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
