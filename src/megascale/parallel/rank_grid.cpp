#include "megascale/parallel/rank_grid.h"

#include <algorithm>

namespace megascale::parallel {
namespace {

using graph::Axis;
using graph::Coordinates;

constexpr std::array kOrder{Axis::tensor, Axis::context, Axis::data, Axis::pipeline};

std::size_t at(Axis axis) noexcept { return static_cast<std::size_t>(axis); }

}  // namespace

std::uint32_t RankGrid::world_size() const noexcept {
  std::uint32_t size = 1;
  for (const Axis axis : kOrder) size *= sizes_[axis];
  return size;
}

Coordinates RankGrid::coordinates(std::uint32_t rank) const noexcept {
  Coordinates result{};
  for (const Axis axis : kOrder) {
    result[at(axis)] = rank % sizes_[axis];
    rank /= sizes_[axis];
  }
  return result;
}

std::uint32_t RankGrid::rank(const Coordinates& coordinates) const noexcept {
  std::uint32_t rank = 0, stride = 1;
  for (const Axis axis : kOrder) {
    rank += coordinates[at(axis)] * stride;
    stride *= sizes_[axis];
  }
  return rank;
}

std::vector<std::uint32_t> RankGrid::group(std::uint32_t rank, graph::AxisSet axes) const {
  std::vector<Coordinates> members{coordinates(rank)};
  for (const Axis axis : kOrder) {
    if (!axes.contains(axis)) continue;
    std::vector<Coordinates> extended;
    // Earlier axes count fastest: they stay the inner part of the list.
    for (std::uint32_t value = 0; value < sizes_[axis]; ++value) {
      for (Coordinates member : members) {
        member[at(axis)] = value;
        extended.push_back(member);
      }
    }
    members = std::move(extended);
  }
  std::vector<std::uint32_t> ranks;
  for (const Coordinates& member : members) ranks.push_back(this->rank(member));
  return ranks;
}

std::uint32_t RankGrid::neighbour(std::uint32_t rank, Axis axis,
                                  std::int32_t offset) const noexcept {
  Coordinates place = coordinates(rank);
  const auto size = static_cast<std::int64_t>(sizes_[axis]);
  const std::int64_t moved = std::int64_t{place[at(axis)]} + offset;
  place[at(axis)] = static_cast<std::uint32_t>((moved % size + size) % size);
  return this->rank(place);
}

}  // namespace megascale::parallel
