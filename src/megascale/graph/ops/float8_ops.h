#ifndef MEGASCALE_GRAPH_OPS_FLOAT8_OPS_H_
#define MEGASCALE_GRAPH_OPS_FLOAT8_OPS_H_

#include <cstdint>

#include "megascale/graph/op.h"

// The op kinds around transfers that carry 8-bit values (E4M3) with float32 scales, and around products
// of such values (MegaScale-MoE, arXiv 2505.11432, sections 7.2 and 7.3). Passes put them in after
// differentiation, so they have no gradient (plan/passes/float8_transfers.h, float8_products.h).
// Values that are not finite make their whole group NaN, so they stay visible.
//
// Rows travel in n blocks: one for each member of the group, or one for all. A block is packed as its
// codes, row by row, and its scales behind them. C is a multiple of 4, so scales are aligned:
//
//   by_row     a scale for each row. Packed rows have C + 4 bytes, and are as many as the rows
//   by_column  a scale for each column and kFloat8Group rows of a block, the last ones may be fewer.
//              Packed rows have C bytes; a block of r rows has float8_rows(r) of them
//
// Attributes: scales (a Float8Scales), ranks (n).
namespace megascale::graph {

// whole: one scale for all values of a block; for round_float8 only.
enum class Float8Scales : std::int64_t { by_row, by_column, whole };
inline constexpr std::int64_t kFloat8Group = 128;  // the example of the paper

// Returns the packed rows of a block of `rows` rows with scales by column.
[[nodiscard]] constexpr std::int64_t float8_rows(std::int64_t rows) noexcept {
  return rows + 4 * ((rows + kFloat8Group - 1) / kFloat8Group);
}

// Returns the packed rows of n blocks with `rows` rows together and scales by column: bound and mean.
[[nodiscard]] Dim float8_rows(const Dim& rows, std::int64_t n);

// x[N,C] (float32 or bfloat16), (counts[n], packed_counts[n]) -> packed bytes, which travel.
// Without counts all blocks have N / n rows. With counts x has as many rows as they say; scales by
// column then need the counts of packed rows, too. With the attribute one_scale = 1 all blocks have
// the same scale, and each place of a scale has a copy: unpack_float8 and sum_float8 need not know.
namespace pack_float8 {
enum Operand : std::size_t { input, counts, packed_counts, output };
}
const OpKind<pack_float8::Operand>& pack_float8_op();

// packed bytes, (counts[n]) -> y[N,C]. Attributes: rows (N, with counts the bound), dtype (of y).
namespace unpack_float8 {
enum Operand : std::size_t { packed, counts, output };
}
const OpKind<unpack_float8::Operand>& unpack_float8_op();

// packed bytes of n equal blocks -> y[N,C]: the sum of the blocks, added in float32 in their order.
// Attributes: rows (N), dtype (of y).
namespace sum_float8 {
enum Operand : std::size_t { packed, output };
}
const OpKind<sum_float8::Operand>& sum_float8_op();

// counts[n] -> packed_counts[n]: float8_rows() of each
namespace float8_counts {
enum Operand : std::size_t { counts, packed_counts };
}
const OpKind<float8_counts::Operand>& float8_counts_op();

// x[N,C] or x[n,N,C] (float32), (counts[n]) -> y: each value becomes the nearest value of the format times
// the scale of its group, as if it had been packed and unpacked. Without counts all n blocks are equal.
namespace round_float8 {
enum Operand : std::size_t { input, counts, output };
}
const OpKind<round_float8::Operand>& round_float8_op();

}  // namespace megascale::graph

#endif  // MEGASCALE_GRAPH_OPS_FLOAT8_OPS_H_
