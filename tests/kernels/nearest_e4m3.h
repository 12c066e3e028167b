#ifndef MEGASCALE_TESTS_KERNELS_NEAREST_E4M3_H_
#define MEGASCALE_TESTS_KERNELS_NEAREST_E4M3_H_

#include <cmath>

namespace megascale::testing {

// Returns the nearest of the values of E4M3 times a scale, by the definition of the format: three bits
// of mantissa, and multiples of 2^-9 below 2^-6.
inline double nearest_e4m3(double x, double scale) {
  const double scaled = std::abs(x) / scale;
  const double unit = scaled < 0x1p-6 ? 0x1p-9 : std::ldexp(1.0, std::ilogb(scaled) - 3);
  return std::copysign(std::nearbyint(scaled / unit) * unit * scale, x);
}

}  // namespace megascale::testing

#endif  // MEGASCALE_TESTS_KERNELS_NEAREST_E4M3_H_
