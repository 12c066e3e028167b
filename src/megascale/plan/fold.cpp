// Finds classes of ranks in two steps. The borders of axes and hosts divide the position of a rank
// in its stage into digits. Then the values of odd ranks are marked on every digit; each unmarked
// value is represented by the first unmarked one.
#include "megascale/plan/fold.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace megascale::plan {
namespace {

// Returns the borders of a stage in ascending order, each once. A border is a stride at which an
// axis or a host begins, or a common multiple of two borders. Hosts that hold whole stages have no
// border in a stage.
std::vector<std::uint32_t> borders_of(const parallel::RankGrid& grid) {
  const std::uint32_t all = grid.stage_size(), hosted = grid.sizes().ranks_per_host;
  std::vector<std::uint32_t> borders{1, all};
  for (std::size_t i = 0; i < graph::kAxisCount; ++i) {
    borders.push_back(graph::stride(grid.sizes(), static_cast<graph::Axis>(i)));
  }
  if (hosted != 0 && hosted < all) borders.push_back(hosted);
  for (std::size_t i = 0; i < borders.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const std::uint32_t multiple = std::lcm(borders[i], borders[j]);
      const bool is_new = std::find(borders.begin(), borders.end(), multiple) == borders.end();
      if (all % multiple == 0 && is_new) borders.push_back(multiple);
    }
  }
  std::sort(borders.begin(), borders.end());
  borders.erase(std::unique(borders.begin(), borders.end()), borders.end());
  return borders;
}

}  // namespace

std::vector<Fold::Digit> Fold::digits_of(const parallel::RankGrid& grid) {
  const std::vector<std::uint32_t> borders = borders_of(grid);
  const auto divides_or_is_divided = [&](std::uint32_t border) {
    return std::all_of(borders.begin(), borders.end(), [&](std::uint32_t other) {
      return border % other == 0 || other % border == 0;
    });
  };
  std::vector<Digit> digits;
  std::uint32_t begin = borders.front();
  bool is_product = true;
  for (const std::uint32_t border : borders) {
    if (!divides_or_is_divided(border)) {
      is_product = false;
      continue;
    }
    if (border != begin) {
      digits.push_back(
          {.stride = begin, .size = border / begin, .is_product = is_product, .stands_for = {}});
    }
    begin = border;
    is_product = true;
  }
  return digits;
}

Fold::Fold(const parallel::RankGrid& grid, std::span<const std::shared_ptr<const StepPlan>> plan_of)
    : world_size_(grid.world_size()),
      digits_(digits_of(grid)),
      uniform_(grid.sizes()[graph::Axis::pipeline], true) {
  const std::uint32_t per_stage = grid.stage_size();
  // The plan that most ranks of a stage have. If several plans have the same number of ranks, the
  // plan of the lowest rank.
  std::vector<std::map<const StepPlan*, std::uint32_t>> users(uniform_.size());
  std::vector<const StepPlan*> common(uniform_.size(), nullptr);
  for (std::uint32_t rank = 0; rank < plan_of.size(); ++rank) {
    ++users[rank / per_stage][plan_of[rank].get()];
  }
  for (std::uint32_t rank = 0; rank < plan_of.size(); ++rank) {
    const std::uint32_t stage = rank / per_stage;
    const StepPlan*& best = common[stage];
    if (best == nullptr || users[stage][plan_of[rank].get()] > users[stage][best]) {
      best = plan_of[rank].get();
    }
  }
  std::vector<std::vector<bool>> special;  // by digit and value: an odd rank has this value
  for (const Digit& digit : digits_) special.emplace_back(digit.size, false);
  for (std::uint32_t rank = 0; rank < plan_of.size(); ++rank) {
    if (plan_of[rank].get() == common[rank / per_stage]) continue;
    uniform_[rank / per_stage] = false;
    for (std::size_t d = 0; d < digits_.size(); ++d) {
      if (!digits_[d].is_product) special[d].assign(digits_[d].size, true);
      special[d][digits_[d].of(rank)] = true;
    }
  }
  for (std::size_t d = 0; d < digits_.size(); ++d) {
    const auto other = static_cast<std::uint32_t>(
        std::find(special[d].begin(), special[d].end(), false) - special[d].begin());
    for (std::uint32_t value = 0; value < digits_[d].size; ++value) {
      digits_[d].stands_for.push_back(special[d][value] ? value : other);
    }
  }
}

std::uint32_t Fold::representative(std::uint32_t rank) const {
  std::uint32_t first = rank;
  for (const Digit& digit : digits_) {
    const std::uint32_t value = digit.of(rank);
    first -= (value - digit.stands_for[value]) * digit.stride;
  }
  return first;
}

std::vector<std::uint32_t> Fold::representatives() const {
  std::vector<std::uint32_t> ranks;
  for (std::uint32_t rank = 0; rank < world_size_; ++rank) {
    if (representative(rank) == rank) ranks.push_back(rank);
  }
  return ranks;
}

}  // namespace megascale::plan
