#ifndef MEGASCALE_KERNELS_CPU_PEAK_H_
#define MEGASCALE_KERNELS_CPU_PEAK_H_

#include <cstddef>
#include <string_view>

// Measures the peak rates of this machine: the roofs that the rates of kernels are printed beside.
// Nothing here is deterministic; other processes on the same cores lower the figures.
namespace megascale::kernels::cpu {

struct PeakOptions {
  double seconds = 0.2;  // per repetition
  std::size_t repetitions = 5;
};
// best is the roof. median, over the repetitions, shows how undisturbed the machine was.
struct PeakRate {
  double best = 0, median = 0;
};

// float32 fused multiply-adds on registers, in FLOP/s; each counts as two FLOPs. `threads` threads
// run at once, with independent accumulators (24 with AVX-512, else 12) and the best vector target
// of this CPU. best is the sum, over the threads, of each one's fastest tenth of a millisecond
// while all run.
[[nodiscard]] PeakRate fma_peak(std::size_t threads, const PeakOptions& options = {});
// bfloat16 products of the matrix unit on its tiles, in FLOP/s, measured in the same way; 0 if
// there is no matrix unit. A float32 product takes six of them (matrix_unit/product.h).
[[nodiscard]] PeakRate matrix_unit_peak(std::size_t threads, const PeakOptions& options = {});
// STREAM's triad a[i] = b[i] + s c[i] over three arrays of `nbytes` each, in bytes/s. 12 bytes are
// counted per element, as STREAM does (a write-allocating cache moves 16). nbytes should be at
// least four times the last-level cache.
[[nodiscard]] PeakRate triad_bandwidth(std::size_t threads, std::size_t nbytes,
                                       const PeakOptions& options = {});
// The fastest float32 product y = x W^T with rows = in = out = `size` by gemm.h, in FLOP/s. It is
// the roof for matrix products here; with a matrix unit it may exceed fma_peak. Allocates 12 size^2
// bytes for the matrices. Throws Error like Gemm.
[[nodiscard]] PeakRate gemm_peak(std::size_t threads, std::size_t size,
                                 const PeakOptions& options = {});
// The vector target that the kernels of this folder use on this CPU: "AVX3", "AVX2", ...
[[nodiscard]] std::string_view vector_target() noexcept;

}  // namespace megascale::kernels::cpu

#endif  // MEGASCALE_KERNELS_CPU_PEAK_H_
