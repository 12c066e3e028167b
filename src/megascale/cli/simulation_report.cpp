// Formats a simulated step, the effect of jitter, and the cost of slow nodes.
#include "megascale/cli/simulation_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "megascale/config/derived.h"

namespace megascale::cli {

void print(const study::SimulatedStep& step, const simulate::Cluster& cluster,
           const Config& config) {
  fmt::print("cluster    {}: {} devices in {} nodes\n", cluster.name, step.world_size, step.nodes);
  fmt::print("step       {:.3f} s, {:.0f} tokens/s\n", step.seconds,
             static_cast<double>(tokens_per_step(config)) / step.seconds);
  fmt::print("mfu        {:.3f}, mfu_megatron {:.3f}, hfu {:.3f} of {} TFLOP/s ({})\n",
             step.of_peak(step.flops.model), step.of_peak(step.flops.megatron),
             step.of_peak(step.flops.executed), step.peak_flops * 1e-12,
             to_string(step.flops.dtype()));
  fmt::print("memory     {:.2f} of {:.0f} GiB planned on the largest rank: {}\n",
             static_cast<double>(step.arena_nbytes) / (1U << 30U), cluster.device.memory_gib,
             step.fits ? "fits" : "DOES NOT FIT");
  fmt::print("simulated  {} ranks that represent {}, {} steps{}, {} tasks in {:.2f} s\n",
             step.simulated_ranks, step.world_size, step.seconds_by_step.size(),
             step.jitter.sigma == 0 ? "" : fmt::format(" with jitter of {:.3g}", step.jitter.sigma),
             step.tasks, step.wall_seconds);
  fmt::print("\n{:>5} {:>7} {:>7} {:>6} {:>10} {:>10} {:>10} {:>9}\n", "stage", "ranks", "first",
             "speed", "compute s", "exposed s", "bubble s", "computes");
  for (const study::SimulatedRanks& ranks : step.ranks) {
    fmt::print("{:>5} {:>7} {:>7} {:>6.2f} {:>10.4f} {:>10.4f} {:>10.4f} {:>8.1f}%\n", ranks.stage,
               ranks.count, ranks.rank, ranks.speed, ranks.busy_seconds,
               ranks.idle.exposed_comm_seconds, ranks.idle.bubble_seconds,
               100 * ranks.busy_seconds / step.seconds);
  }
}

nlohmann::ordered_json to_json(const study::SimulatedStep& step, const Config& config) {
  nlohmann::ordered_json json{
      {"step_seconds", step.seconds},
      {"seconds_by_step", step.seconds_by_step},
      {"tokens_per_second", static_cast<double>(tokens_per_step(config)) / step.seconds},
      {"flops_per_step", step.flops.model},
      {"mfu", step.of_peak(step.flops.model)},
      {"mfu_megatron", step.of_peak(step.flops.megatron)},
      {"hfu", step.of_peak(step.flops.executed)},
      {"peak_flops", step.peak_flops},
      {"world_size", step.world_size},
      {"simulated_ranks", step.simulated_ranks},
      {"tasks", step.tasks},
      {"simulation_seconds", step.wall_seconds},
      {"exposed_comm_seconds", step.mean(&observe::IdleTime::exposed_comm_seconds)},
      {"bubble_seconds", step.mean(&observe::IdleTime::bubble_seconds)},
      {"bubble_share", step.mean(&observe::IdleTime::bubble_seconds) / step.seconds},
      {"memory_bytes", step.arena_nbytes},
      {"fits", step.fits}};
  for (const study::SimulatedRanks& ranks : step.ranks) {
    nlohmann::ordered_json line{{"rank", ranks.rank},
                                {"count", ranks.count},
                                {"stage", ranks.stage},
                                {"speed", ranks.speed},
                                {"compute_seconds", ranks.busy_seconds},
                                {"exposed_comm_seconds", ranks.idle.exposed_comm_seconds},
                                {"bubble_seconds", ranks.idle.bubble_seconds}};
    for (const observe::OpTime& op : ranks.ops) line["seconds_by_op"][op.op] = op.seconds;
    json["ranks"].push_back(std::move(line));
  }
  return json;
}

void print(const study::JitterEffect& effect) {
  fmt::print(
      "jitter     sigma {}, seed {}: median {:.4f} s, {:.4f} to {:.4f} s in {} steps; {:.4f} times "
      "the {:.4f} s without it\n",
      effect.jitter.sigma, effect.jitter.seed, effect.seconds.median, effect.seconds.min,
      effect.seconds.max, effect.steps, effect.ratio(), effect.even_step_seconds);
}

nlohmann::ordered_json to_json(const study::JitterEffect& effect) {
  return {{"sigma", effect.jitter.sigma},
          {"seed", effect.jitter.seed},
          {"steps", effect.steps},
          {"median_seconds", effect.seconds.median},
          {"min_seconds", effect.seconds.min},
          {"max_seconds", effect.seconds.max},
          {"even_step_seconds", effect.even_step_seconds},
          {"ratio", effect.ratio()}};
}

void print(const study::SlowNodeCost& cost) {
  fmt::print("slow nodes lost {:.4f} s a step ({:.1f} %): {:.4f} s without them\n",
             cost.lost_seconds, 100 * cost.lost_share(), cost.even_step_seconds);
  if (const auto share = cost.reaches_step_share()) {
    fmt::print("           rank {} computes {:.4f} s longer; {:.1f} % of that reach the step\n",
               cost.rank, cost.extra_compute_seconds, 100 * *share);
  }
}

nlohmann::ordered_json to_json(const study::SlowNodeCost& cost) {
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

void print(const study::ImbalanceCost& cost) {
  fmt::print("imbalance  {:.1f} % of the step ({:.4f} s): {:.4f} s with equal loads of experts\n",
             100 * cost.share, cost.lost_seconds, cost.even_step_seconds);
}

nlohmann::ordered_json to_json(const study::ImbalanceCost& cost) {
  return {{"even_step_seconds", cost.even_step_seconds},
          {"lost_seconds", cost.lost_seconds},
          {"share", cost.share},
          {"busiest_rank", cost.busiest},
          {"layer", cost.layer}};
}

}  // namespace megascale::cli
