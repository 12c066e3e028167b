// Reads loads of experts from a description, and says what they cost.
#include "megascale/study/forecast/expert_loads.h"

#include <fmt/format.h>

#include <filesystem>
#include <string_view>
#include <vector>

#include "megascale/base/error.h"
#include "megascale/base/files.h"
#include "megascale/base/numbers.h"
#include "megascale/config/derived.h"
#include "megascale/study/forecast/recorded_loads.h"

namespace megascale::study {
namespace {

Error wrong(const std::string& description, std::string_view expected) {
  return Error(ErrorCode::bad_usage,
               fmt::format("--expert-load {}: expected {}", description, expected));
}

std::vector<std::int64_t> routed_layers(const ModelConfig& model) {
  std::vector<std::int64_t> layers;
  for (std::int64_t layer = 0; layer < model.num_layers; ++layer) {
    if (has_experts(model, layer)) layers.push_back(layer);
  }
  return layers;
}

// Returns the loads before choices are dropped.
simulate::ExpertLoads wanted_loads(const std::string& description, const Config& config) {
  const ModelConfig& model = config.model;
  if (model.moe.num_experts == 0) throw wrong(description, "a model with experts ([moe])");
  constexpr std::string_view kZipf = "zipf:";
  if (description.rfind(kZipf, 0) == 0) {
    const auto exponent = parse_number<double>(std::string_view(description).substr(kZipf.size()));
    if (!exponent || !(*exponent >= 0 && *exponent <= 10))
      throw wrong(description, "zipf:S with an exponent from 0 to 10");
    return simulate::zipf_loads(*exponent, routed_layers(model), model.moe.num_experts,
                                model.moe.router_topk);
  }
  if (!std::filesystem::exists(description))
    throw wrong(description, "even, zipf:S, or the metrics file of a run");
  return parse_recorded_loads(read_text(description), "--expert-load " + description, model);
}

}  // namespace

simulate::ExpertLoads expert_loads(const std::string& description, const Config& config) {
  if (description.empty() || description == "even") return {};
  simulate::ExpertLoads loads = wanted_loads(description, config);
  const MoeConfig& moe = config.model.moe;
  if (moe.expert_capacity_factor == 0) return loads;
  return simulate::drop_loads(std::move(loads), {.groups = capacity_groups(moe),
                                                 .factor = moe.expert_capacity_factor,
                                                 .exempt = moe.capacity_exempt_share});
}

ImbalanceCost imbalance_cost(const SimulatedStep& uneven, const SimulatedStep& even,
                             const simulate::ExpertLoads& loads, std::int64_t expert_ranks) {
  ImbalanceCost cost{.even_step_seconds = even.seconds,
                     .lost_seconds = uneven.seconds - even.seconds,
                     .share = (uneven.seconds - even.seconds) / uneven.seconds};
  for (const auto& [layer, of_layer] : loads.by_layer) {
    const double busiest = loads.of_busiest_rank(layer, static_cast<std::uint32_t>(expert_ranks));
    if (busiest <= cost.busiest) continue;
    cost.busiest = busiest;
    cost.layer = layer;
  }
  return cost;
}

}  // namespace megascale::study
