// Seeded jitter: its factors are what their formula says, and steps take what the factors say.
#include "megascale/simulate/jitter.h"

#include <cmath>
#include <set>

#include "megascale/simulate/islands.h"
#include "simulate/layout_jobs.h"

namespace megascale::testing {
namespace {

using simulate::Jitter;
using simulate::RankJitter;

// Mean and variance of what `next` gives, n times.
struct Moments {
  double mean = 0, variance = 0;
};
template <class Next>
Moments moments(std::uint32_t n, Next next) {
  Moments m;
  double squares = 0;
  for (std::uint32_t i = 0; i < n; ++i) {
    const double x = next(i), old = m.mean;
    m.mean += (x - old) / (i + 1);
    squares += (x - old) * (x - m.mean);
  }
  m.variance = squares / (n - 1);
  return m;
}

double variance_of_factor(double sigma) { return std::expm1(sigma * sigma); }

// Bounds of statistical tests are five standard deviations of what is tested.
TEST(JitterTest, FactorsHaveMeanOneAndTheirVariance) {
  constexpr std::uint32_t kTasks = 200'000;
  for (const double sigma : {0.01, 0.1, 0.5}) {
    SCOPED_TRACE(sigma);
    const RankJitter jitter({.sigma = sigma, .seed = 1}, 3);
    const Moments m = moments(kTasks, [&](std::uint32_t i) { return jitter.factor(2, i); });
    const double variance = variance_of_factor(sigma);
    EXPECT_NEAR(m.mean, 1, 5 * std::sqrt(variance / kTasks));
    // The fourth moment of a log-normal factor, by w = exp(sigma^2).
    const double w = variance + 1;
    const double kurtosis = std::pow(w, 4) + 2 * std::pow(w, 3) + 3 * w * w - 3;
    EXPECT_NEAR(m.variance, variance, 5 * variance * std::sqrt((kurtosis - 1) / kTasks));
  }
}

TEST(JitterTest, AFactorBelongsToSeedRankStepAndTask) {
  std::set<double> factors;
  for (std::uint64_t seed : {1, 2}) {
    for (std::uint32_t rank : {0, 7}) {
      for (std::uint32_t step : {0, 1}) {
        for (std::uint32_t task : {0, 1, 2})
          factors.insert(RankJitter({.sigma = 0.1, .seed = seed}, rank).factor(step, task));
      }
    }
  }
  EXPECT_EQ(factors.size(), 24U);
}

std::vector<double> step_ends(const simulate::Job& job, const Jitter& jitter,
                              std::uint32_t threads = 1) {
  return simulate::simulate(job, {.steps = 3, .threads = threads, .jitter = jitter}).step_ends;
}

TEST(JitterTest, SigmaZeroGivesTheBitsOfNoJitter) {
  const simulate::Job job = all_ranks({.tensor = 2, .data = 2, .pipeline = 2}, uneven);
  EXPECT_EQ(step_ends(job, {.sigma = 0, .seed = 7}), step_ends(job, {}));
  EXPECT_EQ(RankJitter({.sigma = 0, .seed = 7}, 1).factor(2, 3), 1.0);
}

TEST(JitterTest, ASeedGivesTheSameBitsOnAnyNumberOfThreadsAndIslands) {
  simulate::Job job = all_ranks({.data = 32, .pipeline = 2}, without_processor_share);
  ASSERT_EQ(simulate::find_islands(job).count, 64U) << "enough for four threads";
  const Jitter jitter{.sigma = 0.1, .seed = 5};
  const std::vector<double> ends = step_ends(job, jitter);
  EXPECT_EQ(step_ends(job, jitter, 2), ends);
  EXPECT_EQ(step_ends(job, jitter, 4), ends);
  EXPECT_NE(step_ends(job, {.sigma = 0.1, .seed = 6}), ends);
  EXPECT_NE(step_ends(job, {}), ends);
  put_on_one_host(job);
  ASSERT_EQ(simulate::find_islands(job).count, 1U);
  EXPECT_EQ(step_ends(job, jitter), ends);
}

// Only attention costs, and always the same: a rank's tasks are a chain of equal ones.
constexpr double kTask = 1e-3;
simulate::OpCost equal_tasks(const plan::PlanOp& op) {
  return {.seconds = op.def->name == "attention" ? kTask : 0};
}

double computation(const simulate::Job& job, std::uint32_t rank, const Jitter& jitter,
                   std::uint32_t step) {
  const RankJitter factors(jitter, rank);
  const plan::StepPlan& plan = *job.ranks[rank].plan;
  double seconds = 0;
  for (std::uint32_t id = 0; id < plan.tasks().size(); ++id) {
    const plan::Task& task = plan.tasks()[id];
    if (plan.op(task).lane != graph::Lane::compute) continue;
    seconds += (*job.ranks[rank].costs)[plan::index(task.op)].seconds * factors.factor(step, id);
  }
  return seconds;
}

TEST(JitterTest, AChainTakesTheSumOfItsFactors) {
  const simulate::Job job = all_ranks({}, equal_tasks);
  constexpr std::uint32_t kSteps = 4000, kTasks = 4 * 2;  // micro-batches, layers
  const Jitter jitter{.sigma = 0.3, .seed = 9};
  const simulate::Simulation done = simulate::simulate(job, {.steps = kSteps, .jitter = jitter});
  for (std::uint32_t s = 0; s < 20; ++s)
    EXPECT_NEAR(done.seconds_of(s), computation(job, 0, jitter, s), 1e-12) << s;
  const Moments m = moments(kSteps, [&](std::uint32_t s) { return done.seconds_of(s); });
  const double variance = kTasks * kTask * kTask * variance_of_factor(jitter.sigma);
  EXPECT_NEAR(m.mean, kTasks * kTask, 5 * std::sqrt(variance / kSteps));
  // The sum of eight is nearly normal: its sample variance has about 2 / n of its square.
  EXPECT_NEAR(m.variance, variance, 5 * variance * std::sqrt(2.0 / kSteps));
}

// Ranks that wait for each other take at least what the slowest of them computes, and so longer
// than without jitter.
TEST(JitterTest, AStepIsNeverShorterThanItsSlowestRank) {
  const simulate::Job job = all_ranks({.data = 8}, equal_tasks);
  const double even = simulate::simulate(job, {.steps = 1}).step_seconds();
  double sum = 0;
  constexpr std::uint64_t kSeeds = 20;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const Jitter jitter{.sigma = 0.2, .seed = seed};
    const double step = simulate::simulate(job, {.steps = 1, .jitter = jitter}).step_seconds();
    double slowest = 0;
    for (std::uint32_t r = 0; r < job.ranks.size(); ++r)
      slowest = std::max(slowest, computation(job, r, jitter, 0));
    EXPECT_GE(step, slowest - 1e-12) << seed;
    sum += step;
  }
  EXPECT_GT(sum / kSeeds, 1.02 * even);
}

}  // namespace
}  // namespace megascale::testing
