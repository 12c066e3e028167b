#include "megascale/plan/fold.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace megascale::plan {
namespace {

constexpr auto kPipeline = static_cast<std::size_t>(graph::Axis::pipeline);

}  // namespace

Fold::Fold(const parallel::RankGrid& grid, std::span<const std::shared_ptr<const StepPlan>> plan_of)
    : grid_(grid), uniform_(grid.sizes()[graph::Axis::pipeline], true) {
  // The plan that most ranks of a stage have; of several such, that of the lowest rank.
  std::vector<std::map<const StepPlan*, std::uint32_t>> users(uniform_.size());
  std::vector<const StepPlan*> common(uniform_.size(), nullptr);
  for (std::uint32_t rank = 0; rank < plan_of.size(); ++rank) {
    ++users[grid.coordinates(rank)[kPipeline]][plan_of[rank].get()];
  }
  for (std::uint32_t rank = 0; rank < plan_of.size(); ++rank) {
    const std::uint32_t stage = grid.coordinates(rank)[kPipeline];
    const StepPlan*& best = common[stage];
    if (best == nullptr || users[stage][plan_of[rank].get()] > users[stage][best]) {
      best = plan_of[rank].get();
    }
  }
  std::array<std::vector<bool>, graph::kAxisCount> special;
  for (std::size_t axis = 0; axis < graph::kAxisCount; ++axis) {
    special[axis].assign(grid.sizes().sizes[axis], axis == kPipeline);
  }
  for (std::uint32_t rank = 0; rank < plan_of.size(); ++rank) {
    const Coordinates place = grid.coordinates(rank);
    if (plan_of[rank].get() == common[place[kPipeline]]) continue;
    uniform_[place[kPipeline]] = false;
    for (std::size_t axis = 0; axis < graph::kAxisCount; ++axis) special[axis][place[axis]] = true;
  }
  for (std::size_t axis = 0; axis < graph::kAxisCount; ++axis) {
    const auto other = static_cast<std::uint32_t>(
        std::find(special[axis].begin(), special[axis].end(), false) - special[axis].begin());
    for (std::uint32_t value = 0; value < special[axis].size(); ++value) {
      stands_for_[axis].push_back(special[axis][value] ? value : other);
    }
  }
}

std::uint32_t Fold::representative(std::uint32_t rank) const {
  Coordinates place = grid_.coordinates(rank);
  for (std::size_t axis = 0; axis < graph::kAxisCount; ++axis) {
    place[axis] = stands_for_[axis][place[axis]];
  }
  return grid_.rank(place);
}

std::vector<std::uint32_t> Fold::representatives() const {
  std::vector<std::uint32_t> ranks;
  for (std::uint32_t rank = 0; rank < grid_.world_size(); ++rank) {
    if (representative(rank) == rank) ranks.push_back(rank);
  }
  return ranks;
}

}  // namespace megascale::plan
