#ifndef MEGASCALE_KERNELS_REF_REFERENCE_H_
#define MEGASCALE_KERNELS_REF_REFERENCE_H_

#include <vector>

// References: the formulas of kernels/cpu written as plain loops in double, for tests. They
// allocate, check nothing and are slow. Nothing but tests may include this folder.
namespace megascale::kernels::ref {

using Doubles = std::vector<double>;

[[nodiscard]] inline Doubles widen(const std::vector<float>& values) {
  return {values.begin(), values.end()};
}

}  // namespace megascale::kernels::ref

#endif  // MEGASCALE_KERNELS_REF_REFERENCE_H_
