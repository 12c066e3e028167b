#ifndef MEGASCALE_KERNELS_CPU_SIMD_TARGETS_H_
#define MEGASCALE_KERNELS_CPU_SIMD_TARGETS_H_

// The vector targets of this folder. Include this before every Highway header. Kernels are compiled
// for AVX-512, AVX2 and the baseline of the build. The targets between them (SSSE3, SSE4) would
// only cost compile time, and vectors of unknown length (SVE) do not fit simd-inl.h.
#define HWY_DISABLED_TARGETS \
  (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)

#endif  // MEGASCALE_KERNELS_CPU_SIMD_TARGETS_H_
