#ifndef MEGASCALE_KERNELS_EVEN_CHOICE_H_
#define MEGASCALE_KERNELS_EVEN_CHOICE_H_

#include <cstddef>
#include <cstdint>

namespace megascale::kernels {

// Returns the expert of choice j of token t, `slot` = t k + j, if tokens have the experts in turn. A token's
// k <= experts choices differ, and no expert has more than one choice more than another.
[[nodiscard]] constexpr std::int32_t even_choice(std::size_t slot, std::size_t experts) noexcept {
  return static_cast<std::int32_t>(slot % experts);
}

}  // namespace megascale::kernels

#endif  // MEGASCALE_KERNELS_EVEN_CHOICE_H_
