#ifndef MEGASCALE_GRAPH_OPS_OPS_H_
#define MEGASCALE_GRAPH_OPS_OPS_H_

#include "megascale/graph/op.h"

// Every op kind, one file each (a kind stands with the kinds of its gradient). The operand tables
// are in the files; the order is that of the comment.
namespace megascale::graph {

// table[V,C] (+ position_table[P,C], positions[N]), tokens[N] -> y[N,C]
const OpDef& embedding_op();
// dy, tokens, (positions) -> table gradient, (position table gradient)
const OpDef& embedding_gradient_op();
// x[N,I], weight[O,I], (bias[O]), (rows) -> y[N,O] = x weight^T + bias
const OpDef& linear_op();
// dy[N,O], weight[O,I], (addend[N,I]) -> dx[N,I] = dy weight + addend
const OpDef& linear_input_gradient_op();
// dy[N,O], x[N,I] -> weight gradient[O,I], (bias gradient[O])
const OpDef& linear_weight_gradient_op();
// Fused (plan/passes/fuse_products.h), so without gradient rules:
// x[N,I], weight[O,I], (bias[O]), addend[N,O] -> y[N,O] = x weight^T + bias + addend
const OpDef& linear_add_op();
// x[N,I], weight[O,I], (bias[O]) -> sum[N,O] = x weight^T + bias, y[N,O] = gelu(sum)
const OpDef& linear_gelu_op();
// dy[N,O], weight[O,I], sum[N,I] -> dsum[N,I] = (dy weight) gelu'(sum)
const OpDef& linear_gelu_gradient_op();
// x[N,C], gamma[C], beta[C] -> y[N,C], mean[N], rstd[N]
const OpDef& layer_norm_op();
// dy, x, gamma, mean, rstd, (addend) -> dx = gradient + addend, dgamma, dbeta
const OpDef& layer_norm_gradient_op();
// x[N,C], gamma[C] -> y[N,C], rstd[N]
const OpDef& rms_norm_op();
// dy, x, gamma, rstd, (addend) -> dx = gradient + addend, dgamma
const OpDef& rms_norm_gradient_op();
// A norm without fusion (unfused_norm.cpp). x[N,C] -> mean[N]
const OpDef& norm_mean_op();
// x, mean -> x - mean
const OpDef& norm_centre_op();
// centred x -> rstd[N]
const OpDef& norm_rstd_op();
// centred x, rstd -> normalised[N,C]
const OpDef& norm_normalise_op();
// normalised, gamma[C], (beta[C]) -> y
const OpDef& norm_scale_op();
// dy, normalised, gamma -> gradient of normalised, dgamma, (dbeta)
const OpDef& norm_scale_gradient_op();
// gradient of normalised, normalised -> means[N,2] of the gradient and of their product
const OpDef& norm_gradient_means_op();
// gradient of normalised, normalised, means, rstd -> dx
const OpDef& norm_gradient_op();
// x -> y, tanh approximation
const OpDef& gelu_op();
const OpDef& gelu_gradient_op();
// x[N,2F] = gate | up -> y[N,F] = silu(gate) up
const OpDef& swiglu_op();
const OpDef& swiglu_gradient_op();
// -> table[P,size]
const OpDef& rope_table_op();
// qkv[N,(heads+2 groups) size], positions[N], table[P,size] -> the same with q and k rotated
const OpDef& rope_op();
const OpDef& rope_gradient_op();
// qkv[N,(heads+2 groups) size], (segments[N]) -> y[N,heads size], logsumexp[B,heads,S]
const OpDef& attention_op();
const OpDef& attention_gradient_op();
// The same without fusion, for plans that are sized and simulated:
// qkv[N,(heads+2 groups) size] -> scores[B heads S, S] of all keys
const OpDef& attention_scores_op();
// dscores, qkv, addend[N,(heads+2 groups) size] -> dqkv = addend + gradient, in place of the addend
const OpDef& attention_scores_gradient_op();
// scores, (segments[N]) -> probabilities
const OpDef& masked_softmax_op();
// dprobabilities, probabilities -> dscores
const OpDef& masked_softmax_gradient_op();
// probabilities, qkv -> y[N,heads size]
const OpDef& attention_values_op();
// dy, probabilities, qkv -> dprobabilities, dqkv (the values' columns, else 0)
const OpDef& attention_values_gradient_op();
// x -> y, mask: a share of the elements is 0, the others are scaled up
const OpDef& dropout_op();
// dy, mask -> dx
const OpDef& dropout_gradient_op();
// qkv[N,...], cache[P,2 groups size], counts -> y[N,heads size]; keys and values of the N tokens go
// into the cache
const OpDef& cached_attention_op();
// x[N,C], counts -> y[1,C], the row of the last token
const OpDef& last_row_op();
// a, b -> y = a + b
const OpDef& add_op();
// x[N,C], bias[C] -> y = x + bias: what a row-parallel linear adds once its partial sums are added
const OpDef& add_bias_op();
// dy[N,C] -> bias gradient[C]
const OpDef& bias_gradient_op();
// logits[N,V], targets[N] -> stats[N,3]
const OpDef& logit_stats_op();
// logits[N,V], stats[N,3], targets[N] -> (gradient[N,V] in place of logits), loss[2] = sum, valid
// tokens
const OpDef& cross_entropy_op();

// The step's own ops.
// staging -> batch, per-step numbers
const OpDef& host_copy_op();
// -> staging; carried where it is that of the next step
const OpDef& load_batch_op();
// flat main gradients -> float64 sums of squares per 4,096 elements
const OpDef& gradient_blocks_op();
// blocks of flat buffers -> their sums by parameter
const OpDef& parameter_norms_op();
// sums by parameter, losses -> update scalars
const OpDef& gradient_norm_op();
// a += b over a flat range
const OpDef& add_main_gradient_op();
// flat range: parameters, main gradients, first and second moments, update scalars
const OpDef& adamw_op();
// LAMB, first half: direction into the main gradients, norms of weights and directions per block
const OpDef& lamb_direction_op();
// LAMB, second half: w -= lr trust direction
const OpDef& lamb_apply_op();

// Communication.
const OpDef& all_gather_op();
const OpDef& reduce_scatter_op();
const OpDef& all_reduce_op();
const OpDef& all_to_all_op();
// send[<=N,C], send_counts[ranks], receive_counts[ranks] -> receive[<=M,C]: so many rows to and
// from every rank, in rank order. Attributes rows (M), row_nbytes.
const OpDef& all_to_all_v_op();
const OpDef& shift_op();
// blocks[ranks x N,C] -> y[N,C], their sum in rank order
const OpDef& sum_blocks_op();
const OpDef& broadcast_op();
// Context parallelism (Ulysses): what stands around an all_to_all.
// rows[N, (heads+2 groups) size] -> blocks[ranks x N, their share of the heads for each rank]
const OpDef& split_heads_op();
// The inverse; key-value heads that several blocks share are added in rank order
const OpDef& join_heads_op();
// rows[B x S, W] -> blocks[ranks x B x S/ranks, W], each rank's tokens of every sequence
const OpDef& split_sequences_op();
// The inverse
const OpDef& join_sequences_op();
const OpDef& send_op();
const OpDef& recv_op();

}  // namespace megascale::graph

#endif  // MEGASCALE_GRAPH_OPS_OPS_H_
