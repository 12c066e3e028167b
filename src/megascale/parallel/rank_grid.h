#ifndef MEGASCALE_PARALLEL_RANK_GRID_H_
#define MEGASCALE_PARALLEL_RANK_GRID_H_

#include <cstdint>
#include <vector>

#include "megascale/graph/axis.h"

// Which rank stands where, and who is in its groups. Ranks of a stage are consecutive: tensor is
// innermost, then context and data, as in Megatron-LM; the ranks of a tensor group are neighbours,
// on one host as a rule. The expert axes factor the same ranks again, expert_tensor innermost
// (graph/axis.h).
namespace megascale::parallel {

class RankGrid {
 public:
  // Every size is at least 1; expert_data follows from the others (graph::with_expert_data).
  explicit RankGrid(const graph::AxisSizes& sizes);

  [[nodiscard]] const graph::AxisSizes& sizes() const noexcept { return sizes_; }
  [[nodiscard]] std::uint32_t world_size() const noexcept;
  // Of one pipeline stage.
  [[nodiscard]] std::uint32_t stage_size() const noexcept;
  // On all axes, of both factorisations.
  [[nodiscard]] graph::Coordinates coordinates(std::uint32_t rank) const noexcept;
  // The rank at these coordinates. Reads tensor, context, data and pipeline, which determine it.
  [[nodiscard]] std::uint32_t rank(const graph::Coordinates& coordinates) const noexcept;
  // All ranks that differ from `rank` in `axes` only, itself included, in group order
  // (AxisSet::group_index), which is ascending; or those of them that the factor by hosts leaves.
  // Throws Error (bad_usage) for a group that has no factors (graph::members_per_host).
  [[nodiscard]] std::vector<std::uint32_t> group(
      std::uint32_t rank, graph::AxisSet axes,
      graph::HostFactor factor = graph::HostFactor::none) const;
  // The rank `offset` further along the axis, around its end.
  [[nodiscard]] std::uint32_t neighbour(std::uint32_t rank, graph::Axis axis,
                                        std::int32_t offset) const noexcept;

 private:
  [[nodiscard]] std::uint32_t stride(graph::Axis axis) const noexcept {
    return strides_[static_cast<std::size_t>(axis)];
  }

  graph::AxisSizes sizes_;
  std::array<std::uint32_t, graph::kAxisCount> strides_{};  // graph::stride
};

}  // namespace megascale::parallel

#endif  // MEGASCALE_PARALLEL_RANK_GRID_H_
