// Faults that leave the processes of a job alive: the culprit is named, and the job recovers to the
// bits of a run without a fault. tests/faults/faulty_product.cpp injects them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/fault_support.h"
#include "cli/rank_memory.h"

namespace megascale::testing {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;

// A load of the machine makes a rank look frozen only if it lasts for 4.5 s.
const Settings kHangs{"kernels.matrix_unit=false", "control.frozen_seconds=3.0",
                      "control.frozen_multiple=10"};

TEST_F(FaultTest, ARankThatHangsInATaskIsNamedByThePlan) {
  Process process(robust("run", kHangs), with_fault("spin", 2));
  ASSERT_TRUE(trains(process, "run", 1, 10)) << process.err();
  begin_fault();
  ASSERT_TRUE(has_said(process, "the other ranks are stopped")) << process.err();
  end_fault();
  const Finished done = stop(process, "run", 2);
  ASSERT_EQ(done.exit_code, 0) << done;
  const auto found = incidents("run");
  ASSERT_EQ(found.size(), 1U) << found;
  EXPECT_EQ(found[0].at("rule"), "frozen_process");
  EXPECT_EQ(found[0].at("rank"), 2) << found;
  EXPECT_THAT(
      found[0].at("what").get<std::string>(),
      AllOf(HasSubstr("rank 2 holds up the others, step "), HasSubstr("lane compute, task "),
            HasSubstr("has started this task and not finished it")))
      << found;
  EXPECT_THAT(found[0].at("evidence").get<std::string>(),
              HasSubstr("3 ranks wait for it: 0, 1, 3; where every rank stands is in"))
      << found;
  const auto file = nlohmann::json::parse(read(space / "run/control/incident-1.json"));
  EXPECT_EQ(file.at("ranks").size(), 4U);
  for (const auto& rank : file.at("ranks")) EXPECT_TRUE(rank.contains("position")) << rank;
  expect_sound("run", 1);
  expect_bits_of_whole_run("run", done, kHangs);
}

// Steps that take some milliseconds, so that no outcome is left out of a heartbeat.
const Settings kCopies{"parallel.tensor_model_parallel_size=1", "parallel.zero_stage=0",
                       "train.global_batch_size=8", "train.micro_batch_size=1",
                       "kernels.matrix_unit=false"};

class WrongValueTest : public FaultTest {
 protected:
  // Ends the job once it has recovered to the bits of a run without a fault, and returns its only
  // incident, which has this rule.
  [[nodiscard]] nlohmann::json recovered(Process& process, const std::string& rule) const {
    const Finished done = stop(process, "run", 2);
    EXPECT_EQ(done.exit_code, 0) << done;
    const auto found = incidents("run");
    if (found.size() != 1U) {
      ADD_FAILURE() << "expected one incident, found " << found;
      return {{"rule", ""}, {"rank", -1}, {"what", ""}, {"evidence", ""}, {"outcome", ""}};
    }
    EXPECT_EQ(found[0].at("rule"), rule) << found;
    expect_sound("run", 1);
    expect_bits_of_whole_run("run", done, kCopies);
    return found[0];
  }
};

// The member of an incident that is text.
std::string text_of(const nlohmann::json& incident, const char* member) {
  return incident.at(member).get<std::string>();
}

TEST_F(WrongValueTest, AFlippedBitInACopyOfTheStateIsFoundAndUndone) {
  Process process(robust("run", kCopies));
  ASSERT_TRUE(trains(process, "run", 1, 10)) << process.err();
  ASSERT_EQ(flip_bit(space / "run", processes_of(space / "run").at(2), "parameters", 5, 21), "");
  const auto incident = recovered(process, "state_digest");
  EXPECT_EQ(incident.at("rank"), 2) << incident;
  EXPECT_THAT(text_of(incident, "outcome"), HasSubstr("resumed at step"));
}

TEST_F(WrongValueTest, AStepThatIsNotFiniteIsReplayed) {
  Process process(robust("run", kCopies), with_fault("nan", 1));
  ASSERT_TRUE(trains(process, "run", 1, 20)) << process.err();
  begin_fault();
  const auto incident = recovered(process, "bad_loss");
  EXPECT_THAT(text_of(incident, "outcome"),
              AllOf(HasSubstr("resumed at step"), HasSubstr("hardware was at fault")));
}

TEST_F(WrongValueTest, AFlippedBitOnTheWireNamesTheLink) {
  Settings checked = kCopies;
  checked.emplace_back("parallel.wire_checksums=true");
  Process process(robust("run", checked), with_fault("wire_flip", 1, 77));
  ASSERT_TRUE(trains(process, "run", 1, 10)) << process.err();
  begin_fault();
  const auto incident = recovered(process, "wire_damage");
  EXPECT_THAT(text_of(incident, "what"),
              AllOf(HasSubstr("a message of rank 1 to rank "), HasSubstr("changed on the way")));
  // Once in a while it is a message of a commit.
  EXPECT_THAT(text_of(incident, "evidence"),
              AnyOf(AllOf(HasSubstr("while running task "), HasSubstr("running step ")),
                    HasSubstr("of group coordination")));
}

TEST_F(WrongValueTest, ATaskWithTwoResultsIsFoundInItsStep) {
  Settings repeated = kCopies;
  repeated.emplace_back("train.repeat_interval=1");
  Process process(robust("run", repeated), with_fault("flip", 1, 9));
  ASSERT_TRUE(trains(process, "run", 1, 10)) << process.err();
  begin_fault();
  const auto incident = recovered(process, "two_results");
  EXPECT_EQ(incident.at("rank"), 1) << incident;
  EXPECT_THAT(
      text_of(incident, "evidence"),
      AllOf(HasSubstr("1 of "), HasSubstr("while running task "), HasSubstr("running step ")));
}

TEST_F(FaultTest, ARunThatDivergesByItselfEndsWithItsOwnCode) {
  Settings set = kCopies;
  // The driver, which looks at every heartbeat, must see a bad loss before the ranks give up.
  set.insert(set.end(), {"optimizer.lr=1e6", "optimizer.clip_grad=0",
                         "train.max_skipped_steps=1000", "train.train_iters=10000"});
  const Finished done = megascale(robust("run", set));
  EXPECT_EQ(done.exit_code, 4) << done;
  const auto found = incidents("run");
  ASSERT_EQ(found.size(), 2U) << found;
  EXPECT_EQ(found[0].at("rule"), "bad_loss");
  EXPECT_THAT(found[0].at("outcome").get<std::string>(), HasSubstr("data or code are the cause"));
  EXPECT_EQ(found[1].at("what"), "the run has diverged");
  expect_sound("run", 2);
}

}  // namespace
}  // namespace megascale::testing
