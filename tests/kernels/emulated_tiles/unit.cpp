// With the stand-in every processor that has the vector instructions beside the tiles has a matrix
// unit.
#include "megascale/kernels/cpu/matrix_unit/unit.h"

namespace megascale::kernels::cpu {

bool matrix_unit_available() noexcept {
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
         __builtin_cpu_supports("avx512bf16") != 0;
}

}  // namespace megascale::kernels::cpu
