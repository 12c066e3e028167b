#ifndef MEGASCALE_KERNELS_CPU_PEAK_H_
#define MEGASCALE_KERNELS_CPU_PEAK_H_

#include <cstddef>
#include <string_view>

// What this machine can do at most, measured: the roofs that rates of kernels are printed beside.
// Nothing here is deterministic; other processes on the same cores lower the figures.
namespace megascale::kernels::cpu {

struct PeakOptions {
  double seconds = 0.2;  // per repetition
  std::size_t repetitions = 5;
};
// A roof is the best; the median of the repetitions says how quiet the machine was.
struct PeakRate {
  double best = 0, median = 0;
};

// float32 fused multiply-adds on registers, counted as two FLOPs each, in FLOP/s: `threads` threads
// at once, 24 independent accumulators each, with the best vector target of this CPU. Best: the sum
// over the threads of each one's fastest tenth of a millisecond while all run.
[[nodiscard]] PeakRate fma_peak(std::size_t threads, const PeakOptions& options = {});
// bfloat16 products of the matrix unit on its tiles, in FLOP/s, measured likewise; 0 where there is
// none. Float32 products take six of them each (matrix_unit/product.h).
[[nodiscard]] PeakRate matrix_unit_peak(std::size_t threads, const PeakOptions& options = {});
// STREAM triad a[i] = b[i] + s c[i] over three arrays of `nbytes` each, in bytes/s; 12 bytes are
// counted per element, as STREAM does (a write-allocating cache moves 16). Choose nbytes at least
// four times the last-level cache.
[[nodiscard]] PeakRate triad_bandwidth(std::size_t threads, std::size_t nbytes,
                                       const PeakOptions& options = {});
// The fastest of float32 products y = x W^T with rows = in = out = `size` by gemm.h, in FLOP/s: the
// roof of what matrix products reach here; with a matrix unit it may lie above fma_peak. Takes 12
// size^2 bytes. Throws Error like Gemm.
[[nodiscard]] PeakRate gemm_peak(std::size_t threads, std::size_t size,
                                 const PeakOptions& options = {});
// The vector target that the kernels of this folder run with: "AVX3", "AVX2", ...
[[nodiscard]] std::string_view vector_target() noexcept;

}  // namespace megascale::kernels::cpu

#endif  // MEGASCALE_KERNELS_CPU_PEAK_H_
