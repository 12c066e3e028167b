#ifndef MEGASCALE_TESTS_SUPPORT_CLOSE_H_
#define MEGASCALE_TESTS_SUPPORT_CLOSE_H_

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "megascale/base/philox.h"

namespace megascale::testing {

// |got - want| <= absolute + relative * |want| for every element. Written so that NaN, an empty
// range and a wrong size fail.
template <class Got, class Want>
::testing::AssertionResult all_close(const Got& got, const Want& want, double relative,
                                     double absolute = 0.0) {
  if (std::size(got) != std::size(want) || std::size(got) == 0) {
    return ::testing::AssertionFailure()
           << "sizes " << std::size(got) << " and " << std::size(want);
  }
  for (std::size_t i = 0; i < std::size(got); ++i) {
    const double g = got[i], w = want[i];
    if (!(std::abs(g - w) <= absolute + relative * std::abs(w))) {
      return ::testing::AssertionFailure() << "[" << i << "] got " << g << " want " << w
                                           << " (difference " << std::abs(g - w) << ")";
    }
  }
  return ::testing::AssertionSuccess();
}

// |got - want|_2 / |want|_2; NaN where any element is NaN.
template <class Got, class Want>
double relative_norm_error(const Got& got, const Want& want) {
  double difference = 0, norm = 0;
  for (std::size_t i = 0; i < std::size(want); ++i) {
    const double d = static_cast<double>(got[i]) - static_cast<double>(want[i]);
    difference += d * d;
    norm += static_cast<double>(want[i]) * static_cast<double>(want[i]);
  }
  return std::sqrt(difference / norm);
}

// Seeded standard normal values.
inline std::vector<float> normal(std::size_t count, std::uint64_t seed, double stddev = 1.0) {
  std::vector<float> values(count);
  PhiloxStream(seed, "test").fill_normal(values, 0, 0.0, stddev);
  return values;
}

}  // namespace megascale::testing

#endif  // MEGASCALE_TESTS_SUPPORT_CLOSE_H_
