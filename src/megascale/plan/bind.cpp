// Turns groups and edges, which a plan names by axis and offset, into lists of ranks. The first
// member of an edge is always the sender, so both ends form the same key.
#include "megascale/plan/bind.h"

#include <fmt/format.h>

#include <algorithm>

namespace megascale::plan {

CommunicatorBinding bind(const Communicator& communicator, const parallel::RankGrid& grid,
                         std::uint32_t rank) {
  CommunicatorBinding group;
  if (communicator.edge_offset == 0) {
    group.members = grid.group(rank, communicator.axes, communicator.factor);
    group.key = fmt::format("{} of rank {}", communicator.name, group.members.front());
  } else {
    const std::uint32_t other =
        grid.neighbour(rank, graph::Axis::pipeline, communicator.edge_offset);
    const bool source = communicator.edge_offset > 0;
    group.members = source ? std::vector{rank, other} : std::vector{other, rank};
    group.key = fmt::format("{} {} to {}", communicator.name, group.members[0], group.members[1]);
  }
  const auto me = std::find(group.members.begin(), group.members.end(), rank);
  group.my_index = static_cast<std::uint32_t>(me - group.members.begin());
  return group;
}

Binding bind(const StepPlan& plan, const parallel::RankGrid& grid, std::uint32_t rank) {
  return bind(plan.communicators(), grid, rank);
}

Binding bind(std::span<const Communicator> communicators, const parallel::RankGrid& grid,
             std::uint32_t rank) {
  Binding binding{.rank = rank, .coordinates = grid.coordinates(rank), .communicators = {}};
  for (const Communicator& communicator : communicators)
    binding.communicators.push_back(bind(communicator, grid, rank));
  return binding;
}

}  // namespace megascale::plan
