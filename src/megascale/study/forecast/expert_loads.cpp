// Reads loads of experts from a description, and says what they cost.
#include "megascale/study/forecast/expert_loads.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string_view>
#include <vector>

#include "megascale/base/error.h"
#include "megascale/base/files.h"
#include "megascale/base/numbers.h"
#include "megascale/config/derived.h"

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

// Adds the counts of one line of metrics.jsonl. Returns whether they fit the model.
bool add_counts(const nlohmann::json& routing, const ModelConfig& model,
                simulate::ExpertLoads& loads) {
  const auto layers = routing.at("layers").get<std::vector<std::int64_t>>();
  const auto counts = routing.at("loads").get<std::vector<std::vector<double>>>();
  if (layers.size() != counts.size()) return false;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const auto experts = static_cast<std::size_t>(model.moe.num_experts);
    if (!has_experts(model, layers[i]) || counts[i].size() != experts) return false;
    std::vector<double>& sum = loads.by_layer[layers[i]];
    sum.resize(experts);
    for (std::size_t e = 0; e < experts; ++e) sum[e] += counts[i][e];
  }
  return true;
}

simulate::ExpertLoads recorded_loads(const std::string& file, const ModelConfig& model) {
  simulate::ExpertLoads loads;
  std::istringstream lines(read_text(file));
  for (std::string line; std::getline(lines, line);) {
    bool fits = false;
    try {
      const nlohmann::json parsed = nlohmann::json::parse(line);
      const auto routing = parsed.find("routing");
      fits = routing == parsed.end() || !routing->contains("loads") ||
             add_counts(*routing, model, loads);
    } catch (const nlohmann::json::exception&) {
      fits = false;
    }
    if (!fits) {
      throw wrong(file,
                  fmt::format("lines of a metrics file with the loads of {} experts in layers "
                              "that have experts here, found: {}",
                              model.moe.num_experts, line.substr(0, 200)));
    }
  }
  if (loads.are_even())
    throw wrong(file, "the metrics file of a run with experts, found no line with routing.loads");
  return loads;
}

}  // namespace

namespace {

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
  return recorded_loads(description, model);
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
