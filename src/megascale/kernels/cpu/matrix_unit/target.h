#ifndef MEGASCALE_KERNELS_CPU_MATRIX_UNIT_TARGET_H_
#define MEGASCALE_KERNELS_CPU_MATRIX_UNIT_TARGET_H_

// Marks functions that are compiled for the matrix unit whatever the rest is compiled for. Not an
// option of the source file: inline functions of headers would then be compiled for it too, and the
// linker might keep that copy for all.
#define MEGASCALE_MATRIX_UNIT \
  __attribute__((target("avx512f,avx512bw,avx512vl,avx512bf16,amx-tile,amx-bf16")))

#endif  // MEGASCALE_KERNELS_CPU_MATRIX_UNIT_TARGET_H_
