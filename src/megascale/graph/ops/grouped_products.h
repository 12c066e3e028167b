#ifndef MEGASCALE_GRAPH_OPS_GROUPED_PRODUCTS_H_
#define MEGASCALE_GRAPH_OPS_GROUPED_PRODUCTS_H_

#include <cstddef>
#include <cstdint>

#include "megascale/graph/op.h"

namespace megascale::graph {

// Returns whether the op kind is a product with one weight per expert: forward, input gradient or
// weight gradient, of 8-bit codes or not.
[[nodiscard]] bool is_grouped_product(const OpDef& def) noexcept;

// For the op kinds of these products. Requires that `groups` has int64 counts of the experts that
// the op works on: those of one piece, if experts are cut.
void require_groups(const ShapeContext& context, std::size_t groups, const Dim& experts);
// Returns the cost of the product of an expected number of rows, those of operand `rows_of`.
[[nodiscard]] Cost grouped_cost(const OpView& op, std::size_t rows_of, std::int64_t outputs,
                                std::int64_t inputs);

}  // namespace megascale::graph

#endif  // MEGASCALE_GRAPH_OPS_GROUPED_PRODUCTS_H_
