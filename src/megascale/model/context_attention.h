#ifndef MEGASCALE_MODEL_CONTEXT_ATTENTION_H_
#define MEGASCALE_MODEL_CONTEXT_ATTENTION_H_

#include <cstdint>

#include "megascale/graph/builder.h"

namespace megascale::model {

// The attention core of a layer, as a tensor rank has it, before the context group divides it.
struct AttentionShape {
  std::int64_t heads = 0, groups = 0;  // query heads and key-value heads of this tensor rank
  std::int64_t head_dim = 0;
  std::int64_t value_dim = 0;  // channels of a head of values; 0: head_dim
  std::int64_t sequences = 1;  // sequences of the micro-batch
  std::int64_t length = 0;     // tokens of a whole sequence
  // Number of tokens that a token attends to; 0: all tokens before it.
  std::int64_t window = 0;
  double scale = 0;     // of the scores; 0: 1 / sqrt(head_dim)
  double soft_cap = 0;  // of the scores; 0: none
  // true: one fused op that stores no scores. false: separate ops for scores, softmax and values.
  bool flash = true;
  graph::Attributes
      dropout;  // of the probabilities: rate, seed and stream (graph::dropout); empty: none
};

// Returns the channels of a head of values.
[[nodiscard]] constexpr std::int64_t value_dim_of(const AttentionShape& shape) noexcept {
  return shape.value_dim > 0 ? shape.value_dim : shape.head_dim;
}
// Sets the attribute value_dim if it differs from head_dim. So the plan of a model with one size of
// heads has no such attribute.
void set_value_dim(const AttentionShape& shape, graph::Attributes& attributes);
// Sets the attributes of the scores that are not the usual ones.
void set_score_attributes(const AttentionShape& shape, graph::Attributes& attributes);

// Emits causal attention with context parallelism by Ulysses (Jacobs et al. 2023, arXiv 2309.14509;
// also the attention of MegaScale-MoE, arXiv 2505.11432, section 3.1). An all_to_all gives each
// rank all tokens for a share of the heads; a second one returns the results.
//   qkv         [N, (heads + groups) x head_dim + groups x value_dim], N = sequences x length /
//               ranks: the rank's consecutive share of each sequence's tokens
//   segments    of all tokens, sequences x length; or kNoTensor
//   samples     the number of each sequence in the run, for dropout; or kNoTensor
//   result      [N, heads x value_dim], of the same tokens as qkv
// If there are fewer key-value heads than ranks, each head is on several ranks, and their gradients
// are added. In a context group of one rank only the attention itself is emitted.
graph::TensorId context_attention(graph::Builder& builder, const AttentionShape& shape,
                                  graph::TensorId qkv, graph::TensorId segments,
                                  graph::TensorId samples);

}  // namespace megascale::model

#endif  // MEGASCALE_MODEL_CONTEXT_ATTENTION_H_
