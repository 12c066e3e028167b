// Prepares a job for the event engine and summarizes what the engine returns. Large jobs are
// folded: one rank of each class of equal ranks is simulated, and its times hold for the class.
// Slow nodes and uneven placement on nodes split the classes, since ranks of a class must have
// equal costs. With jitter, or if ranks share a host's processors, every rank is simulated.
#include "megascale/study/forecast/simulated_step.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "megascale/base/clock.h"
#include "megascale/base/error.h"
#include "megascale/base/files.h"
#include "megascale/base/run_directory.h"
#include "megascale/config/load.h"
#include "megascale/plan/bind.h"
#include "megascale/plan/dump.h"
#include "megascale/plan/fold.h"
#include "megascale/runtime/record_ring.h"
#include "megascale/simulate/event_engine.h"
#include "megascale/simulate/op_costs.h"
#include "megascale/simulate/transfer_costs.h"

namespace megascale::study {
namespace {

using PlanPointer = std::shared_ptr<const plan::StepPlan>;

// The first steps overlap with less work of other steps; from the third on they take equal time.
// With jitter the median of 16 steps separates two layouts of a small job that differ by a tenth of
// a percent.
constexpr std::uint32_t kSteps = 3, kStepsWithJitter = 17;

// The simulated ranks, and the number of ranks that each of them represents.
struct SimulatedJob {
  std::vector<plan::VerifiedPlan> plans;
  std::map<std::uint32_t, std::uint32_t> count;  // simulated rank -> ranks that it represents
  simulate::Job job;
};

// Selects one rank of each class. `plan_of` has the plan of each rank. Equal ranks share one
// object; ranks with a copy of the plan form classes of their own.
SimulatedJob fold(const job::JobPlan& planned, const std::vector<PlanPointer>& plan_of,
                  const simulate::CostFunction& costs) {
  const plan::Fold classes(planned.grid, plan_of);
  plan::Verification verification = plan::verify_folded(plan_of, planned.grid);
  const std::string wrong = job::violations({&verification});
  if (!wrong.empty()) throw Error(ErrorCode::failed, wrong);
  SimulatedJob simulated{.plans = std::move(verification.plans), .count = {}, .job = {}};
  for (std::uint32_t rank = 0; rank < plan_of.size(); ++rank)
    ++simulated.count[classes.representative(rank)];
  simulated.job = simulate::make_job(
      simulated.plans, [&](std::uint32_t rank) { return classes.representative(rank); }, costs);
  return simulated;
}

// Takes every rank of the job.
SimulatedJob all_ranks(const job::JobPlan& planned, const simulate::CostFunction& costs) {
  SimulatedJob simulated;
  for (std::uint32_t rank = 0; rank < planned.grid.world_size(); ++rank) {
    simulated.plans.push_back(planned.plan_of(rank, planned.train_verification));
    simulated.count[rank] = 1;
  }
  simulated.job = simulate::make_job(
      simulated.plans, [](std::uint32_t rank) { return rank; }, costs);
  return simulated;
}

std::int64_t nanoseconds(double seconds) { return std::llround(seconds * 1e9); }

bool are_alike(const SimulatedRanks& a, const SimulatedRanks& b) noexcept {
  return a.stage == b.stage && a.speed == b.speed && a.busy_seconds == b.busy_seconds &&
         a.idle.exposed_comm_seconds == b.idle.exposed_comm_seconds &&
         a.idle.bubble_seconds == b.idle.bubble_seconds;
}

// Plans the job for the cluster. If the cluster's kernels were measured on a CPU, the ranks must
// have the number of threads of that measurement: train.threads_per_rank, or their share of this
// machine's cores. Kernels of GPUs have no such number.
job::JobPlan plan_on(const simulate::Cluster& cluster, const Config& config) {
  if (config.overlap.fused_pairs && cluster.fused.multiprocessors.empty()) {
    throw Error(
        ErrorCode::bad_usage,
        fmt::format("overlap.fused_pairs: expected [fused] in the file of cluster \"{}\", which "
                    "says how many multiprocessors move bytes in fused kernels, found none: "
                    "add it (docs/formats/cluster.md), or set overlap.fused_pairs=false",
                    cluster.name));
  }
  const std::int64_t measured = cluster.kernels.threads;
  if (measured == 0) return job::plan_job(config, 1);
  job::JobPlan planned = job::plan_job(config);
  if (static_cast<std::int64_t>(planned.kernels.threads) != measured) {
    throw Error(ErrorCode::bad_usage,
                fmt::format("the kernels of cluster \"{}\" were measured with {} threads a rank, "
                            "the configuration's ranks have {}: set train.threads_per_rank={}, or "
                            "calibrate with --threads {}",
                            cluster.name, measured, planned.kernels.threads, measured,
                            planned.kernels.threads));
  }
  return planned;
}

// Returns the number of ranks whose arenas share a device's memory: 1, or the ranks of a host.
std::uint32_t ranks_in_a_memory(const simulate::Cluster& cluster, std::uint32_t world_size) {
  if (cluster.host.processors <= 0) return 1;
  return static_cast<std::uint32_t>(std::min<std::int64_t>(world_size, cluster.devices_per_node));
}

// One call of StepSimulator::run().
class OneSimulation {
 public:
  OneSimulation(const Config& config, const job::JobPlan& planned, const simulate::Cluster& cluster,
                const SimulatedStepOptions& options)
      : config_(config),
        cluster_(cluster),
        options_(options),
        planned_(planned),
        jitter_(options.jitter.value_or(simulate::Jitter{.sigma = cluster.host.jitter})) {}

  SimulatedStep run() {
    const std::int64_t begin = monotonic_ns();
    make_job();
    simulate::Simulation done = simulate::simulate(simulated_.job, {.steps = steps(),
                                                                    .recorded_ranks = recorded_,
                                                                    .threads = options_.threads,
                                                                    .jitter = jitter_});
    const std::uint32_t world = planned_.grid.world_size();
    const plan::StepFlops flops = planned_.flops();
    const bool half = flops.dtype() == DType::bfloat16;
    SimulatedStep step{
        .seconds = done.step_seconds(),
        .seconds_by_step = {},
        .jitter = jitter_,
        .world_size = world,
        .nodes = (world + cluster_.devices_per_node - 1) / cluster_.devices_per_node,
        .flops = flops,
        .peak_flops = 1e12 * devices_per_rank() *
                      (half ? cluster_.device.bfloat16_tflops : cluster_.device.float32_tflops),
        .arena_nbytes = planned_.arena_nbytes(),
        .fits = static_cast<double>(planned_.arena_nbytes()) * ranks_in_a_memory() <=
                cluster_.device.memory_gib * (1U << 30U),
        .simulated_ranks = simulated_.plans.size(),
        .tasks = done.tasks,
        .wall_seconds = static_cast<double>(monotonic_ns() - begin) * 1e-9,
        .ranks = {},
        .plans = {},
        .records = {}};
    for (std::size_t s = 0; s < done.step_ends.size(); ++s)
      step.seconds_by_step.push_back(done.seconds_of(s));
    if (jitter_.sigma != 0) step.seconds = step.steady_seconds().median;
    for (std::size_t r = 0; r < recorded_.size(); ++r) add(recorded_[r], done.records[r], step);
    if (!options_.keep_dir.empty()) keep(done);
    if (options_.keeps_records) {
      for (const plan::VerifiedPlan& plan : simulated_.plans)
        step.plans.push_back(plan.shared_plan());
      step.records = std::move(done.records);
    }
    return step;
  }

 private:
  [[nodiscard]] double speed_of(std::uint32_t rank) const {
    const auto found = options_.slow_nodes.find(rank / cluster_.devices_per_node);
    return found == options_.slow_nodes.end() ? 1.0 : found->second;
  }
  [[nodiscard]] std::size_t stage_of(std::uint32_t rank) const {
    return static_cast<std::size_t>(&planned_.stage_of(rank) - planned_.stages.data());
  }

  // True if the ranks of a node share the processors and the memory of a host.
  [[nodiscard]] bool has_hosts() const noexcept { return cluster_.host.processors > 0; }
  [[nodiscard]] double ranks_in_a_memory() const {
    return static_cast<double>(study::ranks_in_a_memory(cluster_, planned_.grid.world_size()));
  }
  [[nodiscard]] double devices_per_rank() const {
    return has_hosts() ? std::min(1.0, cluster_.host.processors / ranks_in_a_memory()) : 1.0;
  }

  [[nodiscard]] std::uint32_t steps() const noexcept {
    if (options_.steps != 0) return options_.steps;
    return options_.jitter || jitter_.sigma == 0 ? kSteps : kStepsWithJitter;
  }

  // One rank cannot represent its class in three cases: with jitter no two ranks are equal, ranks
  // that share a host's processors slow each other down, and uneven loads make expert ranks differ.
  [[nodiscard]] bool is_unfolded() const noexcept {
    return options_.unfolded || options_.keeps_records || jitter_.sigma != 0 || has_hosts() ||
           !options_.expert_loads.are_even();
  }

  // True if --unfolded asks for every rank, and their records can be kept.
  [[nodiscard]] bool keeps_all_ranks() const {
    constexpr std::size_t kMostNbytes = std::size_t{1} << 30U;
    std::size_t tasks = 0;
    for (const plan::VerifiedPlan& plan : simulated_.plans) tasks += plan.plan().tasks().size();
    return options_.unfolded && !options_.keep_dir.empty() &&
           tasks * sizeof(TaskRecord) <= kMostNbytes;
  }

  // Assigns the ranks to the processors of their hosts. If train.bind_to_cores is on and there are
  // enough ranks, the engine binds rank after rank to the processors in turn. Each processor then
  // counts as a host of its own: HostProcessors::speed is rescaled, so that a processor is as slow
  // as in a host whose other processors are as busy.
  void put_on_hosts() {
    const auto processors = static_cast<std::uint32_t>(cluster_.host.processors);
    const bool bound = config_.train.bind_to_cores && processors == cluster_.host.processors &&
                       processors <= ranks_in_a_memory();
    const std::uint32_t shares = bound ? processors : 1;
    simulate::HostProcessors own{.count = cluster_.host.processors / shares,
                                 .speed = cluster_.host.speed,
                                 .slice_seconds = 1e-6 * cluster_.host.slice_us,
                                 .wait_share = cluster_.host.wait_share};
    for (auto& point : own.speed.points) point.size /= shares;
    for (std::uint32_t i = 0; i < simulated_.plans.size(); ++i) {
      const std::uint32_t rank = simulated_.plans[i].binding().rank,
                          node = rank / static_cast<std::uint32_t>(cluster_.devices_per_node),
                          in_node = rank % static_cast<std::uint32_t>(cluster_.devices_per_node);
      const std::uint32_t host = node * shares + in_node % shares;
      simulated_.job.ranks[i].host = host;
      const auto hosts = std::max<std::size_t>(simulated_.job.hosts.size(), host + 1);
      simulated_.job.hosts.resize(hosts, own);
    }
  }

  // Returns the plan of each rank. Ranks of a stage with equal costs share one object, because
  // classes are found by comparing objects. The costs of a rank depend on its speed and on how its
  // groups are placed on nodes. The largest set of equal ranks has the stage's own plan; each other
  // set has a copy.
  [[nodiscard]] std::vector<PlanPointer> plans_by_cost() const {
    std::vector<PlanPointer> of_stage;
    for (std::size_t s = 0; s < planned_.stages.size(); ++s) {
      of_stage.push_back(
          planned_.plan_of(planned_.first_rank_of(s), planned_.train_verification).shared_plan());
    }
    using Stance = std::pair<double, std::vector<simulate::Spread>>;  // speed, placement of groups
    struct Alike {
      std::uint32_t ranks = 0;
      PlanPointer plan;
    };
    std::vector<std::map<Stance, Alike>> by_stage(of_stage.size());
    std::vector<Alike*> of_rank;
    for (std::uint32_t rank = 0; rank < planned_.grid.world_size(); ++rank) {
      const std::size_t stage = stage_of(rank);
      const plan::Binding binding = plan::bind(*of_stage[stage], planned_.grid, rank);
      of_rank.push_back(
          &by_stage[stage][{speed_of(rank), simulate::spreads_of(binding, cluster_)}]);
      ++of_rank.back()->ranks;
    }
    for (std::size_t stage = 0; stage < of_stage.size(); ++stage) {
      auto& alike = by_stage[stage];
      std::max_element(alike.begin(), alike.end(), [](const auto& a, const auto& b) {
        return a.second.ranks < b.second.ranks;
      })->second.plan = of_stage[stage];
      for (auto& [stance, ranks] : alike) {
        if (ranks.plan == nullptr)
          ranks.plan = std::make_shared<const plan::StepPlan>(*of_stage[stage]);
      }
    }
    std::vector<PlanPointer> plan_of;
    plan_of.reserve(of_rank.size());
    for (const Alike* ranks : of_rank) plan_of.push_back(ranks->plan);
    return plan_of;
  }

  void make_job() {
    const simulate::CostFunction costs = simulate::costs_on(cluster_, options_.expert_loads);
    if (is_unfolded()) {
      simulated_ = all_ranks(planned_, costs);
      if (has_hosts()) put_on_hosts();
    } else {
      simulated_ = fold(planned_, plans_by_cost(), costs);
    }
    // Records of all ranks of a large job would take much memory. Only the first rank of each stage
    // and the slow ranks are recorded, unless a small job is to be kept with all its ranks.
    const bool keeps_all = options_.keeps_records || keeps_all_ranks();
    for (std::uint32_t i = 0; i < simulated_.plans.size(); ++i) {
      const std::uint32_t rank = simulated_.plans[i].binding().rank;
      simulated_.job.ranks[i].speed = speed_of(rank);
      if (!is_unfolded() || keeps_all || rank == planned_.first_rank_of(stage_of(rank)) ||
          speed_of(rank) != 1.0) {
        recorded_.push_back(i);
      }
    }
  }

  // Summarizes a rank's records, and merges them with those of an equal rank.
  void add(std::uint32_t simulated, std::span<const TaskRecord> records, SimulatedStep& step) {
    const plan::VerifiedPlan& plan = simulated_.plans[simulated];
    const std::uint32_t rank = plan.binding().rank;
    SimulatedRanks line{.rank = rank,
                        .count = simulated_.count.at(rank),
                        .stage = stage_of(rank),
                        .speed = simulated_.job.ranks[simulated].speed,
                        .idle = observe::blame(plan.plan(), records),
                        .ops = observe::time_by_op(plan.plan(), records).ops};
    for (const observe::OpTime& op : line.ops) line.busy_seconds += op.seconds;
    const auto like =
        std::find_if(step.ranks.begin(), step.ranks.end(),
                     [&](const SimulatedRanks& other) { return are_alike(line, other); });
    if (like != step.ranks.end()) {
      like->count += line.count;
    } else {
      step.ranks.push_back(std::move(line));
    }
  }

  // Writes the files that a real run leaves (record rings, plans and the configuration), with
  // simulated times.
  void keep(const simulate::Simulation& done) {
    const RunDirectory run_dir(options_.keep_dir);
    make_directories(run_dir.events());
    // With the number of threads, other machines make the same plans of it.
    Config config = config_;
    config.train.threads_per_rank = static_cast<std::int64_t>(planned_.kernels.threads);
    write_text_atomically(run_dir.config(), to_toml(config));
    const auto last = static_cast<std::int64_t>(done.step_ends.size()) - 1;
    for (std::size_t r = 0; r < recorded_.size(); ++r) {
      const plan::VerifiedPlan& plan = simulated_.plans[recorded_[r]];
      const std::vector<TaskRecord>& records = done.records[r];
      const std::string digest = plan.plan().digest();
      runtime::RecordRing ring(run_dir.ring(plan.binding().rank),
                               {.tasks = static_cast<std::uint32_t>(records.size()),
                                .plan_digest = digest,
                                .rank = plan.binding().rank});
      std::copy(
          records.begin(), records.end(),
          ring.begin_step(last, nanoseconds(done.step_ends.back() - done.step_seconds())).begin());
      ring.end_step(last, nanoseconds(done.step_ends.back()));
      const auto dump = run_dir.plan(digest);
      if (!std::filesystem::exists(dump)) plan::dump_to(plan.plan(), dump);
    }
  }

  const Config& config_;
  const simulate::Cluster& cluster_;
  const SimulatedStepOptions& options_;
  const job::JobPlan& planned_;
  simulate::Jitter jitter_;
  SimulatedJob simulated_;
  std::vector<std::uint32_t> recorded_;  // indices into simulated_
};

}  // namespace

double SimulatedStep::mean(double observe::IdleTime::*kind) const noexcept {
  double sum = 0;
  std::uint32_t counted = 0;
  for (const SimulatedRanks& alike : ranks) {
    sum += alike.count * (alike.idle.*kind);
    counted += alike.count;
  }
  return sum / counted;
}

Spread SimulatedStep::steady_seconds() const {
  std::vector<double> steady = seconds_by_step;
  if (steady.size() > 1) steady.erase(steady.begin());
  return spread_of(std::move(steady));
}

StepSimulator::StepSimulator(const Config& config, const simulate::Cluster& cluster)
    : config_(config), cluster_(cluster), planned_(plan_on(cluster, config)) {
  job::require_proven(planned_);
}

std::uint64_t StepSimulator::needed_nbytes() const noexcept {
  return planned_.arena_nbytes() * ranks_in_a_memory(cluster_, planned_.grid.world_size());
}

SimulatedStep StepSimulator::run(const SimulatedStepOptions& options) const {
  return OneSimulation(config_, planned_, cluster_, options).run();
}

}  // namespace megascale::study
