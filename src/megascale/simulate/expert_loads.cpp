// Loads of experts in a simulation. Rows that arrive at experts are the counted dimensions with a
// mean (graph::Dim::mean) that do not leave this rank. A load changes this mean, and with it bytes and
// FLOPs. All pieces of a rank's experts get the load of the rank.
#include "megascale/simulate/expert_loads.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>

#include "megascale/base/error.h"
#include "megascale/base/numbers.h"
#include "megascale/base/philox.h"

namespace megascale::simulate {
namespace {

// Returns the layer of a scope ("layer7"); nothing for other scopes.
std::optional<std::int64_t> layer_of(std::string_view scope) {
  constexpr std::string_view kPrefix = "layer";
  if (scope.substr(0, kPrefix.size()) != kPrefix) return std::nullopt;
  return parse_number<std::int64_t>(scope.substr(kPrefix.size()));
}

template <class Tensor>
bool holds_arriving_rows(const Tensor& tensor) {
  return tensor && !tensor->shape.empty() && tensor->shape[0].mean != 0 &&
         !tensor->shape[0].leaving;
}

bool has_arriving_rows(const plan::PlanOp& op) {
  return std::any_of(op.tensors.begin(), op.tensors.end(),
                     [](const auto& tensor) { return holds_arriving_rows(tensor); });
}

// Cuts loads, which descend, to a share of 1 / `choices` of their sum each. The others grow by one
// factor, so that the sum stays. The loop ends: after `choices` - 1 cuts one share is left for all
// other loads.
void cut_to_one_choice(std::vector<double>& loads, std::int64_t choices) {
  double rest = std::accumulate(loads.begin(), loads.end(), 0.0);
  const double most = rest / static_cast<double>(choices);
  double left = rest;  // for the loads that are not cut
  std::size_t cut = 0;
  for (; cut < loads.size() && loads[cut] * left > most * rest; ++cut) {
    rest = std::accumulate(loads.begin() + static_cast<std::ptrdiff_t>(cut) + 1, loads.end(), 0.0);
    left -= most;
    loads[cut] = most;
  }
  if (cut == 0) return;
  for (std::size_t i = cut; i < loads.size(); ++i) loads[i] *= left / rest;
}

}  // namespace

double ExpertLoads::of_rank(std::int64_t layer, std::uint32_t rank, std::uint32_t ranks) const {
  const auto found = by_layer.find(layer);
  if (found == by_layer.end()) return 1;
  const std::vector<double>& loads = found->second;
  const std::size_t own = loads.size() / ranks;
  MEGASCALE_CHECK(own * ranks == loads.size(), "expert ranks divide the experts");
  const auto before = before_dropping.find(layer);
  const double all = before != before_dropping.end()
                         ? before->second
                         : std::accumulate(loads.begin(), loads.end(), 0.0);
  if (all == 0) return 1;
  const auto first = loads.begin() + static_cast<std::ptrdiff_t>(own * rank);
  return std::accumulate(first, first + static_cast<std::ptrdiff_t>(own), 0.0) / all * ranks;
}

double ExpertLoads::of_busiest_rank(std::int64_t layer, std::uint32_t ranks) const {
  double largest = 0;
  for (std::uint32_t rank = 0; rank < ranks; ++rank)
    largest = std::max(largest, of_rank(layer, rank, ranks));
  return largest;
}

ExpertLoads zipf_loads(double exponent, const std::vector<std::int64_t>& layers,
                       std::int64_t experts, std::int64_t choices) {
  MEGASCALE_CHECK(choices >= 1 && choices <= experts, "a token chooses different experts");
  ExpertLoads loads;
  if (exponent == 0) return loads;
  std::vector<double> descending;
  for (std::int64_t place = 1; place <= experts; ++place)
    descending.push_back(std::pow(static_cast<double>(place), -exponent));
  cut_to_one_choice(descending, choices);
  for (const std::int64_t layer : layers) {
    // The experts in the order of random numbers.
    const PhiloxStream random(static_cast<std::uint64_t>(layer), "expert loads");
    std::vector<std::pair<std::uint64_t, std::size_t>> order;
    for (std::size_t e = 0; e < static_cast<std::size_t>(experts); ++e) {
      order.emplace_back(random.bits(e), e);
    }
    std::sort(order.begin(), order.end());
    std::vector<double>& of_layer = loads.by_layer[layer];
    of_layer.resize(order.size());
    for (std::size_t place = 0; place < order.size(); ++place)
      of_layer[order[place].second] = descending[place];
  }
  return loads;
}

ExpertLoads drop_loads(ExpertLoads loads, const CapacityLimit& limit) {
  const auto groups = static_cast<std::size_t>(limit.groups);
  for (auto& [layer, of_layer] : loads.by_layer) {
    const std::size_t experts = of_layer.size() / groups;
    MEGASCALE_CHECK(experts * groups == of_layer.size(), "groups divide the experts");
    const double all = std::accumulate(of_layer.begin(), of_layer.end(), 0.0);
    const double capacity = limit.factor * all / static_cast<double>(groups);
    for (std::size_t g = 0; g < groups; ++g) {
      const auto begin = of_layer.begin() + static_cast<std::ptrdiff_t>(g * experts);
      const auto end = begin + static_cast<std::ptrdiff_t>(experts);
      const double wanted = std::accumulate(begin, end, 0.0);
      const double kept = std::max(limit.exempt * wanted, std::min(wanted, capacity));
      if (kept >= wanted) continue;
      loads.before_dropping[layer] = all;
      for (auto load = begin; load != end; ++load) *load *= kept / wanted;
    }
  }
  return loads;
}

plan::PlanOp with_load(const plan::PlanOp& op, const ExpertLoads& loads,
                       const graph::AxisSizes& axes, const graph::Coordinates& coordinates) {
  const auto layer = layer_of(op.scope);
  plan::PlanOp loaded = op;
  if (loads.are_even() || !layer || !has_arriving_rows(op)) return loaded;
  const double load =
      loads.of_rank(*layer, coordinates[static_cast<std::size_t>(graph::Axis::expert)],
                    axes[graph::Axis::expert]);
  for (auto& tensor : loaded.tensors) {
    if (!holds_arriving_rows(tensor)) continue;
    graph::Dim& rows = tensor->shape[0];
    // A mean of 0 would stand for the bound.
    rows.mean =
        std::clamp<std::int64_t>(std::llround(load * static_cast<double>(rows.mean)), 1, rows.size);
  }
  loaded.cost.flops *= load;
  return loaded;
}

}  // namespace megascale::simulate
