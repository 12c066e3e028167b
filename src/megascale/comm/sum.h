#ifndef MEGASCALE_COMM_SUM_H_
#define MEGASCALE_COMM_SUM_H_

#include <cstddef>
#include <span>

#include "megascale/base/dtype.h"

namespace megascale::comm {

// out[i] = ((sources[0][i] + sources[1][i]) + sources[2][i]) + ...: the sources are added in their
// order. All CPU back ends add the values of ranks with this function, so the bits of a sum do not
// depend on the back end. `out` may be one of the sources. Every source has out.size() bytes.
// dtype: float32, float64 or int64.
void sum_in_order(std::span<std::byte> out, std::span<const std::byte* const> sources,
                  DType dtype) noexcept;

}  // namespace megascale::comm

#endif  // MEGASCALE_COMM_SUM_H_
