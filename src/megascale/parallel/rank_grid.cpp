// A rank within a stage is a number in mixed radix, whose digits are its coordinates; there is one
// such representation for each of the two factorisations. The stride of an axis is the distance
// between ranks whose coordinates differ by 1 on it. All functions compute with strides.
#include "megascale/parallel/rank_grid.h"

namespace megascale::parallel {
namespace {

using graph::Axis;
using graph::Coordinates;

}  // namespace

RankGrid::RankGrid(const graph::AxisSizes& sizes) : sizes_(graph::with_expert_data(sizes)) {
  for (std::size_t i = 0; i < graph::kAxisCount; ++i) {
    strides_[i] = graph::stride(sizes_, static_cast<Axis>(i));
  }
}

std::uint32_t RankGrid::stage_size() const noexcept { return stride(Axis::pipeline); }

std::uint32_t RankGrid::world_size() const noexcept {
  return stage_size() * sizes_[Axis::pipeline];
}

Coordinates RankGrid::coordinates(std::uint32_t rank) const noexcept {
  Coordinates result{};
  for (std::size_t i = 0; i < graph::kAxisCount; ++i) {
    result[i] = rank / strides_[i] % sizes_.sizes[i];
  }
  return result;
}

std::uint32_t RankGrid::rank(const Coordinates& coordinates) const noexcept {
  std::uint32_t rank = 0;
  for (const Axis axis : {Axis::tensor, Axis::context, Axis::data, Axis::pipeline}) {
    rank += coordinates[static_cast<std::size_t>(axis)] * stride(axis);
  }
  return rank;
}

std::vector<std::uint32_t> RankGrid::group(std::uint32_t rank, graph::AxisSet axes,
                                           graph::HostFactor factor) const {
  const Coordinates place = coordinates(rank);
  const std::uint32_t me = axes.group_index(sizes_, place);
  std::uint32_t first = rank;
  for (std::size_t i = 0; i < graph::kAxisCount; ++i) {
    if (axes.contains(static_cast<Axis>(i))) first -= place[i] * strides_[i];
  }
  std::vector<std::uint32_t> members{first};
  for (std::size_t i = 0; i < graph::kAxisCount; ++i) {
    if (!axes.contains(static_cast<Axis>(i))) continue;
    // Axes come innermost first, so members that differ on inner axes stay next to each other.
    const std::size_t inner = members.size();
    for (std::uint32_t value = 1; value < sizes_.sizes[i]; ++value) {
      for (std::size_t m = 0; m < inner; ++m) members.push_back(members[m] + value * strides_[i]);
    }
  }
  if (factor == graph::HostFactor::none) return members;
  const std::uint32_t per_host = graph::members_per_host(sizes_, axes);
  const bool inside = factor == graph::HostFactor::inside;
  const std::uint32_t begin = inside ? me / per_host * per_host : me % per_host;
  const std::uint32_t step = inside ? 1 : per_host;
  const std::uint32_t count = graph::factor_size(sizes_, axes, factor);
  std::vector<std::uint32_t> chosen;
  for (std::uint32_t i = 0; i < count; ++i) chosen.push_back(members[begin + i * step]);
  return chosen;
}

std::uint32_t RankGrid::neighbour(std::uint32_t rank, Axis axis,
                                  std::int32_t offset) const noexcept {
  const std::uint32_t step = stride(axis), here = rank / step % sizes_[axis];
  const auto size = static_cast<std::int64_t>(sizes_[axis]);
  const std::int64_t moved = std::int64_t{here} + offset;
  const auto there = static_cast<std::uint32_t>((moved % size + size) % size);
  return rank - here * step + there * step;
}

}  // namespace megascale::parallel
