#ifndef MEGASCALE_CUDA_SUM_H_
#define MEGASCALE_CUDA_SUM_H_

#include <cstddef>
#include <span>

#include "megascale/base/dtype.h"

struct CUstream_st;

namespace megascale::cuda {

// The largest number of sources of a sum.
inline constexpr std::size_t kMostSources = 64;
// Enqueues out[i] = ((sources[0][i] + sources[1][i]) + sources[2][i]) + ... on the stream. The
// order of the sources is the order of the ranks, as in the CPU back ends, so the bits of the sum
// are reproducible. `dtype` is float32, float64, int64 or bfloat16 (summed in float32, rounded
// once). `out` may be one of the sources. The stream's device must be able to access all of them.
// take_error() reports a failure.
void sum_in_order_async(std::span<std::byte> out, std::span<const std::byte* const> sources,
                        DType dtype, CUstream_st* stream) noexcept;

}  // namespace megascale::cuda

#endif  // MEGASCALE_CUDA_SUM_H_
