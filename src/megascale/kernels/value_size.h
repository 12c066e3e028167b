#ifndef MEGASCALE_KERNELS_VALUE_SIZE_H_
#define MEGASCALE_KERNELS_VALUE_SIZE_H_

#include <cstddef>

namespace megascale::kernels {

// Returns the channels of a head of values. `Config` has the members head_size (of queries and keys)
// and value_size, which is 0 if heads of values have the same size. Device code may call it.
template <class Config>
[[nodiscard]] constexpr std::size_t value_size_of(const Config& c) noexcept {
  return c.value_size > 0 ? c.value_size : c.head_size;
}

}  // namespace megascale::kernels

#endif  // MEGASCALE_KERNELS_VALUE_SIZE_H_
