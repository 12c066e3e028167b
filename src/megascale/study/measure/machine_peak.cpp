// Calls the measurements of kernels/cpu/peak.h and keeps the fastest matrix product.
#include "megascale/study/measure/machine_peak.h"

#include "megascale/kernels/cpu/peak.h"

namespace megascale::study {

MachinePeak measure_machine_peak(std::size_t threads, const std::vector<std::size_t>& gemm_sizes,
                                 double seconds) {
  constexpr std::size_t kTriad = std::size_t{256} << 20U;  // bytes of each array
  const kernels::cpu::PeakOptions options{.seconds = seconds};
  MachinePeak peak{
      .fma_flops = kernels::cpu::fma_peak(threads, options).best,
      .memory_bytes_per_second = kernels::cpu::triad_bandwidth(threads, kTriad, options).best};
  peak.matrix_unit_flops = kernels::cpu::matrix_unit_peak(threads, options).best;
  for (const std::size_t size : gemm_sizes) {
    const auto rate =
        kernels::cpu::gemm_peak(threads, size, {.seconds = seconds, .repetitions = 3});
    if (rate.best <= peak.gemm_flops) continue;
    peak.gemm_flops = rate.best;
    peak.gemm_size = size;
  }
  return peak;
}

}  // namespace megascale::study
