#ifndef MEGASCALE_SIMULATE_CURVE_H_
#define MEGASCALE_SIMULATE_CURVE_H_

#include <vector>

namespace megascale::simulate {

// A value by the size of the work, such as the share of a peak that is reached: linear between the
// points in the logarithm of the size, constant outside.
struct Curve {
  struct Point {
    double size = 0, value = 0;
  };
  std::vector<Point> points;  // sizes above 0, rising; never empty
  [[nodiscard]] double at(double size) const noexcept;
};

}  // namespace megascale::simulate

#endif  // MEGASCALE_SIMULATE_CURVE_H_
