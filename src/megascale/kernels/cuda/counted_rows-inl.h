#ifndef MEGASCALE_KERNELS_CUDA_COUNTED_ROWS_INL_H_
#define MEGASCALE_KERNELS_CUDA_COUNTED_ROWS_INL_H_

#include "megascale/kernels/cuda/device_code.h"
#include "megascale/kernels/cuda/row_count.h"

// How kernels ask for the number of their rows: once per thread, before their loops. All threads
// read the same few elements, so the loads are broadcasts out of a cache. Included by .cu files
// only.
namespace megascale::kernels::cuda {

// `bound`: the rows of the tensor.
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

// Of `packs` packs of kWidth elements those that hold elements of counted rows of `channels` each.
template <int kWidth>
__device__ std::size_t counted_packs(const RowCount& counted, std::size_t packs,
                                     std::size_t channels) {
  if (counted.counts == nullptr) return packs;
  const std::size_t rows = counted_rows(counted, packs * kWidth / channels);
  return (rows * channels + kWidth - 1) / kWidth;
}

}  // namespace megascale::kernels::cuda

#endif  // MEGASCALE_KERNELS_CUDA_COUNTED_ROWS_INL_H_
