#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <thread>

#include "megascale/base/error.h"
#include "megascale/cli/command.h"
#include "megascale/cli/compare_run.h"
#include "megascale/cli/jitter_effect.h"
#include "megascale/cli/simulated_step.h"
#include "megascale/cli/slow_node_cost.h"
#include "megascale/cli/training_forecast.h"
#include "megascale/config/derived.h"

namespace megascale::cli {
namespace {

struct SimulateArguments {
  ConfigArguments config;
  std::filesystem::path cluster;
  std::vector<std::string> slow_nodes;  // NODE=SPEED
  std::optional<double> jitter;         // sigma
  std::optional<std::int64_t> seed;
  FailureArguments failures;
  std::filesystem::path compare;
  std::uint32_t last = 0;
  SimulatedStepOptions options{.threads = std::max(1U, std::thread::hardware_concurrency())};
};

// By node: how fast its devices are, where that is not 1. Appends to `errors`.
std::map<std::int64_t, double> parse_slow_nodes(const std::vector<std::string>& arguments,
                                                std::int64_t nodes, std::vector<Error>& errors) {
  std::map<std::int64_t, double> speeds;
  for (const std::string& argument : arguments) {
    std::int64_t node = -1;
    double speed = 0;
    char rest = 0;
    if (std::sscanf(argument.c_str(), "%ld=%lf%c", &node, &speed, &rest) != 2 || node < 0 ||
        node >= nodes || !(speed > 0 && speed <= 100)) {
      errors.emplace_back(
          ErrorCode::bad_usage,
          fmt::format("--slow-node {}: expected NODE=SPEED, a node from 0 to {} and a "
                      "speed above 0 (0.9: 10 % slower)",
                      argument, nodes - 1));
      continue;
    }
    speeds[node] = speed;
  }
  return speeds;
}

// Of --jitter and of failures. Appends to `errors`.
std::uint64_t parse_seed(const SimulateArguments& arguments, std::vector<Error>& errors) {
  if (!arguments.seed) return 0;
  const auto wrong = [&](std::string_view expected) {
    errors.emplace_back(ErrorCode::bad_usage,
                        fmt::format("--seed {}: {}", *arguments.seed, expected));
  };
  if (!arguments.jitter && !arguments.failures.failures_per_node_day)
    wrong("nothing is random here; expected --jitter or --failures-per-node-day beside it");
  if (*arguments.seed < 0) wrong("expected a whole number from 0");
  return static_cast<std::uint64_t>(*arguments.seed);
}

// Appends to `errors`.
double parse_jitter(const SimulateArguments& arguments, std::vector<Error>& errors) {
  const double sigma = arguments.jitter.value_or(0);
  if (!(sigma >= 0 && sigma <= simulate::Jitter::kMostSigma)) {
    errors.emplace_back(ErrorCode::bad_usage,
                        fmt::format("--jitter {}: expected a standard deviation of the logarithm "
                                    "from 0 to {} (0.02: about 2 % of a task's time)",
                                    sigma, simulate::Jitter::kMostSigma));
  }
  return sigma;
}

void print(const SimulatedStep& step, const simulate::Cluster& cluster, const Config& config) {
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
  fmt::print("simulated  {} ranks that stand for {}, {} steps{}, {} tasks in {:.2f} s\n",
             step.simulated_ranks, step.world_size, step.seconds_by_step.size(),
             step.jitter.sigma == 0 ? "" : fmt::format(" with jitter of {:.3g}", step.jitter.sigma),
             step.tasks, step.wall_seconds);
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
  std::vector<Error> errors;
  SimulatedStepOptions& options = arguments.options;
  options.slow_nodes = parse_slow_nodes(arguments.slow_nodes, nodes, errors);
  const simulate::Jitter asked{.sigma = parse_jitter(arguments, errors),
                               .seed = parse_seed(arguments, errors)};
  if (arguments.jitter) options.jitter = asked;
  arguments.failures.check(nodes, errors);
  if (!errors.empty()) throw join_errors(errors);
  options.keeps_records = !arguments.compare.empty();
  const StepSimulator simulator(config, cluster);
  const SimulatedStep step = simulator.run(options);
  std::optional<observe::RunRecords> measured;
  if (!arguments.compare.empty()) measured = observe::read_run(arguments.compare, step.plans);
  print(step, cluster, config);
  Outcome outcome{.json = to_json(step, config)};
  // What follows is held against steps without jitter, of classes: bit for bit those of all ranks.
  SimulatedStepOptions without{.slow_nodes = options.slow_nodes,
                               .steps = options.steps,
                               .threads = options.threads,
                               .jitter = simulate::Jitter{}};
  const SimulatedStep steady = step.jitter.sigma == 0 ? step : simulator.run(without);
  if (arguments.jitter || !options.slow_nodes.empty() || arguments.failures.any()) fmt::print("\n");
  if (arguments.jitter) {
    const JitterEffect effect = jitter_effect(step, steady);
    print(effect);
    outcome.json["jitter"] = to_json(effect);
  }
  if (!options.slow_nodes.empty()) {
    without.slow_nodes.clear();
    const SlowNodeCost cost = slow_node_cost(steady, simulator.run(without));
    print(cost);
    outcome.json["slow_nodes"] = to_json(cost);
  }
  if (arguments.failures.any()) {
    const TrainingForecast forecast =
        forecast_training(arguments.failures, step.seconds, nodes, asked.seed);
    print(forecast);
    outcome.json["training"] = to_json(forecast);
  }
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
                 "NODE=SPEED: the devices of a node run at that share of their speed; says what it "
                 "costs");
  command.option("--jitter", arguments->jitter,
                 "SIGMA: every task of a compute lane takes its time by a log-normal factor of "
                 "mean 1; simulates every rank, as --unfolded");
  command.option("--seed", arguments->seed, "of --jitter and of failures (0 without it)");
  command
      .option(
          "--steps", arguments->options.steps,
          "steps in a row; the last one is reported, with jitter all but the first (3; 17 with a "
          "cluster's own jitter)")
      .between(1, 1000);
  arguments->failures.add_to(command);
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
