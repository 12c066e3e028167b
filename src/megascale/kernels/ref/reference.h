#ifndef MEGASCALE_KERNELS_REF_REFERENCE_H_
#define MEGASCALE_KERNELS_REF_REFERENCE_H_

#include <vector>

// Base of the references: the formulas of kernels/cpu, written as plain loops in double. Tests
// compare the kernels with them. References allocate memory, check nothing and are slow. Only tests
// may include this folder.
namespace megascale::kernels::ref {

using Doubles = std::vector<double>;

// Converts float values to double, exactly.
[[nodiscard]] inline Doubles widen(const std::vector<float>& values) {
  return {values.begin(), values.end()};
}

}  // namespace megascale::kernels::ref

#endif  // MEGASCALE_KERNELS_REF_REFERENCE_H_
