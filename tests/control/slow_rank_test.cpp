// A rank that computes more slowly than the others is named within 20 steps, and no other one; clean
// steps name nobody, also under load.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "control/sights.h"
#include "megascale/control/lasting_verdict.h"
#include "megascale/control/rules/rule.h"

namespace megascale::control {
namespace {

using namespace megascale::testing;
using ::testing::HasSubstr;

// Ranks of two stages with different work. Their times are noisy.
class SlowRankTest : public ::testing::Test {
 protected:
  // `load`: how often something disturbs a rank. `share`: by how much `slow` is slower. `of_core`: of
  // its time, what it waits for its core, and `still` what it neither runs nor waits.
  void step(std::uint32_t ranks, double load, std::uint32_t slow, double share, double of_core = 0,
            double still = 0) {
    std::normal_distribution<double> noise;
    std::uniform_real_distribution<double> chance;
    std::vector<RankReport> reports;
    for (std::uint32_t r = 0; r < ranks; ++r) {
      double seconds = (r < ranks / 2 ? 0.1 : 0.3) * (1 + 0.02 * std::abs(noise(random)));
      if (chance(random) < load) seconds *= 1 + chance(random);
      if (r == slow) seconds *= 1 + share;
      const auto part_ns = [&](double part) {
        return static_cast<std::int64_t>(part * seconds * 1e9);
      };
      RankReport report = running_rank(r);
      report.plan = r < ranks / 2 ? 1 : 2;
      report.outcomes = {{.step = steps,
                          .step_ns = 900'000'000,
                          .compute_ns = part_ns(r == slow ? 1 + of_core + still : 1),
                          .work_ns = part_ns(1),
                          .core_wait_ns = r == slow ? part_ns(of_core) : 0}};
      table.take(report);
      reports.push_back(report);
    }
    hosts["a"].heartbeat = heartbeat_of(1, 1, std::move(reports));
    hosts["a"].heartbeat.facts.cores = cores;
    ++steps;
  }
  [[nodiscard]] std::optional<Verdict> verdict() const {
    return slow_rank({.settings = settings, .state = state, .hosts = hosts, .outcomes = &table});
  }
  void begin(std::uint64_t seed) {
    state.attempt.epoch = 1;
    table.clear();
    steps = 0;
    random.seed(seed);
  }
  std::mt19937_64 random;
  std::int64_t steps = 0;
  std::uint32_t cores = 64;
  DriverSettings settings{.slow_share = 0.07};
  DriverState state;
  std::map<std::string, HostSight> hosts;
  OutcomeTable table;
};

TEST_F(SlowRankTest, IsNamedWithinTwentyStepsAndNobodyElse) {
  int cases = 0;
  for (const std::uint32_t ranks : {4U, 8U, 16U, 64U}) {
    for (const double load : {0.0, 0.1, 0.25}) {
      for (std::uint64_t seed = 0; seed < 5; ++seed) {
        begin(seed);
        const auto slow = static_cast<std::uint32_t>(random() % ranks);
        SCOPED_TRACE(fmt::format("{} ranks, load {}, seed {}", ranks, load, seed));
        for (int i = 0; i < 40; ++i) {
          step(ranks, load, slow, 0);
          EXPECT_FALSE(verdict());
        }
        for (int i = 0; i < 20; ++i) {
          step(ranks, load, slow, 0.12);
          const auto found = verdict();
          if (found) {
            ASSERT_EQ(found->rank, slow);
          }
        }
        const auto found = verdict();
        ASSERT_TRUE(found);
        EXPECT_EQ(found->action, Action::alert);
        EXPECT_THAT(found->what, HasSubstr("computes 1"));
        EXPECT_THAT(found->evidence, HasSubstr("its cores are slower"));
        ++cases;
      }
    }
  }
  EXPECT_EQ(cases, 60);
}

TEST_F(SlowRankTest, CleanStepsNameNobodyAlsoUnderLoad) {
  for (const double load : {0.0, 0.1, 0.3}) {
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
      begin(seed);
      for (int i = 0; i < 1000; ++i) {
        step(8, load, 0, 0);
        ASSERT_FALSE(verdict()) << "step " << i << ", load " << load << ", seed " << seed << ": "
                                << verdict()->evidence;
      }
    }
  }
}

TEST_F(SlowRankTest, OtherProgramsOnItsCoreBlameNobody) {
  begin(1);
  for (int i = 0; i < 100; ++i) {
    step(4, 0, 1, 0, /*of_core=*/2.5);
    ASSERT_FALSE(verdict()) << verdict()->evidence;
  }
}

TEST_F(SlowRankTest, ARankThatIsStoppedForMomentsIsToldApart) {
  begin(1);
  for (int i = 0; i < 20; ++i) step(4, 0, 1, 0, /*of_core=*/0.5, /*still=*/0.2);
  const auto found = verdict();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->rank, 1);
  EXPECT_THAT(found->evidence, HasSubstr("stands still for 0.0"));
}

TEST_F(SlowRankTest, StepsInWhichItsWorkIsNotKnownDoNotCount) {
  begin(1);
  for (int i = 0; i < 20; ++i) step(4, 0, 1, 1.0);
  EXPECT_TRUE(verdict());
  table.clear();
  for (std::int64_t i = 0; i < 20; ++i) {
    for (std::uint32_t r = 0; r < 4; ++r) {
      RankReport report = running_rank(r);
      report.plan = r < 2 ? 1 : 2;
      report.outcomes = {{.step = i, .compute_ns = r == 1 ? 900 : 100}};
      table.take(report);
    }
  }
  EXPECT_FALSE(verdict()) << "a team that others disturb, or a ring of an earlier version";
}

TEST(LastingVerdictTest, IsToldOnceItHasNamedTheSameRankForAWhile) {
  constexpr std::int64_t kLast = LastingVerdict::kLastsNs;
  const Verdict one{.rule = "slow_rank", .rank = 1}, other{.rule = "slow_rank", .rank = 2};
  LastingVerdict lasting;
  EXPECT_FALSE(lasting.look(one, 10));
  EXPECT_FALSE(lasting.look(one, 9 + kLast));
  EXPECT_TRUE(lasting.look(one, 10 + kLast));
  EXPECT_FALSE(lasting.look(other, 11 + kLast)) << "another rank";
  EXPECT_FALSE(lasting.look(std::nullopt, 12 + kLast));
  EXPECT_FALSE(lasting.look(other, 11 + 2 * kLast)) << "it had passed meanwhile";
  EXPECT_TRUE(lasting.look(other, 11 + 3 * kLast));
}

TEST(LastingVerdictTest, StepsThatShowItCountAsTimeThatItHasLasted) {
  constexpr std::int64_t kLast = LastingVerdict::kLastsNs;
  const std::optional<Verdict> of_long_steps = Verdict{.rank = 1, .covers_ns = kLast};
  const std::optional<Verdict> of_half = Verdict{.rank = 1, .covers_ns = kLast / 2};
  EXPECT_TRUE(LastingVerdict{}.look(of_long_steps, 10));
  LastingVerdict lasting;
  EXPECT_FALSE(lasting.look(of_half, 10));
  EXPECT_FALSE(lasting.look(of_half, 9 + kLast / 2));
  EXPECT_TRUE(lasting.look(of_half, 10 + kLast / 2));
}

TEST_F(SlowRankTest, TheVerdictSaysHowLongItsStepsTook) {
  begin(1);
  for (int i = 0; i < 20; ++i) step(4, 0, 1, 1.0);
  const auto found = verdict();
  ASSERT_TRUE(found);
  EXPECT_GE(found->covers_ns, 2'600'000'000) << "13 steps of 0.2 s";
  EXPECT_LE(found->covers_ns, 3'000'000'000);
}

TEST_F(SlowRankTest, CanBeSwitchedOffAndNeedsAnotherRankWithTheSameWork) {
  for (int i = 0; i < 30; ++i) step(2, 0, 1, 1.0);
  EXPECT_FALSE(verdict()) << "each is the only one of its stage";
  begin(1);
  for (int i = 0; i < 30; ++i) step(4, 0, 1, 1.0);
  EXPECT_TRUE(verdict());
  cores = 3;
  step(4, 0, 1, 1.0);
  EXPECT_FALSE(verdict()) << "the ranks share cores";
  cores = 64;
  step(4, 0, 1, 1.0);
  EXPECT_TRUE(verdict());
  settings.slow_share = 0;
  EXPECT_FALSE(verdict());
}

}  // namespace
}  // namespace megascale::control
