#ifndef MEGASCALE_STUDY_MEASURE_MACHINE_PEAK_H_
#define MEGASCALE_STUDY_MEASURE_MACHINE_PEAK_H_

#include <cstddef>
#include <vector>

namespace megascale::study {

// What some cores of this machine can do. FLOP/s; bytes per second.
struct MachinePeak {
  double fma_flops = 0, matrix_unit_flops = 0;  // matrix_unit_flops: bfloat16; 0 without a unit
  double gemm_flops = 0;                        // of the fastest square product
  std::size_t gemm_size = 0;                    // its rows and columns
  double memory_bytes_per_second = 0;           // triad
};

// Measures with that many threads. `gemm_sizes`: of the square products that are tried, at least
// one; `seconds`: of each repetition of a measurement.
[[nodiscard]] MachinePeak measure_machine_peak(std::size_t threads,
                                               const std::vector<std::size_t>& gemm_sizes,
                                               double seconds);

}  // namespace megascale::study

#endif  // MEGASCALE_STUDY_MEASURE_MACHINE_PEAK_H_
