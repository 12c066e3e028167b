// Measures the scheduler's time slice. Two threads on one core read the clock in a loop; a jump of
// the clock means that the other thread had the core. The time between two jumps is one slice.
#include "megascale/base/time_slice.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

#include "megascale/base/clock.h"
#include "megascale/base/core_binding.h"

namespace megascale {
namespace {

// A jump of the clock by more than this means that the thread lost its core. Interrupts take less
// time, slices more.
constexpr std::int64_t kAwayNs = 200'000;

// Reads the clock until `end_ns`. Returns how long the thread ran each time until it lost its core.
std::vector<std::int64_t> turns_until(std::int64_t end_ns) {
  std::vector<std::int64_t> turns;
  std::int64_t begin = monotonic_ns();
  for (std::int64_t last = begin; last < end_ns;) {
    const std::int64_t now = monotonic_ns();
    if (now - last > kAwayNs) {
      turns.push_back(last - begin);
      begin = now;
    }
    last = now;
  }
  return turns;
}

}  // namespace

std::chrono::nanoseconds time_slice(std::chrono::nanoseconds duration) {
  const std::int64_t end_ns = monotonic_ns() + duration.count();
  std::array<std::vector<std::int64_t>, 2> turns;
  {
    const CoreBinding one_core({process_cores().front()});
    std::array<std::thread, 2> threads;
    for (std::size_t i = 0; i < threads.size(); ++i)
      threads[i] = std::thread([&, i] { turns[i] = turns_until(end_ns); });
    for (std::thread& thread : threads) thread.join();
  }
  std::vector<std::int64_t> all = turns[0];
  all.insert(all.end(), turns[1].begin(), turns[1].end());
  if (all.empty()) return {};
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
  std::nth_element(all.begin(), middle, all.end());
  return std::chrono::nanoseconds(*middle);
}

}  // namespace megascale
