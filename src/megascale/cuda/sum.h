#ifndef MEGASCALE_CUDA_SUM_H_
#define MEGASCALE_CUDA_SUM_H_

#include <cstddef>
#include <span>

#include "megascale/base/dtype.h"

struct CUstream_st;

namespace megascale::cuda {

// out[i] = ((sources[0][i] + sources[1][i]) + sources[2][i]) + ..., the one order in which ranks'
// values are added, in the order of the stream. float32, float64, int64, or bfloat16 (summed in
// float32, rounded once). `out` may be one of the sources. At most kMostSources; all of them memory
// that the stream's device can read.
inline constexpr std::size_t kMostSources = 64;
void sum_in_order_async(std::span<std::byte> out, std::span<const std::byte* const> sources,
                        DType dtype, CUstream_st* stream) noexcept;

}  // namespace megascale::cuda

#endif  // MEGASCALE_CUDA_SUM_H_
