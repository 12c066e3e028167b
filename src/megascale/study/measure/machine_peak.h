#ifndef MEGASCALE_STUDY_MEASURE_MACHINE_PEAK_H_
#define MEGASCALE_STUDY_MEASURE_MACHINE_PEAK_H_

#include <cstddef>
#include <vector>

namespace megascale::study {

// The highest rates that cores of this machine reach (`megascale bench peak`). FLOP/s; bytes per
// second.
struct MachinePeak {
  // Float32 fused multiply-adds; bfloat16 products of the matrix unit (0 if there is none).
  double fma_flops = 0, matrix_unit_flops = 0;
  double gemm_flops = 0;               // the fastest square float32 product
  std::size_t gemm_size = 0;           // its number of rows and columns
  double memory_bytes_per_second = 0;  // STREAM triad
};

// Measures with `threads` threads. `gemm_sizes` are the sizes of the square products to try, at
// least one. Each repetition of a measurement takes `seconds`. Throws Error.
[[nodiscard]] MachinePeak measure_machine_peak(std::size_t threads,
                                               const std::vector<std::size_t>& gemm_sizes,
                                               double seconds);

}  // namespace megascale::study

#endif  // MEGASCALE_STUDY_MEASURE_MACHINE_PEAK_H_
