#ifndef MEGASCALE_PARALLEL_RANK_GRID_H_
#define MEGASCALE_PARALLEL_RANK_GRID_H_

#include <cstdint>
#include <vector>

#include "megascale/graph/axis.h"

// Which rank stands where. Rank order is tensor (innermost), context, data, pipeline (outermost),
// as in Megatron-LM: the ranks of a tensor group are neighbours, on one host as a rule.
namespace megascale::parallel {

class RankGrid {
 public:
  // Every size is at least 1. The expert axis names the context ranks a second time and takes none
  // of its own.
  explicit RankGrid(const graph::AxisSizes& sizes) : sizes_(sizes) {}

  [[nodiscard]] const graph::AxisSizes& sizes() const noexcept { return sizes_; }
  [[nodiscard]] std::uint32_t world_size() const noexcept;
  [[nodiscard]] graph::Coordinates coordinates(std::uint32_t rank) const noexcept;
  [[nodiscard]] std::uint32_t rank(const graph::Coordinates& coordinates) const noexcept;
  // All ranks that differ from `rank` in `axes` only, itself included, in group order
  // (AxisSet::group_index).
  [[nodiscard]] std::vector<std::uint32_t> group(std::uint32_t rank, graph::AxisSet axes) const;
  // The rank `offset` further along the axis, around its end.
  [[nodiscard]] std::uint32_t neighbour(std::uint32_t rank, graph::Axis axis,
                                        std::int32_t offset) const noexcept;

 private:
  graph::AxisSizes sizes_;
};

}  // namespace megascale::parallel

#endif  // MEGASCALE_PARALLEL_RANK_GRID_H_
