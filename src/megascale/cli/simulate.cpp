#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <thread>

#include "megascale/base/clock.h"
#include "megascale/cli/command.h"
#include "megascale/config/derived.h"
#include "megascale/engine/job_plan.h"
#include "megascale/observe/blame.h"
#include "megascale/observe/flops.h"
#include "megascale/observe/time_by_op.h"
#include "megascale/plan/bind.h"
#include "megascale/plan/fold.h"
#include "megascale/simulate/event_engine.h"
#include "megascale/simulate/op_costs.h"

namespace megascale::cli {
namespace {

using PlanPointer = std::shared_ptr<const plan::StepPlan>;

struct SimulateArguments {
  ConfigArguments config;
  std::filesystem::path cluster;
  std::vector<std::string> slow_nodes;  // NODE=SPEED
  std::uint32_t steps = 3;
  std::uint32_t threads = std::max(1U, std::thread::hardware_concurrency());
  bool unfolded = false;
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

// The ranks that are simulated, and whom each of them stands for.
struct SimulatedJob {
  std::vector<plan::VerifiedPlan> plans;
  std::map<std::uint32_t, std::uint32_t> count;  // by simulated rank: ranks it stands for
  simulate::Job job;
};

// `plan_of`: by rank; a slow rank has a copy of its own, and so a class of its own.
SimulatedJob fold(const engine::JobPlan& planned, const std::vector<PlanPointer>& plan_of,
                  const simulate::CostFunction& costs) {
  const plan::Fold classes(planned.grid, plan_of);
  plan::Verification verification = plan::verify_folded(plan_of, planned.grid);
  const std::string wrong = engine::violations({&verification});
  if (!wrong.empty()) throw Error(ErrorCode::failed, wrong);
  SimulatedJob simulated{.plans = std::move(verification.plans)};
  for (std::uint32_t rank = 0; rank < plan_of.size(); ++rank)
    ++simulated.count[classes.representative(rank)];
  simulated.job = simulate::make_job(
      simulated.plans, [&](std::uint32_t rank) { return classes.representative(rank); }, costs);
  return simulated;
}

SimulatedJob all_ranks(const engine::JobPlan& planned, const simulate::CostFunction& costs) {
  SimulatedJob simulated;
  for (std::uint32_t rank = 0; rank < planned.grid.world_size(); ++rank) {
    simulated.plans.push_back(planned.plan_of(rank, planned.train_verification));
    simulated.count[rank] = 1;
  }
  simulated.job = simulate::make_job(
      simulated.plans, [](std::uint32_t rank) { return rank; }, costs);
  return simulated;
}

// The ranks of a stage that spend their time alike.
struct RankLine {
  std::uint32_t rank, count;  // the first of them
  std::size_t stage;
  double speed;
  observe::IdleTime idle;
  double busy_seconds = 0;

  [[nodiscard]] bool is_like(const RankLine& other) const noexcept {
    return stage == other.stage && speed == other.speed && busy_seconds == other.busy_seconds &&
           idle.exposed_comm_seconds == other.idle.exposed_comm_seconds &&
           idle.bubble_seconds == other.idle.bubble_seconds;
  }
};

std::vector<RankLine> lines_of(const engine::JobPlan& planned, const SimulatedJob& simulated,
                               std::span<const std::uint32_t> recorded,
                               const simulate::Simulation& done) {
  std::vector<RankLine> lines;
  for (std::size_t r = 0; r < recorded.size(); ++r) {
    const std::uint32_t i = recorded[r];
    const plan::VerifiedPlan& plan = simulated.plans[i];
    const std::uint32_t rank = plan.binding().rank;
    RankLine line{rank, simulated.count.at(rank),
                  static_cast<std::size_t>(&planned.stage_of(rank) - planned.stages.data()),
                  simulated.job.ranks[i].speed, observe::blame(plan.plan(), done.records[r])};
    for (const observe::OpTime& op : observe::time_by_op(plan.plan(), done.records[r]).ops)
      line.busy_seconds += op.seconds;
    const auto like = std::find_if(lines.begin(), lines.end(),
                                   [&](const RankLine& other) { return line.is_like(other); });
    if (like != lines.end()) {
      like->count += line.count;
    } else {
      lines.push_back(line);
    }
  }
  return lines;
}

Outcome run(const Config& config, const SimulateArguments& arguments) {
  const simulate::Cluster cluster = simulate::load_cluster(arguments.cluster);
  const engine::JobPlan planned = engine::plan_job(config, 1);
  engine::require_proven(planned);
  const std::uint32_t world = planned.grid.world_size();
  const std::int64_t nodes = (world + cluster.devices_per_node - 1) / cluster.devices_per_node;
  const auto slow = parse_slow_nodes(arguments.slow_nodes, nodes);
  const auto speed_of = [&](std::uint32_t rank) {
    const auto found = slow.find(rank / cluster.devices_per_node);
    return found == slow.end() ? 1.0 : found->second;
  };

  const std::int64_t begin = monotonic_ns();
  const simulate::CostFunction costs = simulate::costs_on(cluster);
  SimulatedJob simulated;
  if (arguments.unfolded) {
    simulated = all_ranks(planned, costs);
  } else {
    std::vector<PlanPointer> of_stage, plan_of;
    for (std::size_t s = 0; s < planned.stages.size(); ++s) {
      const auto plan = planned.plan_of(planned.first_rank_of(s), planned.train_verification);
      of_stage.push_back(plan.shared_plan());
    }
    for (std::uint32_t rank = 0; rank < world; ++rank) {
      const PlanPointer& plan = of_stage[&planned.stage_of(rank) - planned.stages.data()];
      const bool is_odd = speed_of(rank) != 1.0;
      plan_of.push_back(is_odd ? std::make_shared<const plan::StepPlan>(*plan) : plan);
    }
    simulated = fold(planned, plan_of, costs);
  }
  for (std::size_t i = 0; i < simulated.plans.size(); ++i)
    simulated.job.ranks[i].speed = speed_of(simulated.plans[i].binding().rank);
  // Of all ranks the records would take terabytes: of the first of each stage, and of slow ones.
  std::vector<std::uint32_t> recorded;
  for (std::uint32_t i = 0; i < simulated.plans.size(); ++i) {
    const std::uint32_t rank = simulated.plans[i].binding().rank;
    const std::size_t stage = &planned.stage_of(rank) - planned.stages.data();
    if (!arguments.unfolded || rank == planned.first_rank_of(stage) || speed_of(rank) != 1.0)
      recorded.push_back(i);
  }
  const simulate::Simulation done = simulate::simulate(
      simulated.job,
      {.steps = arguments.steps, .recorded_ranks = recorded, .threads = arguments.threads});
  const double wall = static_cast<double>(monotonic_ns() - begin) * 1e-9;

  observe::StepFlops flops;
  for (const engine::StagePlan& stage : planned.stages) {
    flops.add(observe::count_flops(stage.train.expansion.plan),
              static_cast<double>(world) / static_cast<double>(planned.stages.size()));
  }
  const double step = done.step_seconds();
  const bool half = config.model.dtype == DType::bfloat16;
  const double peak =
      1e12 * (half ? cluster.device.bfloat16_tflops : cluster.device.float32_tflops);
  const auto of_peak = [&](double all_flops) { return all_flops / step / (peak * world); };
  const double tokens = static_cast<double>(tokens_per_step(config)) / step;
  const double memory = cluster.device.memory_gib * (1U << 30U);
  const bool fits = static_cast<double>(planned.arena_nbytes()) <= memory;

  fmt::print("cluster    {}: {} devices in {} nodes\n", cluster.name, world, nodes);
  fmt::print("step       {:.3f} s, {:.0f} tokens/s\n", step, tokens);
  fmt::print("mfu        {:.3f}, mfu_megatron {:.3f}, hfu {:.3f} of {} TFLOP/s ({})\n",
             of_peak(flops.model), of_peak(flops.megatron), of_peak(flops.executed), peak * 1e-12,
             half ? "bfloat16" : "float32");
  fmt::print("memory     {:.2f} of {:.0f} GiB planned on the largest rank: {}\n",
             static_cast<double>(planned.arena_nbytes()) / (1U << 30U), cluster.device.memory_gib,
             fits ? "fits" : "DOES NOT FIT");
  fmt::print("simulated  {} ranks that stand for {}, {} steps, {} tasks in {:.2f} s\n",
             simulated.plans.size(), world, arguments.steps, done.tasks, wall);
  Outcome outcome;
  outcome.json = {{"step_seconds", step},
                  {"tokens_per_second", tokens},
                  {"mfu", of_peak(flops.model)},
                  {"mfu_megatron", of_peak(flops.megatron)},
                  {"hfu", of_peak(flops.executed)},
                  {"peak_flops", peak},
                  {"world_size", world},
                  {"simulated_ranks", simulated.plans.size()},
                  {"tasks", done.tasks},
                  {"simulation_seconds", wall},
                  {"fits", fits}};
  fmt::print("\n{:>5} {:>7} {:>7} {:>6} {:>10} {:>10} {:>10} {:>9}\n", "stage", "ranks", "first",
             "speed", "compute s", "exposed s", "bubble s", "computes");
  for (const RankLine& line : lines_of(planned, simulated, recorded, done)) {
    fmt::print("{:>5} {:>7} {:>7} {:>6.2f} {:>10.4f} {:>10.4f} {:>10.4f} {:>8.1f}%\n", line.stage,
               line.count, line.rank, line.speed, line.busy_seconds, line.idle.exposed_comm_seconds,
               line.idle.bubble_seconds, 100 * line.busy_seconds / step);
    outcome.json["ranks"].push_back({{"rank", line.rank},
                                     {"count", line.count},
                                     {"stage", line.stage},
                                     {"speed", line.speed},
                                     {"compute_seconds", line.busy_seconds},
                                     {"exposed_comm_seconds", line.idle.exposed_comm_seconds},
                                     {"bubble_seconds", line.idle.bubble_seconds}});
  }
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
  command.option("--steps", arguments->steps, "steps in a row; the last one is reported")
      .between(1, 1000)
      .shows_default();
  command.option("--threads", arguments->threads, "at most; they change no result")
      .positive()
      .shows_default();
  command.flag("--unfolded", arguments->unfolded, "simulate every rank, not one of each class");
  command.does([arguments] { return run(arguments->config.load(), *arguments); });
}

}  // namespace megascale::cli
