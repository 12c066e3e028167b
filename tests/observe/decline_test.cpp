// Goal: steps that become slower are noticed, with the part of the step that grew.
// Method: 400 steps with seeded noise; one part grows in the second half.
#include "megascale/observe/decline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace megascale::observe {
namespace {

class DeclineTest : public ::testing::TestWithParam<unsigned> {
 protected:
  DeclineTest() {
    std::mt19937 random(GetParam());
    std::normal_distribution<double> noise(0, 0.002);
    for (int step = 1; step <= 400; ++step) {
      StepParts parts{.step = step,
                      .exposed_comm = 0.05 + noise(random),
                      .bubble = 0.08 + noise(random),
                      .data_wait = 1e-4,
                      .compute = 0.8 + noise(random),
                      .launch = 0.001};
      if (step % 50 == 0) parts.bubble += 0.5;  // the system took a core
      steps.push_back(parts);
    }
    add_up();
  }
  void add_up() {
    for (StepParts& s : steps)
      s.seconds = s.exposed_comm + s.bubble + s.data_wait + s.compute + 0.01;
  }
  // Lets a part grow from step 200 on, by `seconds` at the end.
  void grow(double StepParts::*part, double seconds) {
    for (StepParts& s : steps)
      if (s.step > 200) s.*part += seconds * static_cast<double>(s.step - 200) / 200;
    add_up();
  }
  std::vector<StepParts> steps;
};

TEST_P(DeclineTest, AHealthyRunHasNone) {
  EXPECT_FALSE(find_decline(steps));
  EXPECT_FALSE(find_decline({}));
}

TEST_P(DeclineTest, ThePartThatGrewIsTheCause) {
  const std::vector<std::pair<double StepParts::*, DeclineCause>> cases{
      {&StepParts::compute, DeclineCause::compute},
      {&StepParts::exposed_comm, DeclineCause::exposed_comm},
      {&StepParts::bubble, DeclineCause::bubble},
      {&StepParts::data_wait, DeclineCause::data_wait}};
  for (const auto& [part, cause] : cases) {
    const auto healthy = steps;
    grow(part, 0.1);
    const auto found = find_decline(steps);
    ASSERT_TRUE(found) << to_string(cause);
    EXPECT_EQ(found->cause, cause) << to_string(*found);
    EXPECT_NEAR(found->cause_seconds, 0.09, 0.02);
    EXPECT_NEAR(found->remaining(), 0.94 / 1.03, 0.02);
    steps = healthy;
  }
}

// The case of MegaScale, section 5.1: computation as before, transfers start late on some rank.
TEST_P(DeclineTest, LateLaunchesAreToldFromOtherBubbles) {
  grow(&StepParts::bubble, 0.1);
  grow(&StepParts::launch, 0.08);
  const auto found = find_decline(steps);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->cause, DeclineCause::launch);
  EXPECT_THAT(to_string(*found), ::testing::HasSubstr("transfers start late on some rank"));
}

TEST_P(DeclineTest, WithoutRecordsTheCauseMayBeUnknown) {
  grow(&StepParts::compute, 0.1);
  for (StepParts& s : steps) s.compute = s.launch = std::numeric_limits<double>::quiet_NaN();
  const auto found = find_decline(steps);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->cause, DeclineCause::other);
}

TEST_P(DeclineTest, ASlowStartIsNoDecline) {
  for (StepParts& s : steps)
    if (s.step < 100) s.seconds *= 2;
  EXPECT_FALSE(find_decline(steps));
}

INSTANTIATE_TEST_SUITE_P(Seeds, DeclineTest, ::testing::Range(1U, 6U));

}  // namespace
}  // namespace megascale::observe
