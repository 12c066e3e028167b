#ifndef MEGASCALE_KERNELS_CPU_MATRIX_UNIT_TARGET_H_
#define MEGASCALE_KERNELS_CPU_MATRIX_UNIT_TARGET_H_

// Marks a function that is compiled for the matrix unit, whatever target the rest of the build has.
// A compiler option for the whole source file would be wrong: it would also apply to inline
// functions of headers, and the linker might keep that copy for all callers.
#define MEGASCALE_MATRIX_UNIT \
  __attribute__((target("avx512f,avx512bw,avx512vl,avx512bf16,amx-tile,amx-bf16")))

#endif  // MEGASCALE_KERNELS_CPU_MATRIX_UNIT_TARGET_H_
