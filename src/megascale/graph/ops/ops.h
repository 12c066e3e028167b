#ifndef MEGASCALE_GRAPH_OPS_OPS_H_
#define MEGASCALE_GRAPH_OPS_OPS_H_

#include "megascale/graph/op.h"
#include "megascale/graph/ops/attention_ops.h"
#include "megascale/graph/ops/collective_ops.h"
#include "megascale/graph/ops/expert_ops.h"
#include "megascale/graph/ops/norm_ops.h"
#include "megascale/graph/ops/step_ops.h"

// The op kinds of models and steps: here those of embeddings, linear layers, activations and the loss, the
// others in the headers above. A kind and the kinds of its gradient are defined in one file of this
// folder. The namespace before a kind names its operands. The comment gives "inputs -> outputs" with
// their shapes; optional operands stand in parentheses. The table in the kind's file says how each
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

}  // namespace megascale::graph

#endif  // MEGASCALE_GRAPH_OPS_OPS_H_
