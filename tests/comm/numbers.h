#ifndef MEGASCALE_TESTS_COMM_NUMBERS_H_
#define MEGASCALE_TESTS_COMM_NUMBERS_H_

#include <array>
#include <cmath>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "megascale/base/philox.h"

namespace megascale::comm {

// Numbers whose sum depends on the order: magnitudes from 2^-20 to 2^20, both signs. A shorter
// series is the beginning of a longer one. `member` is below 5, `count` at most 700,005.
template <class T>
std::vector<T> numbers(std::size_t count, std::uint32_t member) {
  // Drawn once: it takes longer than what is done with them.
  static const auto all = [] {
    std::array<std::vector<T>, 5> series;
    for (std::uint32_t m = 0; m < series.size(); ++m) {
      std::vector<float> normal(700'006);
      PhiloxStream(7, "comm test").fill_normal(normal, m * 1'000'003ULL, 0.0, 1.0);
      for (std::size_t i = 0; i + 1 < normal.size(); ++i) {
        const double scale = std::ldexp(1.0, static_cast<int>((i * 7 + m * 13) % 41) - 20);
        series[m].push_back(std::is_integral_v<T> ? static_cast<T>(normal[i] * 1e6)
                                                  : static_cast<T>(normal[i] * scale));
      }
    }
    return series;
  }();
  const auto& series = all.at(member);
  return {series.begin(), series.begin() + static_cast<std::ptrdiff_t>(count)};
}

}  // namespace megascale::comm

#endif  // MEGASCALE_TESTS_COMM_NUMBERS_H_
