#ifndef MEGASCALE_KERNELS_CUDA_FLOAT8_ROWS_H_
#define MEGASCALE_KERNELS_CUDA_FLOAT8_ROWS_H_

#include <cstddef>
#include <cstdint>

#include "megascale/base/dtype.h"

struct CUstream_st;

// Rows that travel in 8 bits (E4M3) on a device, in blocks that are quantised for themselves. The layout is
// that of graph/ops/float8_ops.h, the rule of the scales that of kernels/cpu/float8.h. Storage, alignment,
// failures: see activation.h. Memory bound.
namespace megascale::kernels::cuda {

struct Float8Blocks {
  std::size_t rows = 0, columns = 0;  // of all blocks: the bound; columns a multiple of 4
  std::size_t blocks = 1;
  bool by_column = false;  // a scale per column and kFloat8Group rows, not per row
  // Rows of each block, in device memory; null: equally many. A count below zero counts as zero, and counts
  // end at the bound.
  const std::int64_t* counts = nullptr;
  DType dtype = DType::float32;  // of the rows that are not packed
};

// x (all rows, columns) -> packed
// Bits   those of the CPU, if x has the same bits
void pack_float8(const Float8Blocks& blocks, const void* x, std::uint8_t* packed,
                 CUstream_st* stream) noexcept;
// packed -> y (all rows, columns)
void unpack_float8(const Float8Blocks& blocks, const std::uint8_t* packed, void* y,
                   CUstream_st* stream) noexcept;
// packed blocks of equally many rows -> y (rows of a block, columns): their sum, added in their order in
// float32 and rounded once
void sum_float8(const Float8Blocks& blocks, const std::uint8_t* packed, void* y,
                CUstream_st* stream) noexcept;
// packed_counts[b] = graph::float8_rows(counts[b])
void float8_counts(std::size_t blocks, const std::int64_t* counts, std::int64_t* packed_counts,
                   CUstream_st* stream) noexcept;

}  // namespace megascale::kernels::cuda

#endif  // MEGASCALE_KERNELS_CUDA_FLOAT8_ROWS_H_
