#ifndef MEGASCALE_TESTS_COMM_NUMBERS_H_
#define MEGASCALE_TESTS_COMM_NUMBERS_H_

#include <cmath>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "megascale/base/philox.h"

namespace megascale::comm {

// Numbers whose sum depends on the order: magnitudes from 2^-20 to 2^20, both signs.
template <class T>
std::vector<T> numbers(std::size_t count, std::uint32_t member) {
  std::vector<float> normal(count + 1);
  PhiloxStream(7, "comm test").fill_normal(normal, member * 1'000'003ULL, 0.0, 1.0);
  std::vector<T> result(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double scale = std::ldexp(1.0, static_cast<int>((i * 7 + member * 13) % 41) - 20);
    result[i] =
        std::is_integral_v<T> ? static_cast<T>(normal[i] * 1e6) : static_cast<T>(normal[i] * scale);
  }
  return result;
}

}  // namespace megascale::comm

#endif  // MEGASCALE_TESTS_COMM_NUMBERS_H_
