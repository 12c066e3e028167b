// The checker of invariants itself: a good log passes, and each kind of damage is found.
#include "megascale/control/invariants.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace megascale::control {
namespace {

class InvariantsTest : public ::testing::Test {
 protected:
  InvariantsTest() {
    add({.kind = EntryKind::session_started});
    add({.kind = EntryKind::attempt_started, .epoch = 1});
    add({.kind = EntryKind::order_given, .epoch = 1, .text = "1 start to a"});
    add({.kind = EntryKind::order_done, .epoch = 1, .text = "1 start"});
    add({.kind = EntryKind::attempt_training, .epoch = 1, .step = 0});
    add({.kind = EntryKind::checkpoint_committed, .epoch = 1, .step = 30});
    add({.kind = EntryKind::incident_opened, .epoch = 1, .incident = 1});
    add({.kind = EntryKind::attempt_ended, .epoch = 1, .step = 37});
    add({.kind = EntryKind::attempt_started, .epoch = 2, .incident = 1});
    add({.kind = EntryKind::attempt_training, .epoch = 2, .step = 30});
    add({.kind = EntryKind::incident_closed, .epoch = 2, .incident = 1});
    add({.kind = EntryKind::checkpoint_committed, .epoch = 2, .step = 40});
    add({.kind = EntryKind::attempt_ended, .epoch = 2, .step = 40});
    add({.kind = EntryKind::session_ended, .epoch = 2});
    incidents = {{.number = 1,
                  .epoch = 1,
                  .closed_ns = 5,
                  .rule = "dead_process",
                  .evidence = "e",
                  .action = "a",
                  .outcome = "o"}};
  }
  void add(LogEntry entry) { log.push_back(std::move(entry)); }
  // The invariants that the log violates, in order.
  [[nodiscard]] std::string violated(std::optional<std::int64_t> faults = 1) const {
    std::string letters;
    for (const Violation& violation : check_invariants(log, incidents, faults))
      letters += violation.invariant;
    return letters;
  }
  // The first event of a kind and epoch.
  LogEntry& find(EntryKind kind, std::int64_t epoch) {
    return *std::find_if(log.begin(), log.end(), [&](const LogEntry& entry) {
      return entry.kind == kind && entry.epoch == epoch;
    });
  }
  void erase(EntryKind kind, std::int64_t epoch) {
    log.erase(log.begin() + (&find(kind, epoch) - log.data()));
  }
  std::vector<LogEntry> log;
  std::vector<Incident> incidents;
};

TEST_F(InvariantsTest, AGoodLogPasses) { EXPECT_EQ(violated(), ""); }

TEST_F(InvariantsTest, TwoActiveEpochsAreFound) {
  erase(EntryKind::attempt_ended, 1);
  EXPECT_THAT(violated(), ::testing::HasSubstr("a"));
}
TEST_F(InvariantsTest, AnEpochThatIsUsedTwiceIsFound) {
  find(EntryKind::attempt_started, 2).epoch = 1;
  EXPECT_EQ(violated(), "a");
}
TEST_F(InvariantsTest, ACommittedStepThatDecreasesIsFound) {
  find(EntryKind::checkpoint_committed, 2).step = 20;
  EXPECT_EQ(violated(), "b");
  log.insert(log.begin() + 10, {.kind = EntryKind::rolled_back, .epoch = 2, .step = 10});
  EXPECT_EQ(violated(), "") << "unless it is a recorded rollback";
}
TEST_F(InvariantsTest, AStepThatWasLeftOutIsFound) {
  find(EntryKind::attempt_training, 2).step = 38;
  EXPECT_EQ(violated(), "cd");
}
TEST_F(InvariantsTest, AStateThatWasNotCommittedIsFound) {
  find(EntryKind::attempt_training, 2).step = 31;
  EXPECT_EQ(violated(), "d");
}
// The executor dies before it can say how far the steps had come; the next session finds checkpoints.
TEST_F(InvariantsTest, ACheckpointProvesThatItsStepsWereDone) {
  find(EntryKind::attempt_training, 2).step = 60;
  EXPECT_EQ(violated(), "cd");
  erase(EntryKind::checkpoint_committed, 2);
  log.insert(log.begin() + 9, {.kind = EntryKind::checkpoint_committed, .epoch = 2, .step = 60});
  EXPECT_EQ(violated(), "");
}
TEST_F(InvariantsTest, ACopyInMemoryMayBeLoaded) {
  find(EntryKind::attempt_training, 2).step = 35;
  EXPECT_EQ(violated(), "d");
  log.insert(log.begin() + 6, {.kind = EntryKind::copy_committed, .epoch = 1, .step = 35});
  EXPECT_EQ(violated(), "");
}
TEST_F(InvariantsTest, ARestartWithoutACauseIsFound) {
  find(EntryKind::attempt_started, 2).incident = 0;
  EXPECT_EQ(violated(), "e");
}
TEST_F(InvariantsTest, AnIncidentWithoutEvidenceOrOutcomeIsFound) {
  incidents[0].evidence.clear();
  EXPECT_EQ(violated(), "e");
  incidents[0].evidence = "e";
  incidents[0].outcome.clear();
  EXPECT_EQ(violated(), "e");
}
TEST_F(InvariantsTest, AnOrderThatIsGivenTwiceIsFound) {
  add({.kind = EntryKind::order_given, .epoch = 2, .text = "1 start to a"});
  EXPECT_EQ(violated(), "e");
}
TEST_F(InvariantsTest, TooManyAndTooFewIncidentsAreFound) {
  EXPECT_EQ(violated(0), "g");
  EXPECT_EQ(violated(2), "g");
  EXPECT_EQ(violated(std::nullopt), "");
}

}  // namespace
}  // namespace megascale::control
