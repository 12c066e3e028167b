#ifndef MEGASCALE_KERNELS_CPU_MATRIX_UNIT_PART_H_
#define MEGASCALE_KERNELS_CPU_MATRIX_UNIT_PART_H_

#include <cstddef>

#include "megascale/kernels/cpu/matrix_unit/product.h"
#include "megascale/kernels/cpu/product_shape.h"

// A part of a product on the matrix unit, computed by one thread with scratch of its own. It suits
// products with few rows, such as those of experts: a panel of columns is multiplied as soon as it
// is packed, while it is in the first caches, and no thread waits for another. A product with many
// rows is faster as a whole (product.h), since there a panel is packed once for all rows.
// Error, range and bits are those of product.h. In particular an element has the same bits whether
// it is computed by split_part() or by split_product().
namespace megascale::kernels::cpu {

// Rows [row, row + rows) and columns [column, column + columns) of the result.
struct Rectangle {
  std::size_t row = 0, rows = 0, column = 0, columns = 0;
};

// Returns how many rows one part should have at most: those whose packed form stays in the
// second-level cache. A multiple of 32. A part with more rows is computed in several passes, each of
// which packs the columns again.
[[nodiscard]] std::size_t part_rows(const ProductShape& shape) noexcept;

// Returns the bytes of scratch of one thread. They grow with each extent of the shape.
[[nodiscard]] std::size_t part_scratch_bytes(const ProductShape& shape) noexcept;

// Computes a part of the product: operands, bias and result are those of the whole product; the
// scratch has part_scratch_bytes(). Needs matrix_unit_available() and extents of at least 1.
void split_part(const ProductShape& shape, const SplitOperands& operands,
                const Rectangle& part) noexcept;

}  // namespace megascale::kernels::cpu

#endif  // MEGASCALE_KERNELS_CPU_MATRIX_UNIT_PART_H_
