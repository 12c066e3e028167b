// Outcomes of steps: what a ring was given comes back, and nothing else.
#include "megascale/observe/outcome_reader.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "megascale/base/outcome_table_format.h"
#include "megascale/runtime/record_ring.h"
#include "support/scratch_directory.h"

namespace megascale::observe {
namespace {

StepOutcome outcome_of_step(std::int64_t step) {
  return {.step = step, .loss = 2.5 + static_cast<double>(step), .digests = {7, 8}};
}

TEST(OutcomeReaderTest, ReturnsTheLastOnesInOrder) {
  const testing::ScratchDirectory scratch;
  const auto path = scratch / "ring";
  runtime::RecordRing ring(path, {.tasks = 3, .steps = 2, .outcomes = 4, .groups = {11, 12}});
  EXPECT_TRUE(read_outcomes(path, -1).steps.empty());
  for (std::int64_t step = 0; step < 6; ++step) ring.put_outcome(outcome_of_step(step));
  const Outcomes outcomes = read_outcomes(path, -1);
  EXPECT_EQ(outcomes.process_id, static_cast<std::uint32_t>(::getpid()));
  EXPECT_EQ(outcomes.groups[0], 11U);
  EXPECT_EQ(outcomes.groups[1], 12U);
  ASSERT_EQ(outcomes.steps.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_EQ(outcomes.steps[i], outcome_of_step(static_cast<std::int64_t>(i) + 2));
  EXPECT_EQ(read_outcomes(path, 4).steps.size(), 1U);
}

TEST(OutcomeReaderTest, FollowsTheStepsOverTheEndOfTheTable) {
  const testing::ScratchDirectory scratch;
  const auto path = scratch / "ring";
  runtime::RecordRing ring(path, {.tasks = 3, .steps = 2, .outcomes = 40});
  const auto steps_after = [&](std::int64_t after) {
    std::vector<std::int64_t> steps;
    for (const StepOutcome& outcome : read_outcomes(path, after).steps) {
      EXPECT_EQ(outcome, outcome_of_step(outcome.step));
      steps.push_back(outcome.step);
    }
    return steps;
  };
  const auto all_from = [](std::int64_t first, std::int64_t last) {
    std::vector<std::int64_t> steps;
    for (std::int64_t step = first; step <= last; ++step) steps.push_back(step);
    return steps;
  };
  for (std::int64_t step = 0; step < 100; ++step) ring.put_outcome(outcome_of_step(step));
  EXPECT_EQ(steps_after(70), all_from(71, 99));
  EXPECT_EQ(steps_after(98), all_from(99, 99));
  EXPECT_EQ(steps_after(99), all_from(1, 0));
  EXPECT_EQ(steps_after(10), all_from(60, 99));  // those in between are lost
  EXPECT_EQ(steps_after(59), all_from(60, 99));  // the whole table
}

TEST(OutcomeReaderTest, LeavesOutAnEntryThatIsBeingWritten) {
  const testing::ScratchDirectory scratch;
  const auto path = scratch / "ring";
  runtime::RecordRing ring(path, {.tasks = 3, .steps = 2, .outcomes = 4});
  ring.put_outcome(outcome_of_step(0));
  ring.put_outcome(outcome_of_step(1));
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(static_cast<std::streamoff>(outcome_table_offset(3, 2) + sizeof(OutcomeTableHeader) +
                                         sizeof(std::int64_t)));
  file.put('\1');  // a byte of the loss of step 0
  file.close();
  const Outcomes outcomes = read_outcomes(path, -1);
  ASSERT_EQ(outcomes.steps.size(), 1U);
  EXPECT_EQ(outcomes.steps[0].step, 1);
}

TEST(OutcomeReaderTest, ARingWithoutATableHasNone) {
  const testing::ScratchDirectory scratch;
  const runtime::RecordRing ring(scratch / "ring", {.tasks = 3, .steps = 2});
  EXPECT_TRUE(read_outcomes(scratch / "ring", -1).steps.empty());
  EXPECT_TRUE(read_outcomes(scratch / "absent", -1).steps.empty());
  EXPECT_TRUE(read_outcomes(scratch.write("text", std::string(1000, 'x')), -1).steps.empty());
}

}  // namespace
}  // namespace megascale::observe
