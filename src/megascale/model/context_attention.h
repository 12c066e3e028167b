#ifndef MEGASCALE_MODEL_CONTEXT_ATTENTION_H_
#define MEGASCALE_MODEL_CONTEXT_ATTENTION_H_

#include <cstdint>

#include "megascale/graph/builder.h"

namespace megascale::model {

// Of an attention core as the ranks of a context group share it.
struct AttentionShape {
  std::int64_t heads = 0, groups = 0;  // query and key-value heads of this tensor rank
  std::int64_t head_dim = 0;
  std::int64_t sequences = 1;  // of the micro-batch
  std::int64_t length = 0;     // tokens of a whole sequence
  std::int64_t window = 0;     // tokens that a token attends to; 0: all before it
  bool flash = true;           // one op that keeps no scores; else scores, softmax and values
  double dropout = 0;          // of the probabilities; only where not flash
};

// Causal attention of qkv[N, (heads + 2 groups) head_dim], where a rank has the N = sequences x
// length / ranks tokens that are its consecutive share of each sequence; the result [N, heads x
// head_dim] is of the same tokens. Ulysses (Jacobs et al. 2023, arXiv 2309.14509; the attention of
// MegaScale-MoE, 2505.11432, section 3.1): an all_to_all gives every rank all tokens of a share of
// the heads, a second one gives them back. With fewer key-value heads than ranks each is on several
// ranks, and their gradients are added. A group of one: attention alone. `segments` (or kNoTensor)
// are of all tokens, sequences x length.
graph::TensorId context_attention(graph::Builder& builder, const AttentionShape& shape,
                                  graph::TensorId qkv, graph::TensorId segments);

}  // namespace megascale::model

#endif  // MEGASCALE_MODEL_CONTEXT_ATTENTION_H_
