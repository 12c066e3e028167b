#ifndef MEGASCALE_KERNELS_CUDA_COUNTED_ROWS_INL_H_
#define MEGASCALE_KERNELS_CUDA_COUNTED_ROWS_INL_H_

#include "megascale/kernels/cuda/device_code.h"
#include "megascale/kernels/cuda/row_count.h"

// How kernels read the number of their rows (row_count.h). Each thread reads it once, before its
// loops. All threads read the same few elements, so the loads are served by the caches. Only .cu
// files include this file.
namespace megascale::kernels::cuda {

// Returns the number of valid rows: the sum of the counts, clamped to [0, bound], where `bound` is
// the number of rows of the tensor. Negative counts are taken as 0.
__device__ inline std::size_t counted_rows(const RowCount& counted, std::size_t bound) {
  if (counted.counts == nullptr) return bound;
  std::size_t rows = 0;
  for (std::uint32_t i = 0; i < counted.terms && rows < bound; ++i) {
    const std::int64_t count = counted.counts[i];
    if (count <= 0) continue;
    const std::size_t left = bound - rows;
    rows += static_cast<std::size_t>(count) < left ? static_cast<std::size_t>(count) : left;
  }
  return rows;
}

// Returns how many of `packs` packs of kWidth elements hold elements of valid rows, for packed rows
// of `channels` elements.
template <int kWidth>
__device__ std::size_t counted_packs(const RowCount& counted, std::size_t packs,
                                     std::size_t channels) {
  if (counted.counts == nullptr) return packs;
  const std::size_t rows = counted_rows(counted, packs * kWidth / channels);
  return (rows * channels + kWidth - 1) / kWidth;
}

}  // namespace megascale::kernels::cuda

#endif  // MEGASCALE_KERNELS_CUDA_COUNTED_ROWS_INL_H_
