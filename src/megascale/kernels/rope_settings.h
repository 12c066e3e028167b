#ifndef MEGASCALE_KERNELS_ROPE_SETTINGS_H_
#define MEGASCALE_KERNELS_ROPE_SETTINGS_H_

#include <algorithm>
#include <vector>

#include "megascale/base/error.h"
#include "megascale/graph/rope_scaling.h"
#include "megascale/kernels/kernel.h"

namespace megascale::kernels {

// Returns how the op rope_table scales its frequencies. Without the attributes it does not.
[[nodiscard]] inline graph::RopeScaling rope_scaling(const KernelSpec& spec) {
  namespace attribute = graph::attribute;
  using graph::RopeScalingKind;
  const graph::Attributes& a = *spec.attributes;
  const double factor = a.real(attribute::scaling_factor, 1.0);
  const auto kind = static_cast<RopeScalingKind>(
      a.integer(attribute::scaling, static_cast<std::int64_t>(RopeScalingKind::llama3)));
  if (kind == RopeScalingKind::longrope) {
    graph::RopeScaling scaling{.kind = kind,
                               .attention_factor = a.real(attribute::attention_factor)};
    const std::vector<double>& divisors = a.reals(attribute::divisors);
    MEGASCALE_CHECK(divisors.size() <= graph::kLongRopePairsMax, "more divisors than kernels take");
    std::copy(divisors.begin(), divisors.end(), scaling.divisors);
    return scaling;
  }
  if (factor == 1.0 && kind != RopeScalingKind::yarn) return {};
  if (kind == RopeScalingKind::linear) return {.kind = kind, .factor = factor};
  const double low_turns = a.real(attribute::low_turns), high_turns = a.real(attribute::high_turns);
  const auto original = static_cast<double>(a.integer(attribute::original_positions));
  if (kind == RopeScalingKind::yarn) {
    return graph::yarn_scaling(factor, high_turns, low_turns, a.real(attribute::base),
                               static_cast<double>(a.integer(attribute::head_dim)), original,
                               a.real(attribute::attention_factor, 0.0));
  }
  return {.kind = kind,
          .factor = factor,
          .low_turns = low_turns,
          .high_turns = high_turns,
          .original_positions = original};
}

}  // namespace megascale::kernels

#endif  // MEGASCALE_KERNELS_ROPE_SETTINGS_H_
