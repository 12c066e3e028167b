#ifndef MEGASCALE_GRAPH_OPS_QUANTISED_OPS_H_
#define MEGASCALE_GRAPH_OPS_QUANTISED_OPS_H_

#include <cstdint>

#include "megascale/graph/op.h"

// The op kinds of products with 8-bit operands on devices, which plan/passes/quantise_products.h puts
// in after differentiation, so they have no gradient. A matrix is rounded once, with one scale; the
// products that read it take its codes and its scale. The matrix units of Hopper need the terms of a
// sum side by side in both operands, so some products read the transposed codes.
// A scale is 4 float32: the factor by which products are multiplied, the factor of the rounding, and
// two that nobody reads (kernels/cuda/quantise.h). The rows of all experts share a scale; each
// expert's weight has its own.
namespace megascale::graph {

// The codes that an op writes (attribute sides): of the matrix, of its transpose.
enum QuantisedSides : std::int64_t { kCodes = 1, kTransposed = 2 };
inline constexpr std::int64_t kScaleNumbers = 4;

// x[R,C] (bfloat16), (amax[K]) -> (codes[R,C]), (transposed[C,R]), scale[4]. C is a multiple of 16, with
// transposed R, too. Or M matrices: x[M,R,C] -> (codes[M,R,C]), (transposed[M,C,R]), scale[M,4].
// Attributes: format, sides. With amax the rows of a matrix are divided over K ranks, and x is this
// rank's: amax[k] is the largest |value| of rank k's rows, and the scale is that of the whole matrix.
// quantise_weight does so in the first micro-batch of a step only.
namespace quantise {
enum Operand : std::size_t { input, amax, codes, transposed, scale };
}
const OpKind<quantise::Operand>& quantise_op();
const OpKind<quantise::Operand>& quantise_weight_op();

// x[R,C] (bfloat16) -> amax[1] (float32): the largest |x|, infinity if an x is NaN.
namespace matrix_amax {
enum Operand : std::size_t { input, amax };
}
const OpKind<matrix_amax::Operand>& matrix_amax_op();

// codes[R,C] -> transposed[C,R], both multiples of 16.
namespace transpose_codes {
enum Operand : std::size_t { codes, transposed };
}
const OpKind<transpose_codes::Operand>& transpose_codes_op();

// y[N,O] = x[N,I] w[O,I]^T (+ bias[O]) (+ addend[N,O])
namespace quantised_linear {
enum Operand : std::size_t { input, input_scale, weight, weight_scale, bias, addend, output };
}
const OpKind<quantised_linear::Operand>& quantised_linear_op();

// dx[N,I] = dy[N,O] w (+ addend[N,I]), where weight[I,O] is transposed
namespace quantised_input_gradient {
enum Operand : std::size_t {
  gradient,
  gradient_scale,
  weight,
  weight_scale,
  addend,
  input_gradient
};
}
const OpKind<quantised_input_gradient::Operand>& quantised_input_gradient_op();

// dw[O,I] += dy^T x, where gradient[O,N] and input[I,N] are transposed
namespace quantised_weight_gradient {
enum Operand : std::size_t { gradient, gradient_scale, input, input_scale, weight_gradient };
}
const OpKind<quantised_weight_gradient::Operand>& quantised_weight_gradient_op();

// Products of the rows of experts (expert_ops.h), groups[e] rows with weight e. Both kinds have
// their operands in one order. Weight gradients of experts have no 8-bit operands: the terms of
// their sums are the rows of an expert, which begin at any row, but codes side by side must begin at
// a multiple of 16.
// y[N,O] = x[N,I] w[experts,O,I]^T
namespace quantised_grouped_linear {
enum Operand : std::size_t { input, weight, groups, input_scale, weight_scales, output };
}
const OpKind<quantised_grouped_linear::Operand>& quantised_grouped_linear_op();

// dx[N,I] = dy[N,O] w, where weight[experts,I,O] is transposed
namespace quantised_grouped_input_gradient {
enum Operand : std::size_t {
  gradient,
  weight,
  groups,
  gradient_scale,
  weight_scales,
  input_gradient
};
}
const OpKind<quantised_grouped_input_gradient::Operand>& quantised_grouped_input_gradient_op();

}  // namespace megascale::graph

#endif  // MEGASCALE_GRAPH_OPS_QUANTISED_OPS_H_
