#ifndef MEGASCALE_PLAN_PASSES_FLOAT8_PRODUCTS_H_
#define MEGASCALE_PLAN_PASSES_FLOAT8_PRODUCTS_H_

#include <cstdint>

#include "megascale/graph/program.h"

// The pass that rounds the operands of matrix products to 8 bits, and keeps their weights in 8 bits
// (MegaScale-MoE, arXiv 2505.11432, section 7.3).
namespace megascale::plan {

// Which values of an operand share a scale.
// tensorwise  all values of a matrix; of the weights of experts, those of one expert
// rowwise     the values that one sum of the product runs over. If it runs over tokens or over the
//             outputs of a weight, groups of 128 of them. Rows of different experts share no group
enum class Float8Recipe : std::uint8_t { tensorwise, rowwise };

struct Float8Options {
  Float8Recipe recipe = Float8Recipe::tensorwise;
  // True: the parameters that these products multiply with are kept in 8 bits.
  bool keep_parameters = false;
};

// Puts an op round_float8 in front of both operands of every product that has the attribute fp8, and
// sets that attribute to 0: the product itself computes in float32. So each product is the exact one
// of 8-bit values, with sums in float32. An operand that two products of one layer and phase read
// with the same scales is rounded once. The gradient of a bias is the sum of gradients that are not
// rounded.
//
// With keep_parameters a weight becomes a parameter of codes (float8_e4m3) with a tensor of scales
// (graph::Parameter::scales), and an op dequantise_float8 takes the place of its round_float8. The scales
// are those that the forward product gives the weight: one for a matrix, or one for a row. With the
// recipe rowwise, the input gradient rounds what it has read back a second time, by its own scales.
//
// Must run before recompute(), so that forward products are repeated with the same operands.
void float8_products(graph::Program& program, const Float8Options& options);

}  // namespace megascale::plan

#endif  // MEGASCALE_PLAN_PASSES_FLOAT8_PRODUCTS_H_
