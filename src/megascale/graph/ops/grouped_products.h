#ifndef MEGASCALE_GRAPH_OPS_GROUPED_PRODUCTS_H_
#define MEGASCALE_GRAPH_OPS_GROUPED_PRODUCTS_H_

#include "megascale/graph/op.h"

namespace megascale::graph {

// Returns whether the op kind is a product with one weight per expert: forward, input gradient or
// weight gradient.
[[nodiscard]] bool is_grouped_product(const OpDef& def) noexcept;

}  // namespace megascale::graph

#endif  // MEGASCALE_GRAPH_OPS_GROUPED_PRODUCTS_H_
