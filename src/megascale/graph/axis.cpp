// Computes with the axes of a job: strides, groups, and factors of groups by hosts. To divide a
// group by hosts, neighbouring axes are joined into runs of equally spaced members. For each run
// the number of members that fit into a host follows from two divisions.
#include "megascale/graph/axis.h"

#include <fmt/format.h>

#include <vector>

#include "megascale/base/error.h"

namespace megascale::graph {

std::string_view to_string(Axis axis) noexcept {
  switch (axis) {
    case Axis::tensor:
      return "tensor";
    case Axis::context:
      return "context";
    case Axis::data:
      return "data";
    case Axis::expert_tensor:
      return "expert_tensor";
    case Axis::expert:
      return "expert";
    case Axis::expert_data:
      return "expert_data";
    case Axis::pipeline:
      return "pipeline";
  }
  return "?";
}

AxisSizes with_expert_data(AxisSizes sizes) {
  const std::uint32_t ranks = kDenseAxes.group_size(sizes);
  const std::uint32_t share = sizes[Axis::expert_tensor] * sizes[Axis::expert];
  MEGASCALE_CHECK(share > 0 && ranks % share == 0,
                  fmt::format("tensor {} x context {} x data {} = {} ranks of a stage are no "
                              "multiple of expert_tensor {} x expert {}",
                              sizes[Axis::tensor], sizes[Axis::context], sizes[Axis::data], ranks,
                              sizes[Axis::expert_tensor], sizes[Axis::expert]));
  sizes[Axis::expert_data] = ranks / share;
  return sizes;
}

std::uint32_t stride(const AxisSizes& sizes, Axis axis) noexcept {
  if (axis == Axis::pipeline) return kDenseAxes.group_size(sizes);
  const Axis innermost = kExpertAxes.contains(axis) ? Axis::expert_tensor : Axis::tensor;
  std::uint32_t stride = 1;
  for (auto inner = static_cast<std::size_t>(innermost); inner < static_cast<std::size_t>(axis);
       ++inner) {
    stride *= sizes.sizes[inner];
  }
  return stride;
}

AxisSet existing(const AxisSizes& sizes, AxisSet axes) noexcept {
  AxisSet set;
  for (std::size_t i = 0; i < kAxisCount; ++i) {
    const auto axis = static_cast<Axis>(i);
    if (axes.contains(axis) && sizes[axis] > 1) set.insert(axis);
  }
  return set;
}

std::string to_string(AxisSet axes) {
  std::string names;
  for (std::size_t i = 0; i < kAxisCount; ++i) {
    const auto axis = static_cast<Axis>(i);
    if (axes.contains(axis)) {
      names += fmt::format("{}{}", names.empty() ? "" : "+", to_string(axis));
    }
  }
  return names;
}

void AxisSet::fail_mixed() const noexcept {
  MEGASCALE_CHECK(!is_mixed(), fmt::format("{} mixes the dense and the expert factorisation of a "
                                           "stage's ranks: such a set has no group",
                                           to_string(*this)));
  __builtin_unreachable();
}

std::string_view to_string(HostFactor factor) noexcept {
  switch (factor) {
    case HostFactor::none:
      return "none";
    case HostFactor::inside:
      return "inside hosts";
    case HostFactor::between:
      return "between hosts";
  }
  return "?";
}

std::uint32_t members_per_host(const AxisSizes& sizes, AxisSet axes) {
  const std::uint32_t all = axes.group_size(sizes), hosted = sizes.ranks_per_host;
  if (hosted == 0 || hosted >= kDenseAxes.group_size(sizes) * sizes[Axis::pipeline]) return all;
  // Neighbouring axes form one run. Its members stand `inner` ranks apart and cover `outer` ranks.
  struct Run {
    std::uint32_t inner = 1, outer = 1;
  };
  std::vector<Run> runs;
  for (std::size_t i = 0; i < kAxisCount; ++i) {
    const auto axis = static_cast<Axis>(i);
    if (!axes.contains(axis) || sizes[axis] == 1) continue;
    const std::uint32_t inner = stride(sizes, axis);
    if (runs.empty() || runs.back().outer != inner) runs.push_back({inner, inner});
    runs.back().outer *= sizes[axis];
  }
  std::uint32_t members = 1;
  for (const auto& [inner, outer] : runs) {
    const std::uint32_t count = outer / inner;
    // A host holds the whole run, a part that divides it, or one member.
    if (hosted % outer == 0) {
      members *= count;
    } else if (hosted % inner == 0 && outer % hosted == 0) {
      members *= hosted / inner;
    } else if (hosted > inner) {
      throw Error(
          ErrorCode::bad_usage,
          fmt::format("hosts of {} ranks cut groups over {} in unequal parts, which have {} "
                      "members that stand {} ranks apart: expected hosts of at most {} "
                      "ranks, of a multiple of {}, or of {} times a divisor of {}",
                      hosted, to_string(axes), count, inner, inner, outer, inner, count));
    }
  }
  return members;
}

std::uint32_t factor_size(const AxisSizes& sizes, AxisSet axes, HostFactor factor) {
  if (factor == HostFactor::none) return axes.group_size(sizes);
  const std::uint32_t per_host = members_per_host(sizes, axes);
  return factor == HostFactor::inside ? per_host : axes.group_size(sizes) / per_host;
}

std::uint32_t factor_index(const AxisSizes& sizes, AxisSet axes, HostFactor factor,
                           std::uint32_t index) {
  if (factor == HostFactor::none) return index;
  const std::uint32_t per_host = members_per_host(sizes, axes);
  return factor == HostFactor::inside ? index % per_host : index / per_host;
}

}  // namespace megascale::graph
