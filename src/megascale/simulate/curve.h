#ifndef MEGASCALE_SIMULATE_CURVE_H_
#define MEGASCALE_SIMULATE_CURVE_H_

#include <vector>

namespace megascale::simulate {

// A value as a function of the size of the work, for instance the share of a peak rate that a
// transfer of so many bytes reaches. Between two points it is linear in the logarithm of the size;
// outside the points it is constant.
struct Curve {
  struct Point {
    double size = 0, value = 0;
  };
  std::vector<Point> points;  // never empty when at() is called; sizes above 0, ascending
  [[nodiscard]] double at(double size) const noexcept;
};

}  // namespace megascale::simulate

#endif  // MEGASCALE_SIMULATE_CURVE_H_
