#ifndef MEGASCALE_PARALLEL_RANK_GRID_H_
#define MEGASCALE_PARALLEL_RANK_GRID_H_

#include <cstdint>
#include <vector>

#include "megascale/graph/axis.h"

// The rank grid: the coordinates of every rank on the parallel axes, and the members of its groups.
//
// Ranks of a pipeline stage are consecutive. Within a stage, tensor is the innermost axis, then
// context, then data, as in Megatron-LM. So the ranks of a tensor group are neighbours, and usually
// on one host. The expert axes factor the same ranks a second time, with expert_tensor innermost
// (graph/axis.h). All functions may be called from any thread.
namespace megascale::parallel {

class RankGrid {
 public:
  // Every size must be at least 1, and the ranks of a stage must be a multiple of expert_tensor x
  // expert. expert_data is computed from the others (graph::with_expert_data).
  explicit RankGrid(const graph::AxisSizes& sizes);

  [[nodiscard]] const graph::AxisSizes& sizes() const noexcept { return sizes_; }
  [[nodiscard]] std::uint32_t world_size() const noexcept;
  // Returns the number of ranks of one pipeline stage.
  [[nodiscard]] std::uint32_t stage_size() const noexcept;
  // Returns the rank's coordinates on all axes of both factorisations.
  [[nodiscard]] graph::Coordinates coordinates(std::uint32_t rank) const noexcept;
  // Returns the rank at these coordinates. It reads tensor, context, data and pipeline only, which
  // determine the rank.
  [[nodiscard]] std::uint32_t rank(const graph::Coordinates& coordinates) const noexcept;
  // Returns the group of `rank` over `axes`: all ranks that differ from it on these axes only,
  // itself included, in ascending order, which is the group order (AxisSet::group_index). With a
  // `factor` by hosts, only the members on the same host, or only those at the same place on the
  // other hosts. Throws Error (bad_usage) if the group cannot be factored by hosts
  // (graph::members_per_host).
  [[nodiscard]] std::vector<std::uint32_t> group(
      std::uint32_t rank, graph::AxisSet axes,
      graph::HostFactor factor = graph::HostFactor::none) const;
  // Returns the rank that is `offset` further along the axis; the axis is a ring.
  [[nodiscard]] std::uint32_t neighbour(std::uint32_t rank, graph::Axis axis,
                                        std::int32_t offset) const noexcept;

 private:
  [[nodiscard]] std::uint32_t stride(graph::Axis axis) const noexcept {
    return strides_[static_cast<std::size_t>(axis)];
  }

  graph::AxisSizes sizes_;
  std::array<std::uint32_t, graph::kAxisCount> strides_{};  // by axis: graph::stride()
};

}  // namespace megascale::parallel

#endif  // MEGASCALE_PARALLEL_RANK_GRID_H_
