#ifndef MEGASCALE_KERNELS_REF_ROPE_H_
#define MEGASCALE_KERNELS_REF_ROPE_H_

#include <cmath>
#include <cstdint>

#include "megascale/kernels/ref/reference.h"

// Reference in double for kernels/cpu/rope.h.
namespace megascale::kernels::ref {

// Rotates one head x (HS) at `position`; components i and i + HS/2 form a complex number.
// direction: +1 forward, -1 backward (the inverse rotation).
[[nodiscard]] inline Doubles rope(const Doubles& x, std::int32_t position, double theta,
                                  double direction) {
  const std::size_t half = x.size() / 2;
  Doubles y(x.size());
  for (std::size_t i = 0; i < half; ++i) {
    const double angle =
        direction * position / std::pow(theta, static_cast<double>(i) / static_cast<double>(half));
    y[i] = x[i] * std::cos(angle) - x[i + half] * std::sin(angle);
    y[i + half] = x[i] * std::sin(angle) + x[i + half] * std::cos(angle);
  }
  return y;
}

}  // namespace megascale::kernels::ref

#endif  // MEGASCALE_KERNELS_REF_ROPE_H_
