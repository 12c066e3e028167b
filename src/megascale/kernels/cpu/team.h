#ifndef MEGASCALE_KERNELS_CPU_TEAM_H_
#define MEGASCALE_KERNELS_CPU_TEAM_H_

#include <algorithm>
#include <cstddef>

#ifdef _OPENMP
#include <omp.h>
#endif

// How kernels use the OpenMP team of the calling thread. Without OpenMP everything runs on the
// calling thread. The bits of kernels that divide their work by parallel_ranges() do not depend on
// the size of the team.
namespace megascale::kernels::cpu {

// Bytes per thread below which a second thread costs more time than it saves (a team starts in 1 to
// 5 us; a core moves about 10 GB/s).
inline constexpr std::size_t kBytesPerThread = 65536;

// The team size of the calling thread.
[[nodiscard]] inline std::size_t team_size() noexcept {
#ifdef _OPENMP
  return static_cast<std::size_t>(omp_get_max_threads());
#else
  return 1;
#endif
}

// Sets the calling thread's team size for a scope. Without OpenMP it does nothing.
class TeamSize {
 public:
#ifdef _OPENMP
  explicit TeamSize(std::size_t threads) noexcept : before_(omp_get_max_threads()) {
    omp_set_num_threads(static_cast<int>(threads));
  }
  ~TeamSize() { omp_set_num_threads(before_); }
#else
  explicit TeamSize(std::size_t) noexcept {}
#endif
  TeamSize(const TeamSize&) = delete;
  TeamSize& operator=(const TeamSize&) = delete;

 private:
  [[maybe_unused]] int before_ = 1;
};

// Calls body(begin, end) for disjoint ranges that cover [0, count), in parallel. Every border but
// the last is a multiple of `grain`. `item_bytes` is the number of bytes that one item moves; small
// work stays on the calling thread.
template <class Body>
void parallel_ranges(std::size_t count, std::size_t grain, std::size_t item_bytes,
                     const Body& body) noexcept {
  const std::size_t grains = (count + grain - 1) / grain;
  const std::size_t useful = std::max<std::size_t>(1, count * item_bytes / kBytesPerThread);
  const std::size_t threads = std::min({team_size(), useful, grains});
  if (threads <= 1) {
    if (count > 0) body(std::size_t{0}, count);
    return;
  }
#ifdef _OPENMP
#pragma omp parallel for num_threads(static_cast <int>(threads)) schedule(static, 1) default(none) \
    shared(threads, grains, grain, count, body)
  for (std::size_t t = 0; t < threads; ++t) {
    const std::size_t begin = grains * t / threads * grain;
    const std::size_t end = std::min(count, grains * (t + 1) / threads * grain);
    if (begin < end) body(begin, end);
  }
#endif
}

}  // namespace megascale::kernels::cpu

#endif  // MEGASCALE_KERNELS_CPU_TEAM_H_
