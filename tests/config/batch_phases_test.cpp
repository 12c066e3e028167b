// Goal: the batch grows as Megatron-LM computes it. Method: examples by hand, and Megatron's formula
// step by step for random ramps.
#include "megascale/config/batch_phases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace megascale {

bool operator==(const BatchPhase& a, const BatchPhase& b) {
  return a.first_step == b.first_step && a.global_batch_size == b.global_batch_size &&
         a.samples_before == b.samples_before;
}
void PrintTo(const BatchPhase& phase, std::ostream* stream) {
  *stream << "{step " << phase.first_step << ", batch " << phase.global_batch_size << ", samples "
          << phase.samples_before << "}";
}

namespace {

using ::testing::ElementsAre;

TrainConfig train(std::vector<std::int64_t> ramp, std::int64_t global_batch_size) {
  TrainConfig config;
  config.rampup_batch_size = std::move(ramp);
  config.global_batch_size = global_batch_size;
  return config;
}

TEST(BatchPhasesTest, WithoutARampThereIsOnePhase) {
  EXPECT_THAT(batch_phases(train({}, 8)), ElementsAre(BatchPhase{0, 8, 0}));
  EXPECT_THAT(batch_phases(train({}, 8), {5, 100}), ElementsAre(BatchPhase{5, 8, 100}));
  EXPECT_THAT(batch_sizes(train({}, 8)), ElementsAre(8));
  EXPECT_FALSE(is_ramp(train({}, 8)));
}

// Three increments, each for 20 of 60 samples: 10 steps of 2, 5 steps of 4; 40 + 4 x 6 = 64 >= 60.
TEST(BatchPhasesTest, EqualSharesOfSamples) {
  const TrainConfig config = train({2, 2, 60}, 8);
  EXPECT_THAT(batch_phases(config), ElementsAre(BatchPhase{0, 2, 0}, BatchPhase{10, 4, 20},
                                                BatchPhase{15, 6, 40}, BatchPhase{19, 8, 64}));
  EXPECT_THAT(batch_sizes(config), ElementsAre(2, 4, 6, 8));
  EXPECT_EQ(to_string(batch_phases(config)),
            "2 sequences from step 1 on, 4 from step 11 on, 6 from step 16 on, 8 from step 20 on");
  EXPECT_EQ(to_string(batch_phases(config), 2),
            "2 sequences from step 1 on, 2 more sizes, 8 from step 20 on");
}

// A share of 10 / 3 samples: after 4 samples the size is 1 + floor(1.2) = 2, after 8 it is 3, after 11
// more than 10 are consumed.
TEST(BatchPhasesTest, SharesThatAreNoWholeNumbers) {
  EXPECT_THAT(batch_phases(train({1, 1, 10}, 4)),
              ElementsAre(BatchPhase{0, 1, 0}, BatchPhase{4, 2, 4}, BatchPhase{6, 3, 8},
                          BatchPhase{7, 4, 11}));
}

// The first step consumes more than all samples of the ramp.
TEST(BatchPhasesTest, ASizeWithoutAStepHasNoPhase) {
  EXPECT_THAT(batch_phases(train({8, 1, 6}, 10)),
              ElementsAre(BatchPhase{0, 8, 0}, BatchPhase{1, 10, 8}));
  EXPECT_THAT(batch_sizes(train({8, 1, 6}, 10)), ElementsAre(8, 9, 10));
}

TEST(BatchPhasesTest, ARampThatEndsWhereItBegins) {
  EXPECT_TRUE(is_ramp(train({8, 3, 100}, 8)));
  EXPECT_THAT(batch_phases(train({8, 3, 100}, 8)), ElementsAre(BatchPhase{0, 8, 0}));
}

// A run may come from steps of other sizes: the samples decide, not the steps.
TEST(BatchPhasesTest, GoesOnFromTheSamplesThatWereConsumed) {
  const TrainConfig config = train({2, 2, 60}, 8);
  EXPECT_THAT(batch_phases(config, {3, 33}),
              ElementsAre(BatchPhase{3, 4, 33}, BatchPhase{5, 6, 41}, BatchPhase{9, 8, 65}));
  EXPECT_THAT(batch_phases(config, {7, 60}), ElementsAre(BatchPhase{7, 8, 60}));
}

TEST(BatchPhasesTest, SamplesBeforeAStep) {
  const auto phases = batch_phases(train({2, 2, 60}, 8));
  EXPECT_EQ(samples_before_step(phases, 0), 0);
  EXPECT_EQ(samples_before_step(phases, 9), 18);
  EXPECT_EQ(samples_before_step(phases, 10), 20);
  EXPECT_EQ(samples_before_step(phases, 18), 58);
  EXPECT_EQ(samples_before_step(phases, 100), 64 + 81 * 8);
  EXPECT_EQ(samples_before_step(batch_phases(train({}, 8), {5, 100}), 3), 84);
}

TEST(BatchPhasesTest, LargeNumbersDoNotOverflow) {
  const std::int64_t samples = std::int64_t{1} << 62;
  const auto phases = batch_phases(train({1 << 24, 1 << 24, samples}, std::int64_t{1} << 31));
  ASSERT_EQ(phases.size(), 128U);
  EXPECT_EQ(phases.back().global_batch_size, std::int64_t{1} << 31);
  EXPECT_NEAR(static_cast<double>(phases.back().samples_before), static_cast<double>(samples),
              std::ldexp(1.0, 31));
}

// Megatron-LM, RampupBatchsizeNumMicroBatchesCalculator: the size after `consumed` samples.
std::int64_t megatron_size(const TrainConfig& config, std::int64_t consumed) {
  const auto& ramp = config.rampup_batch_size;
  if (consumed > ramp[2]) return config.global_batch_size;
  const std::int64_t increments = (config.global_batch_size - ramp[0]) / ramp[1];
  const double per_increment = static_cast<double>(ramp[2]) / static_cast<double>(increments);
  const auto steps = static_cast<std::int64_t>(static_cast<double>(consumed) / per_increment);
  return ramp[0] + steps * ramp[1];
}

TEST(BatchPhasesTest, EqualsMegatronStepByStep) {
  std::mt19937 random(11);
  for (int i = 0; i < 300; ++i) {
    const auto below = [&](int n) { return static_cast<std::int64_t>(1 + random() % n); };
    const std::int64_t start = below(8), increment = below(8);
    const TrainConfig config =
        train({start, increment, below(3000)}, start + increment * below(12));
    const auto phases = batch_phases(config);
    std::size_t phase = 0;
    std::int64_t consumed = 0;
    for (std::int64_t step = 0; step < 400; ++step) {
      if (phase + 1 < phases.size() && phases[phase + 1].first_step == step) ++phase;
      ASSERT_EQ(phases[phase].global_batch_size, megatron_size(config, consumed))
          << ::testing::PrintToString(config.rampup_batch_size) << " to "
          << config.global_batch_size << ", step " << step;
      ASSERT_EQ(samples_before_step(phases, step), consumed);
      // A run that goes on from here has the same phases.
      const auto rest = batch_phases(config, {step, consumed});
      ASSERT_EQ(rest.size(), phases.size() - phase);
      ASSERT_EQ(rest.front(), (BatchPhase{step, phases[phase].global_batch_size, consumed}));
      ASSERT_TRUE(std::equal(rest.begin() + 1, rest.end(),
                             phases.begin() + static_cast<std::ptrdiff_t>(phase) + 1));
      consumed += phases[phase].global_batch_size;
    }
  }
}

}  // namespace
}  // namespace megascale
