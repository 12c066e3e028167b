// Interpolates a curve by a linear search, since curves have few points.
#include "megascale/simulate/curve.h"

#include <cmath>

namespace megascale::simulate {

double Curve::at(double size) const noexcept {
  if (size <= points.front().size) return points.front().value;
  for (std::size_t i = 1; i < points.size(); ++i) {
    const auto& [right, right_value] = points[i];
    if (size > right) continue;
    const auto& [left, left_value] = points[i - 1];
    const double part = std::log(size / left) / std::log(right / left);
    return left_value + part * (right_value - left_value);
  }
  return points.back().value;
}

}  // namespace megascale::simulate
