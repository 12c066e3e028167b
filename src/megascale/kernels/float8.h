#ifndef MEGASCALE_KERNELS_FLOAT8_H_
#define MEGASCALE_KERNELS_FLOAT8_H_

// Constants of 8-bit floats that the kernels of all devices share (arXiv 2209.05433).
namespace megascale::kernels {

// The largest values of the formats. E4M3 has no infinity.
inline constexpr float kMostE4m3 = 448.0F, kMostE5m2 = 57344.0F;
// The bound of the factor by which values are multiplied before they are rounded. It keeps the
// factor finite if all values are tiny.
inline constexpr float kMostFloat8Factor = 1e30F;

}  // namespace megascale::kernels

#endif  // MEGASCALE_KERNELS_FLOAT8_H_
