#ifndef MEGASCALE_KERNELS_CPU_CACHE_SETS_H_
#define MEGASCALE_KERNELS_CPU_CACHE_SETS_H_

#include <cstddef>

namespace megascale::kernels::cpu {

// Returns whether rows, `stride` floats apart, fall into one set of a first-level cache and into few of a
// second-level one, whose ways many rows exceed. Kernels then copy what they visit again, or visit fewer rows
// at a time.
constexpr bool shares_sets(std::size_t stride) noexcept { return stride % 1024 == 0; }

}  // namespace megascale::kernels::cpu

#endif  // MEGASCALE_KERNELS_CPU_CACHE_SETS_H_
