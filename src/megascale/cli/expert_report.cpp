// Prints numbers that follow from the configuration, the active parameters of the plans, and loads.
#include "megascale/cli/expert_report.h"

#include <fmt/format.h>

#include <cmath>

#include "megascale/config/derived.h"
#include "megascale/study/forecast/dispatch_choice.h"

namespace megascale::cli {
namespace {

// Forward, of one rank, layer and micro-batch.
struct DispatchFacts {
  std::int64_t ranks = 1;
  bool gathers = false;
  double alltoall_nbytes = 0, allgather_nbytes = 0;
};

DispatchFacts dispatch_facts(const Config& config) {
  const MoeConfig& moe = config.model.moe;
  const std::int64_t ranks = config.parallel.expert_model_parallel_size;
  const std::int64_t tokens = expert_rows(config).sent / moe.router_topk;
  const DispatchVolume rows = dispatch_volume(moe, tokens, ranks);
  const double row_nbytes = study::dispatched_row_nbytes(config.model);
  return {ranks, gathers_tokens(moe, ranks), rows.alltoall * row_nbytes,
          rows.allgather * row_nbytes};
}

}  // namespace

void print_experts(const Config& config, const job::JobPlan& job) {
  const MoeConfig& moe = config.model.moe;
  if (moe.num_experts == 0) return;
  const ExpertRows rows = expert_rows(config);
  const auto multiple = [&](std::int64_t of) {
    return static_cast<double>(of) / static_cast<double>(rows.mean);
  };
  fmt::print("experts     {} in {} of the layers, {} for a token: {} parameters are active\n",
             moe.num_experts, layers_with_experts(config.model), moe.router_topk,
             job.active_parameter_count(moe));
  fmt::print(
      "rows        of a layer and micro-batch at a rank's experts: mean {}, at most {} "
      "({:.2f} x), memory for {} ({:.2f} x)\n",
      rows.mean, rows.worst, multiple(rows.worst), rows.bound, multiple(rows.bound));
  const DispatchFacts facts = dispatch_facts(config);
  if (facts.ranks > 1)
    fmt::print(
        "dispatch    by {}{}: a rank sends {:.2f} MiB by alltoall or {:.2f} MiB by allgather in a "
        "layer and micro-batch, there and back\n",
        facts.gathers ? "allgather" : "alltoall",
        moe.token_dispatcher_type == TokenDispatcher::automatic ? " (auto)" : "",
        facts.alltoall_nbytes / (1 << 20), facts.allgather_nbytes / (1 << 20));
}

void add_experts(const Config& config, const job::JobPlan& job, nlohmann::ordered_json& json) {
  const MoeConfig& moe = config.model.moe;
  if (moe.num_experts == 0) return;
  const ExpertRows rows = expert_rows(config);
  json["active_parameters"] = job.active_parameter_count(moe);
  json["expert_rows"] = {{"mean", rows.mean}, {"worst", rows.worst}, {"bound", rows.bound}};
  const DispatchFacts facts = dispatch_facts(config);
  json["dispatch"] = {{"type", facts.gathers ? "allgather" : "alltoall"},
                      {"alltoall_bytes", facts.alltoall_nbytes},
                      {"allgather_bytes", facts.allgather_nbytes}};
}

void show_expert_loads(std::string_view label, const Config& config,
                       const simulate::ExpertLoads& loads, nlohmann::ordered_json& json) {
  const ExpertRows rows = expert_rows(config);
  const auto ranks = static_cast<std::uint32_t>(config.parallel.expert_model_parallel_size);
  double busiest = 1;
  std::int64_t layer = 0, above = 0;
  const auto mean = static_cast<double>(rows.mean), bound = static_cast<double>(rows.bound) / mean;
  for (const auto& [number, of_layer] : loads.by_layer) {
    const double load = loads.of_busiest_rank(number, ranks);
    // Whole rows, since a rank that gets all rows that it can has a load of the bound but for rounding.
    if (std::llround(load * mean) > rows.bound) ++above;
    if (load > busiest) {
      busiest = load;
      layer = number;
    }
  }
  fmt::print(
      "{}at most {:.2f} x the mean rows of an expert rank, in layer {}; memory is for {:.2f} x{}\n",
      label, busiest, layer, bound,
      above == 0 ? "" : fmt::format(": too little in {} layers", above));
  json["expert_loads"] = {
      {"busiest_rank", busiest}, {"layer", layer}, {"bound", bound}, {"layers_above_bound", above}};
}

}  // namespace megascale::cli
