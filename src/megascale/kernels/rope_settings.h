#ifndef MEGASCALE_KERNELS_ROPE_SETTINGS_H_
#define MEGASCALE_KERNELS_ROPE_SETTINGS_H_

#include "megascale/graph/rope_scaling.h"
#include "megascale/kernels/kernel.h"

namespace megascale::kernels {

// Returns how the op rope_table scales its frequencies. Without the attributes it does not.
[[nodiscard]] inline graph::RopeScaling rope_scaling(const KernelSpec& spec) {
  namespace attribute = graph::attribute;
  const graph::Attributes& a = *spec.attributes;
  const double factor = a.real(attribute::scaling_factor, 1.0);
  if (factor == 1.0) return {};
  return {.factor = factor,
          .low_turns = a.real(attribute::low_turns),
          .high_turns = a.real(attribute::high_turns),
          .original_positions = static_cast<double>(a.integer(attribute::original_positions))};
}

}  // namespace megascale::kernels

#endif  // MEGASCALE_KERNELS_ROPE_SETTINGS_H_
