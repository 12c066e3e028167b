// Evaluates the records of a step's routing. Loads are counts in float64, so they are exact.
#include "megascale/train/routing_metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <string>

#include "megascale/config/derived.h"
#include "megascale/graph/ops/grouped_products.h"

namespace megascale::train {
namespace {

// Returns the largest element relative to the mean; 0 if all are 0.
double to_mean(std::span<const std::int64_t> loads) {
  const auto sum =
      static_cast<double>(std::accumulate(loads.begin(), loads.end(), std::int64_t{0}));
  if (sum == 0) return 0;
  return static_cast<double>(*std::max_element(loads.begin(), loads.end())) *
         static_cast<double>(loads.size()) / sum;
}

// Returns the loads of equal parts of consecutive experts.
std::vector<std::int64_t> by_rank(std::span<const std::int64_t> loads, std::size_t ranks) {
  std::vector<std::int64_t> sums(ranks);
  for (std::size_t e = 0; e < loads.size(); ++e) sums[e * ranks / loads.size()] += loads[e];
  return sums;
}

// Returns the seconds of the grouped products by scope.
std::map<std::string, double> product_seconds(const plan::StepPlan& plan,
                                              std::span<const TaskRecord> times) {
  std::map<std::string, double> seconds;
  for (std::size_t id = 0; id < times.size(); ++id) {
    const plan::PlanOp& op = plan.op(plan.tasks()[id]);
    if (graph::is_grouped_product(*op.def))
      seconds[op.scope] += static_cast<double>(times[id].done_ns - times[id].start_ns) * 1e-9;
  }
  return seconds;
}

}  // namespace

double RoutingMetrics::worst_imbalance() const noexcept {
  return imbalance.empty() ? 0 : *std::max_element(imbalance.begin(), imbalance.end());
}

double RoutingMetrics::dropped_share() const noexcept {
  std::int64_t all = 0;
  for (const auto& layer : loads) all = std::accumulate(layer.begin(), layer.end(), all);
  const std::int64_t lost = std::accumulate(dropped.begin(), dropped.end(), std::int64_t{0});
  return all == 0 ? 0 : static_cast<double>(lost) / static_cast<double>(all);
}

bool RoutingMetrics::writes_loads(std::int64_t step) const noexcept {
  std::int64_t numbers = 0;
  for (const auto& layer : loads) numbers += static_cast<std::int64_t>(layer.size());
  return step % std::max<std::int64_t>(1, (numbers + kLoadsPerLine - 1) / kLoadsPerLine) == 0;
}

RoutingMetrics routing_metrics(const Config& config, const engine::StepResult& step,
                               const plan::StepPlan& plan, std::uint32_t expert_rank) {
  std::span<const double> records =
      std::span(step.recorded).first(static_cast<std::size_t>(routing_records(config.model)));
  const auto experts = static_cast<std::size_t>(config.model.moe.num_experts);
  const auto ranks = static_cast<std::size_t>(config.parallel.expert_model_parallel_size);
  const auto counted = static_cast<double>(step.valid_tokens);
  const auto products = product_seconds(plan, step.records);
  RoutingMetrics result;
  double longer = 0;
  for (std::int64_t layer = 0; layer < config.model.num_layers; ++layer) {
    if (!has_experts(config.model, layer)) continue;
    const auto record = [&](RoutingRecord which) {
      return records[experts + static_cast<std::size_t>(which)];
    };
    std::vector<std::int64_t> loads;
    for (std::size_t e = 0; e < experts; ++e)
      loads.push_back(static_cast<std::int64_t>(records[e]));
    result.layers.push_back(layer);
    result.dropped.push_back(static_cast<std::int64_t>(record(RoutingRecord::dropped)));
    result.aux_loss.push_back(record(RoutingRecord::aux_loss) / counted);
    result.z_loss.push_back(record(RoutingRecord::z_loss) / counted);
    result.imbalance.push_back(to_mean(loads));
    const std::vector<std::int64_t> rank_loads = by_rank(loads, ranks);
    result.rank_imbalance.push_back(to_mean(rank_loads));
    // The time grows with the rows: this rank's time tells that of the largest load and of the mean.
    const auto own = products.find(fmt::format("layer{}", layer));
    if (own != products.end() && rank_loads[expert_rank] > 0) {
      const auto sum = static_cast<double>(
          std::accumulate(rank_loads.begin(), rank_loads.end(), std::int64_t{0}));
      const double mean = own->second * sum / static_cast<double>(ranks) /
                          static_cast<double>(rank_loads[expert_rank]);
      longer += mean * (result.rank_imbalance.back() - 1);
    }
    result.loads.push_back(std::move(loads));
    records = records.subspan(experts + kRoutingRecords);
  }
  result.imbalance_share = step.seconds > 0 ? std::min(1.0, longer / step.seconds) : 0;
  return result;
}

}  // namespace megascale::train
