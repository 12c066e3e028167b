#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <thread>

#include "megascale/base/error.h"
#include "megascale/cli/command.h"
#include "megascale/cli/compare_run.h"
#include "megascale/cli/simulated_step.h"
#include "megascale/config/derived.h"

namespace megascale::cli {
namespace {

struct SimulateArguments {
  ConfigArguments config;
  std::filesystem::path cluster;
  std::vector<std::string> slow_nodes;  // NODE=SPEED
  std::filesystem::path compare;
  std::uint32_t last = 0;
  SimulatedStepOptions options{.threads = std::max(1U, std::thread::hardware_concurrency())};
};

// By node: how fast its devices are, where that is not 1.
std::map<std::int64_t, double> parse_slow_nodes(const std::vector<std::string>& arguments,
                                                std::int64_t nodes) {
  std::map<std::int64_t, double> speeds;
  for (const std::string& argument : arguments) {
    std::int64_t node = -1;
    double speed = 0;
    char rest = 0;
    if (std::sscanf(argument.c_str(), "%ld=%lf%c", &node, &speed, &rest) != 2 || node < 0 ||
        node >= nodes || !(speed > 0 && speed <= 100)) {
      throw Error(ErrorCode::bad_usage,
                  fmt::format("--slow-node {}: expected NODE=SPEED, a node from 0 to {} and a "
                              "speed above 0 (0.9: 10 % slower)",
                              argument, nodes - 1));
    }
    speeds[node] = speed;
  }
  return speeds;
}

void print(const SimulatedStep& step, const simulate::Cluster& cluster, const Config& config,
           std::uint32_t steps) {
  fmt::print("cluster    {}: {} devices in {} nodes\n", cluster.name, step.world_size, step.nodes);
  fmt::print("step       {:.3f} s, {:.0f} tokens/s\n", step.seconds,
             static_cast<double>(tokens_per_step(config)) / step.seconds);
  fmt::print("mfu        {:.3f}, mfu_megatron {:.3f}, hfu {:.3f} of {} TFLOP/s ({})\n",
             step.of_peak(step.flops.model), step.of_peak(step.flops.megatron),
             step.of_peak(step.flops.executed), step.peak_flops * 1e-12,
             config.model.dtype == DType::bfloat16 ? "bfloat16" : "float32");
  fmt::print("memory     {:.2f} of {:.0f} GiB planned on the largest rank: {}\n",
             static_cast<double>(step.arena_nbytes) / (1U << 30U), cluster.device.memory_gib,
             step.fits ? "fits" : "DOES NOT FIT");
  fmt::print("simulated  {} ranks that stand for {}, {} steps, {} tasks in {:.2f} s\n",
             step.simulated_ranks, step.world_size, steps, step.tasks, step.wall_seconds);
  fmt::print("\n{:>5} {:>7} {:>7} {:>6} {:>10} {:>10} {:>10} {:>9}\n", "stage", "ranks", "first",
             "speed", "compute s", "exposed s", "bubble s", "computes");
  for (const SimulatedRanks& ranks : step.ranks) {
    fmt::print("{:>5} {:>7} {:>7} {:>6.2f} {:>10.4f} {:>10.4f} {:>10.4f} {:>8.1f}%\n", ranks.stage,
               ranks.count, ranks.rank, ranks.speed, ranks.busy_seconds,
               ranks.idle.exposed_comm_seconds, ranks.idle.bubble_seconds,
               100 * ranks.busy_seconds / step.seconds);
  }
}

nlohmann::ordered_json to_json(const SimulatedStep& step, const Config& config) {
  nlohmann::ordered_json json{
      {"step_seconds", step.seconds},
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
      {"memory_bytes", step.arena_nbytes},
      {"fits", step.fits}};
  for (const SimulatedRanks& ranks : step.ranks) {
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

Outcome run(SimulateArguments& arguments) {
  const Config config = arguments.config.load();
  const simulate::Cluster cluster = simulate::load_cluster(arguments.cluster);
  const std::int64_t nodes =
      (world_size(config) + cluster.devices_per_node - 1) / cluster.devices_per_node;
  arguments.options.slow_nodes = parse_slow_nodes(arguments.slow_nodes, nodes);
  arguments.options.keeps_records = !arguments.compare.empty();
  const SimulatedStep step = simulate_step(config, cluster, arguments.options);
  std::optional<observe::RunRecords> measured;
  if (!arguments.compare.empty()) measured = observe::read_run(arguments.compare, step.plans);
  print(step, cluster, config, arguments.options.steps);
  Outcome outcome{.json = to_json(step, config)};
  if (measured) outcome.json["compared"] = compare_with_run(step, *measured, arguments.last);
  return outcome;
}

}  // namespace

void add_simulate(Command& app) {
  const auto arguments = std::make_shared<SimulateArguments>();
  Command command =
      app.subcommand("simulate", "how long a step of the same plan takes on a described cluster");
  arguments->config.add_to(command);
  command.option("--cluster", arguments->cluster, "cluster description (clusters/*.toml)")
      .required();
  command.option("--slow-node", arguments->slow_nodes,
                 "NODE=SPEED: the devices of a node run at that share of their speed");
  command.option("--steps", arguments->options.steps, "steps in a row; the last one is reported")
      .between(1, 1000)
      .shows_default();
  command.option("--threads", arguments->options.threads, "at most; they change no result")
      .positive()
      .shows_default();
  command.flag("--unfolded", arguments->options.unfolded,
               "simulate every rank, not one of each class");
  command.option("--keep", arguments->options.keep_dir,
                 "directory for the records of the last step, for megascale trace");
  command.option("--compare", arguments->compare,
                 "run directory (of train, or of bench step --keep) of the same plans: predicted "
                 "beside measured");
  command.option("--last", arguments->last, "of the run's steps compare these only (default: all)")
      .positive();
  command.does([arguments] { return run(*arguments); });
}

}  // namespace megascale::cli
