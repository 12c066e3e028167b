#ifndef MEGASCALE_GRAPH_OPS_ATTENTION_OPS_H_
#define MEGASCALE_GRAPH_OPS_ATTENTION_OPS_H_

#include "megascale/graph/op.h"

// The op kinds of positions, heads, attention and decoding; letters and form are explained in ops.h.
namespace megascale::graph {

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

}  // namespace megascale::graph

#endif  // MEGASCALE_GRAPH_OPS_ATTENTION_OPS_H_
