#ifndef MEGASCALE_KERNELS_CPU_MATRIX_UNIT_UNIT_H_
#define MEGASCALE_KERNELS_CPU_MATRIX_UNIT_UNIT_H_

// The matrix unit of x86 processors (AMX; Intel's from Sapphire Rapids on). It has eight tiles of
// 16 rows of 64 bytes, and an instruction that adds the product of two bfloat16 tiles to a float32
// tile.
namespace megascale::kernels::cpu {

// Returns whether this build, this processor and the operating system support the matrix unit, with
// AVX-512. The first call asks Linux for the permission to use it, for the whole process. Any
// thread may call it.
[[nodiscard]] bool matrix_unit_available() noexcept;

}  // namespace megascale::kernels::cpu

#endif  // MEGASCALE_KERNELS_CPU_MATRIX_UNIT_UNIT_H_
