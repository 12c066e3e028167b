#ifndef MEGASCALE_BENCH_KERNEL_BENCH_H_
#define MEGASCALE_BENCH_KERNEL_BENCH_H_

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

#ifdef _OPENMP
#include <omp.h>
#endif

#include "megascale/base/philox.h"
#include "megascale/kernels/cpu/peak.h"

// The benchmarks of kernels share operands, and the peaks that their figures are compared with.
namespace megascale::bench {

// Threads of the team: OMP_NUM_THREADS, or all cores.
inline std::size_t team() {
#ifdef _OPENMP
  return static_cast<std::size_t>(omp_get_max_threads());
#else
  return 1;
#endif
}

// FLOP/s and bytes/s of the team, measured at the first call.
inline double peak_flops() {
  static const double peak = kernels::cpu::fma_peak(team()).best;
  return peak;
}
inline double peak_bandwidth() {
  static const double peak = kernels::cpu::triad_bandwidth(team(), std::size_t{128} << 20).best;
  return peak;
}

// Random values on large pages, like the arena of a run, also if they fill less than one. Some elements
// behind the last one may be read.
class Floats {
 public:
  explicit Floats(std::size_t count, std::uint64_t seed = 0) : count_(count), data_(map(count)) {
    const std::size_t period = std::min<std::size_t>(count, 65'521);
    PhiloxStream(seed, "bench").fill_normal({data_.get(), period}, 0, 0.0, 0.5);
    for (std::size_t i = period; i < count; ++i) data_[i] = data_[i - period];
  }
  [[nodiscard]] float* get() const { return data_.get(); }
  [[nodiscard]] std::byte* bytes() const { return reinterpret_cast<std::byte*>(data_.get()); }
  [[nodiscard]] std::size_t size() const { return count_; }

 private:
  struct Unmap {
    void* begin;
    std::size_t nbytes;
    void operator()(float*) const { ::munmap(begin, nbytes); }
  };
  using Pages = std::unique_ptr<float[], Unmap>;

  // The system gives a large page only for a whole one, so the first and the last are whole.
  static Pages map(std::size_t count) {
    constexpr std::size_t kLargePage = std::size_t{2} << 20;
    const std::size_t used =
        (count * sizeof(float) + 64 + kLargePage - 1) / kLargePage * kLargePage;
    std::size_t mapped = used + kLargePage;
    void* const begin =
        ::mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (begin == MAP_FAILED) throw std::bad_alloc();
    const Unmap unmap{begin, mapped};
    void* first = begin;
    std::align(kLargePage, used, first, mapped);
    ::madvise(first, used, MADV_HUGEPAGE);
    return {static_cast<float*>(first), unmap};
  }

  std::size_t count_;
  Pages data_;
};

}  // namespace megascale::bench

#endif  // MEGASCALE_BENCH_KERNEL_BENCH_H_
