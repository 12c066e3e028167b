#ifndef MEGASCALE_KERNELS_CPU_UNITS_H_
#define MEGASCALE_KERNELS_CPU_UNITS_H_

#include <algorithm>
#include <cstddef>

#ifdef _OPENMP
#include <omp.h>
#endif

// Distributes units of work of different cost over an OpenMP team.
namespace megascale::kernels::cpu {

// FLOPs per thread below which starting a team does not pay (5 us at 100 GFLOP/s; more if other
// processes use the cores).
inline constexpr double kFlopsPerThread = 5e5;

// Returns how many threads `flops` FLOPs are worth: at least 1, at most `threads`.
[[nodiscard]] inline std::size_t useful_threads(std::size_t threads, double flops) noexcept {
  return flops >= kFlopsPerThread * static_cast<double>(threads)
             ? threads
             : std::max<std::size_t>(1, static_cast<std::size_t>(flops / kFlopsPerThread));
}

// Calls body(unit, thread) for every unit, with thread < threads. The threads take the units one by
// one, so the units may differ in cost. The assignment of units to threads is not reproducible, so
// a unit's result must not depend on it. Without OpenMP the calling thread does all units.
template <class Body>
void for_each_unit(std::size_t units, std::size_t threads, const Body& body) noexcept {
#ifdef _OPENMP
  const std::size_t team = std::min(units, threads);
  if (team > 1) {
#pragma omp parallel num_threads(static_cast <int>(team)) default(none) shared(units, body)
    {
      const auto thread = static_cast<std::size_t>(omp_get_thread_num());
#pragma omp for schedule(dynamic, 1)
      for (std::size_t unit = 0; unit < units; ++unit) body(unit, thread);
    }
    return;
  }
#else
  static_cast<void>(threads);
#endif
  for (std::size_t unit = 0; unit < units; ++unit) body(unit, std::size_t{0});
}

}  // namespace megascale::kernels::cpu

#endif  // MEGASCALE_KERNELS_CPU_UNITS_H_
