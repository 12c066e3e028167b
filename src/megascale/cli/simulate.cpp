// `megascale simulate`: predicts a step of a job on a described cluster. Options add what jitter,
// slow nodes and failures cost, or compare the prediction with a run. These costs are differences
// to a second simulation without the effect.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <thread>

#include "megascale/base/error.h"
#include "megascale/cli/command.h"
#include "megascale/cli/comparison_report.h"
#include "megascale/cli/expert_load_argument.h"
#include "megascale/cli/expert_report.h"
#include "megascale/cli/failure_arguments.h"
#include "megascale/cli/forecast_report.h"
#include "megascale/cli/simulation_report.h"
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
  ExpertLoadArgument expert_load;
  std::filesystem::path compare;
  std::uint32_t last = 0;
  study::SimulatedStepOptions options{.threads = std::max(1U, std::thread::hardware_concurrency())};
};

// Parses --slow-node and returns the speed of the devices of each named node. Appends to `errors`.
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

// Returns the seed for jitter and failures. Appends to `errors`.
std::uint64_t parse_seed(const SimulateArguments& arguments, std::vector<Error>& errors) {
  if (!arguments.seed) return 0;
  const auto wrong = [&](std::string_view expected) {
    errors.emplace_back(ErrorCode::bad_usage,
                        fmt::format("--seed {}: {}", *arguments.seed, expected));
  };
  if (!arguments.jitter && !arguments.failures.failures_per_node_day)
    wrong("has no effect; expected --jitter or --failures-per-node-day with it");
  if (*arguments.seed < 0) wrong("expected a whole number from 0");
  return static_cast<std::uint64_t>(*arguments.seed);
}

// Returns sigma of --jitter, or 0. Appends to `errors`.
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

Outcome run(SimulateArguments& arguments) {
  const Config config = arguments.config.load();
  say_full_batch(config);
  const simulate::Cluster cluster = simulate::load_cluster(arguments.cluster);
  const std::int64_t nodes =
      (world_size(config) + cluster.devices_per_node - 1) / cluster.devices_per_node;
  std::vector<Error> errors;
  study::SimulatedStepOptions& options = arguments.options;
  options.slow_nodes = parse_slow_nodes(arguments.slow_nodes, nodes, errors);
  const simulate::Jitter asked{.sigma = parse_jitter(arguments, errors),
                               .seed = parse_seed(arguments, errors)};
  if (arguments.jitter) options.jitter = asked;
  try {
    options.expert_loads = arguments.expert_load.loads(config);
  } catch (const Error& error) {
    errors.push_back(error);
  }
  arguments.failures.check(nodes, errors);
  if (!errors.empty()) throw join_errors(errors);
  options.keeps_records = !arguments.compare.empty();
  const study::StepSimulator simulator(config, cluster);
  const study::SimulatedStep step = simulator.run(options);
  std::optional<observe::RunRecords> measured;
  if (!arguments.compare.empty()) measured = observe::read_run(arguments.compare, step.plans);
  print(step, cluster, config);
  Outcome outcome{.json = to_json(step, config)};
  // The costs below are differences to a step without jitter. It is simulated with one rank of each
  // class, which gives the same bits as all ranks.
  study::SimulatedStepOptions without{.slow_nodes = options.slow_nodes,
                                      .steps = options.steps,
                                      .threads = options.threads,
                                      .jitter = simulate::Jitter{},
                                      .expert_loads = options.expert_loads};
  const study::SimulatedStep steady = step.jitter.sigma == 0 ? step : simulator.run(without);
  const bool has_loads = arguments.expert_load.is_given();
  if (arguments.jitter || !options.slow_nodes.empty() || arguments.failures.any() || has_loads)
    fmt::print("\n");
  if (arguments.jitter) {
    const study::JitterEffect effect = study::jitter_effect(step, steady);
    print(effect);
    outcome.json["jitter"] = to_json(effect);
  }
  if (has_loads) {
    study::SimulatedStepOptions even = without;
    even.expert_loads = {};
    const study::ImbalanceCost cost =
        study::imbalance_cost(steady, simulator.run(even), options.expert_loads,
                              config.parallel.expert_model_parallel_size);
    print(cost);
    outcome.json["imbalance"] = to_json(cost);
    show_expert_loads("           ", config, options.expert_loads, outcome.json);
  }
  if (!options.slow_nodes.empty()) {
    without.slow_nodes.clear();
    const study::SlowNodeCost cost = study::slow_node_cost(steady, simulator.run(without));
    print(cost);
    outcome.json["slow_nodes"] = to_json(cost);
  }
  if (arguments.failures.any()) {
    const study::TrainingForecast forecast =
        study::forecast_training(arguments.failures.assumptions(), step.seconds, nodes, asked.seed);
    print(forecast);
    outcome.json["training"] = to_json(forecast);
  }
  if (measured) {
    outcome.json["compared"] =
        print_comparison(study::compare_with_run(step, *measured, arguments.last), step.world_size);
  }
  return outcome;
}

}  // namespace

void add_simulate(Command& app) {
  const auto arguments = std::make_shared<SimulateArguments>();
  Command command =
      app.subcommand("simulate", "predicts a step of the job's plan on a described cluster");
  arguments->config.add_to(command);
  command.option("--cluster", arguments->cluster, "cluster description (clusters/*.toml)")
      .required();
  command.option("--slow-node", arguments->slow_nodes,
                 "NODE=SPEED: the devices of this node run at that share of their speed; the cost "
                 "is reported");
  command.option("--jitter", arguments->jitter,
                 "SIGMA: multiplies the time of every compute task by a log-normal factor of mean "
                 "1; simulates every rank, like --unfolded");
  command.option("--seed", arguments->seed, "seed of --jitter and of failures (default 0)");
  command
      .option("--steps", arguments->options.steps,
              "consecutive steps; the last one is reported, with jitter the median of all but the "
              "first (default 3; 17 if the cluster file has jitter)")
      .between(1, 1000);
  arguments->expert_load.add_to(
      command, "the share of the step that imbalance costs is reported; simulates every rank");
  arguments->failures.add_to(command);
  command
      .option("--threads", arguments->options.threads,
              "most threads to use; the result does not depend on it")
      .positive()
      .shows_default();
  command.flag("--unfolded", arguments->options.unfolded,
               "simulate every rank, not one of each class");
  command.option("--keep", arguments->options.keep_dir,
                 "directory for the records of the last step, for megascale trace and serve");
  command.option("--compare", arguments->compare,
                 "run directory of train or bench step --keep with the same plans: prints "
                 "predicted and measured times");
  command
      .option("--last", arguments->last,
              "compare only this many last steps of the run (default: all)")
      .positive();
  command.does([arguments] { return run(*arguments); });
}

}  // namespace megascale::cli
