// Goal: a rank that is slow in one way only is named, with the right cause, within 20 steps; a healthy job
// names nobody in 1,000 steps.
// Method: 5 layouts are simulated with the jitter that was measured on a machine
// (docs/decisions/0016-jitter.md), with 5 seeds for each way. The records of the simulated steps are judged
// as those of real steps are.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>

#include "megascale/config/load.h"
#include "megascale/job/job_plan.h"
#include "megascale/observe/group_steps.h"
#include "megascale/observe/stragglers.h"
#include "megascale/plan/bind.h"
#include "megascale/simulate/event_engine.h"
#include "megascale/simulate/op_costs.h"

namespace megascale::observe {
namespace {

constexpr double kSigma = 0.064;
constexpr std::size_t kWindow = 16,
                      kWithin = 20;  // steps that are judged together; until it is named
constexpr unsigned kSeeds = 5;
constexpr std::array kCauses{SlowCause::compute, SlowCause::input, SlowCause::launch,
                             SlowCause::wire};

struct Injection {
  SlowCause cause = SlowCause::compute;
  double share = 0;  // by which the rank is slower: of its computation, or of the step
  std::uint32_t rank = 0;
};

struct JudgedStep {
  std::vector<RankStep> numbers;            // by rank
  std::vector<std::vector<double>> moving;  // by rank
};

// One layout, planned once.
class Layout {
 public:
  Layout(const std::string& parallel, const simulate::Cluster& cluster)
      : job_(job::plan_job(config_of(parallel), 1)), costs_(simulate::costs_on(cluster)) {
    job::require_proven(job_);
    for (std::uint32_t rank = 0; rank < job_.grid.world_size(); ++rank)
      plans_.push_back(job_.plan_of(rank, job_.train_verification));
    const JudgedStep clean = run(nullptr, 0);
    clean_seconds_ = clean.numbers.front().times.step;
    for (const auto& moving : clean.moving)
      moving_.push_back(std::accumulate(moving.begin(), moving.end(), 0.0));
  }
  [[nodiscard]] std::uint32_t ranks() const { return job_.grid.world_size(); }
  // Returns whether such an injection does anything on this rank.
  [[nodiscard]] bool has(SlowCause cause, std::uint32_t rank) const {
    const plan::StepPlan& plan = plans_[rank].plan();
    // The bubbles of later stages may hide that their batch is late.
    if (cause == SlowCause::input && rank >= job_.grid.stage_size()) return false;
    // A slow wire is told from the groups of the same kind, so there must be another one.
    const auto& groups = plans_[rank].binding().communicators;
    if (cause == SlowCause::wire) {
      return std::any_of(groups.begin(), groups.end(), [&](const auto& group) {
        return group.members.size() < job_.grid.stage_size();
      });
    }
    return std::any_of(plan.tasks().begin(), plan.tasks().end(), [&](const plan::Task& task) {
      const plan::PlanOp& op = plan.op(task);
      if (cause == SlowCause::input) return op.lane == graph::Lane::host_in;
      return cause != SlowCause::launch || is_late(op);
    });
  }
  // Simulates one step. Its jitter depends on `seed` alone.
  [[nodiscard]] JudgedStep run(const Injection* injection, std::uint64_t seed) const {
    simulate::Job job = simulate::make_job(
        plans_, [](std::uint32_t rank) { return rank; }, costs_);
    if (injection != nullptr) inject(*injection, job);
    std::vector<std::uint32_t> all(plans_.size());
    for (std::uint32_t r = 0; r < all.size(); ++r) all[r] = r;
    simulate::Simulation done = simulate::simulate(
        job, {.steps = 3, .recorded_ranks = all, .jitter = {.sigma = kSigma, .seed = seed}});
    if (injection != nullptr && injection->cause == SlowCause::launch) show_late(*injection, done);
    JudgedStep step;
    for (std::size_t r = 0; r < plans_.size(); ++r) {
      const plan::StepPlan& plan = plans_[r].plan();
      step.numbers.push_back(rank_step(plan, done.records[r], done.step_seconds()));
      step.moving.emplace_back(plan.communicators().size(), 0.0);
      add_moving_seconds(plan, done.records[r], step.moving.back());
    }
    return step;
  }
  [[nodiscard]] std::vector<Straggler> judge(std::span<const JudgedStep> steps) const {
    std::vector<RankSteps> ranks;
    std::vector<const plan::StepPlan*> plans;
    for (const plan::VerifiedPlan& plan : plans_) plans.push_back(&plan.plan());
    const GroupIndex index(plans, [&](std::uint32_t rank, std::size_t communicator) {
      return plan::bind(plans[rank]->communicators()[communicator], job_.grid, rank);
    });
    GroupCollector groups(index, steps.size());
    for (std::uint32_t r = 0; r < plans_.size(); ++r) {
      RankSteps one{.rank = r, .work = plans_[r].plan().digest(), .steps = {}};
      std::vector<std::span<const double>> moving;
      for (const JudgedStep& step : steps) {
        one.steps.push_back(rank_times(step.numbers[r]));
        moving.emplace_back(step.moving[r]);
      }
      groups.add(r, one.work, moving);
      ranks.push_back(std::move(one));
    }
    return find_stragglers(ranks, std::move(groups).take());
  }

 private:
  static Config config_of(const std::string& parallel) {
    return parse_config(
        "[model]\nnum_layers = 4\nhidden_size = 1024\nnum_attention_heads = 16\nseq_length = 1024\n"
        "[data]\ndata_path = [\"x\"]\n[train]\nglobal_batch_size = 32\nmicro_batch_size = 2\n"
        "[parallel]\nworld_size = 16\nzero_stage = 2\n" +
            parallel,
        "test");
  }
  static bool is_late(const plan::PlanOp& op) {
    return op.def->transfer != nullptr && op.def->transfer->name == "reduce_scatter" &&
           op.lane == graph::Lane::data;
  }
  [[nodiscard]] double count(std::uint32_t rank,
                             const std::function<bool(const plan::PlanOp&)>& is) const {
    const plan::StepPlan& plan = plans_[rank].plan();
    return static_cast<double>(
        std::count_if(plan.tasks().begin(), plan.tasks().end(),
                      [&](const plan::Task& task) { return is(plan.op(task)); }));
  }
  // By how much each transfer of a late launcher starts late.
  [[nodiscard]] double lateness(const Injection& injection) const {
    return injection.share * clean_seconds_ / count(injection.rank, is_late);
  }

  void inject(const Injection& injection, simulate::Job& job) const {
    simulate::JobRank& rank = job.ranks[injection.rank];
    if (injection.cause == SlowCause::compute) {
      rank.speed = 1 / (1 + injection.share);
      return;
    }
    const plan::StepPlan& plan = plans_[injection.rank].plan();
    const auto reads = [](const plan::PlanOp& op) { return op.lane == graph::Lane::host_in; };
    auto costs = std::make_shared<std::vector<simulate::OpCost>>(*rank.costs);
    for (std::size_t i = 0; i < plan.ops().size(); ++i) {
      const plan::PlanOp& op = plan.ops()[i];
      simulate::OpCost& cost = (*costs)[i];
      // Reading goes on beside a step: what takes longer than a step is waited for.
      if (injection.cause == SlowCause::input && reads(op))
        cost.seconds = (1 + injection.share) * clean_seconds_ / count(injection.rank, reads);
      if (injection.cause == SlowCause::wire && op.def->transfer != nullptr)
        cost.seconds *= 1 + injection.share * clean_seconds_ / moving_[injection.rank];
      if (injection.cause == SlowCause::launch && is_late(op))
        cost.latency_seconds += lateness(injection);
    }
    rank.costs = std::move(costs);
  }
  // The engine delays these transfers after their last start. Here the last start is the late one.
  void show_late(const Injection& injection, simulate::Simulation& done) const {
    const auto late_ns = static_cast<std::int64_t>(1e9 * lateness(injection));
    const plan::Binding& late = plans_[injection.rank].binding();
    for (std::size_t r = 0; r < plans_.size(); ++r) {
      const plan::StepPlan& plan = plans_[r].plan();
      for (std::size_t id = 0; id < plan.tasks().size(); ++id) {
        const plan::PlanOp& op = plan.op(plan.tasks()[id]);
        if (!is_late(op)) continue;
        const std::string& key =
            plans_[r].binding().communicators[plan::index(op.communicator)].key;
        const bool is_its = std::any_of(late.communicators.begin(), late.communicators.end(),
                                        [&](const auto& group) { return group.key == key; });
        if (!is_its) continue;
        TaskRecord& record = done.records[r][id];
        record.matched_ns += late_ns;
        if (r == injection.rank) record.start_ns = record.matched_ns;
      }
    }
  }

  job::JobPlan job_;
  simulate::CostFunction costs_;
  std::vector<plan::VerifiedPlan> plans_;
  double clean_seconds_ = 0;
  std::vector<double> moving_;  // seconds for which bytes move in a clean step, by rank
};

class InjectedTest : public ::testing::Test {
 protected:
  InjectedTest() {
    const simulate::Cluster cluster = simulate::load_cluster(
        std::filesystem::path(MEGASCALE_SOURCE_DIR) / "clusters/a100-megascale.toml");
    for (const char* parallel :
         {"", "tensor_model_parallel_size = 2\n", "pipeline_model_parallel_size = 4\n",
          "tensor_model_parallel_size = 4\npipeline_model_parallel_size = 2\n",
          "context_parallel_size = 2\npipeline_model_parallel_size = 2\n"})
      layouts_.emplace_back(parallel, cluster);
  }
  // Returns whether the culprit is named with its cause before kWithin steps are over, and nobody else.
  static bool is_found(const Layout& layout, const Injection& injection, std::uint64_t seed) {
    std::vector<JudgedStep> steps;
    for (std::size_t s = 0; s < kWithin; ++s) {
      steps.push_back(layout.run(&injection, 1000 * seed + s));
      if (steps.size() < kWindow) continue;
      const auto named = layout.judge(std::span(steps).last(kWindow));
      if (named.empty()) continue;
      const bool only_it = std::all_of(named.begin(), named.end(), [&](const Straggler& one) {
        return std::ranges::find(one.ranks, injection.rank) != one.ranks.end();
      });
      if (named.front().cause == injection.cause && only_it) return true;
      for (const Straggler& one : named) {
        fmt::print("  {} {} % of rank {}: {} ({} votes)\n", to_string(injection.cause),
                   100 * injection.share, injection.rank, to_string(one), one.votes);
      }
      return false;
    }
    fmt::print("  {} {} % of rank {}: nobody\n", to_string(injection.cause), 100 * injection.share,
               injection.rank);
    return false;
  }
  // Returns the share of runs in which the culprit is found: 5 layouts x 5 seeds, less layouts without
  // such a culprit.
  double found(SlowCause cause, double share) const {
    int runs = 0, hits = 0;
    for (std::size_t l = 0; l < layouts_.size(); ++l) {
      for (unsigned seed = 0; seed < kSeeds; ++seed) {
        const Layout& layout = layouts_[l];
        std::vector<std::uint32_t> able;
        for (std::uint32_t rank = 0; rank < layout.ranks(); ++rank)
          if (layout.has(cause, rank)) able.push_back(rank);
        if (able.empty()) continue;
        const Injection injection{
            .cause = cause, .share = share, .rank = able[(7 * seed + 3) % able.size()]};
        ++runs;
        hits += is_found(layout, injection, 100 * l + seed) ? 1 : 0;
      }
    }
    fmt::print("| {} | {:.0f} % | {} of {} |\n", to_string(cause), 100 * share, hits, runs);
    return static_cast<double>(hits) / runs;
  }
  std::vector<Layout> layouts_;
};

TEST_F(InjectedTest, FromTenPercentOnEveryCulpritIsFound) {
  for (const SlowCause cause : kCauses) {
    EXPECT_EQ(found(cause, 0.30), 1) << to_string(cause);
    EXPECT_EQ(found(cause, 0.10), 1) << to_string(cause);
  }
}

TEST_F(InjectedTest, OfThreePercentNineInTenAreFound) {
  for (const SlowCause cause : kCauses) EXPECT_GE(found(cause, 0.03), 0.9) << to_string(cause);
}

TEST_F(InjectedTest, AThousandCleanStepsNameNobody) {
  for (std::size_t l = 0; l < layouts_.size(); ++l) {
    std::vector<JudgedStep> steps;
    for (std::size_t s = 0; s < 200; ++s) {
      steps.push_back(layouts_[l].run(nullptr, 1'000'000 + 1000 * l + s));
      if (steps.size() < kWindow) continue;
      const auto named = layouts_[l].judge(std::span(steps).last(kWindow));
      ASSERT_TRUE(named.empty()) << "layout " << l << ", step " << s << ": " << to_string(named[0]);
    }
  }
}

}  // namespace
}  // namespace megascale::observe
