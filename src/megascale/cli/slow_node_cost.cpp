#include "megascale/cli/slow_node_cost.h"

#include <fmt/format.h>

#include <algorithm>

namespace megascale::cli {

std::optional<double> SlowNodeCost::reaches_step_share() const noexcept {
  if (extra_compute_seconds <= 0) return std::nullopt;
  return lost_seconds / extra_compute_seconds;
}

SlowNodeCost slow_node_cost(const SimulatedStep& slow, const SimulatedStep& even) {
  SlowNodeCost cost{.even_step_seconds = even.seconds, .lost_seconds = slow.seconds - even.seconds};
  for (const SimulatedRanks& ranks : slow.ranks) {
    if (ranks.speed == 1) continue;
    const auto alike =
        std::find_if(even.ranks.begin(), even.ranks.end(),
                     [&](const SimulatedRanks& other) { return other.stage == ranks.stage; });
    const double extra = ranks.busy_seconds - alike->busy_seconds;
    if (extra <= cost.extra_compute_seconds) continue;
    cost.extra_compute_seconds = extra;
    cost.rank = ranks.rank;
  }
  return cost;
}

void print(const SlowNodeCost& cost) {
  fmt::print("slow nodes lost {:.4f} s a step ({:.1f} %): {:.4f} s without them\n",
             cost.lost_seconds, 100 * cost.lost_share(), cost.even_step_seconds);
  if (const auto share = cost.reaches_step_share()) {
    fmt::print("           rank {} computes {:.4f} s longer; {:.1f} % of that reach the step\n",
               cost.rank, cost.extra_compute_seconds, 100 * *share);
  }
}

nlohmann::ordered_json to_json(const SlowNodeCost& cost) {
  nlohmann::ordered_json json{{"even_step_seconds", cost.even_step_seconds},
                              {"lost_seconds", cost.lost_seconds},
                              {"lost_share", cost.lost_share()},
                              {"extra_compute_seconds", cost.extra_compute_seconds},
                              {"reaches_step_share", nullptr}};
  if (const auto share = cost.reaches_step_share()) {
    json["reaches_step_share"] = *share;
    json["rank"] = cost.rank;
  }
  return json;
}

}  // namespace megascale::cli
