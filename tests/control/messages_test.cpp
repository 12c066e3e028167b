// Messages between driver and executors: text and back, what is refused, and what has no effect.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "megascale/base/error.h"
#include "megascale/control/message_gate.h"
#include "megascale/control/message_text.h"

namespace megascale::control {
namespace {

using ::testing::HasSubstr;

Heartbeat some_heartbeat() {
  Heartbeat heartbeat{.job = "j", .host = "a", .incarnation = 7, .sequence = 3, .epoch = 2};
  heartbeat.acknowledged = 4;
  heartbeat.stop_requested = true;
  heartbeat.facts = {.cores = 2, .memory_bytes = std::uint64_t{1} << 40};
  heartbeat.ranks = {{.rank = 1,
                      .process_id = 99,
                      .state = RankState::ended,
                      .signal = 9,
                      .end_number = 1,
                      .resumed_step = 30,
                      .steps_done = 37,
                      .tasks_done = 12,
                      .in_step = true,
                      .idle_seconds = 0.25,
                      .step_seconds = 0.125}};
  heartbeat.ranks.push_back({.rank = 2, .process_id = 100});
  heartbeat.ranks[1].position = {.plan_digest = "d",
                                 .tasks = 9,
                                 .step = 37,
                                 .last_ns = 5,
                                 .done = {0, 4},
                                 .started = {4},
                                 .matched = {4}};
  heartbeat.ranks[1].plan = ~std::uint64_t{0};
  heartbeat.ranks[1].out_of_memory = true;
  heartbeat.ranks[1].groups = {~std::uint64_t{0}, 0};
  heartbeat.ranks[1].outcomes = {{.step = 36,
                                  .loss = std::numeric_limits<double>::infinity(),
                                  .gradient_norm = -1.5,
                                  .compute_ns = 7,
                                  .digests = {~std::uint64_t{0}, 1},
                                  .work_ns = 6,
                                  .core_wait_ns = 5,
                                  .transfer_core_wait_ns = 4,
                                  .input_core_wait_ns = 3}};
  heartbeat.findings = {{.rank = 1, .keyword = "memory", .line = "out of \"memory\"\n"}};
  heartbeat.interfaces = {{.name = "eth0", .received = 3, .sent = std::int64_t{1} << 50}};
  heartbeat.checkpoints = {20, 30};
  heartbeat.copies = {33, 34};
  heartbeat.stall_seconds = 1.5;
  return heartbeat;
}

Reply some_reply() {
  return {.sequence = 3,
          .epoch = 2,
          .refused = "no",
          .orders = {{.number = 5,
                      .host = "a",
                      .kind = OrderKind::start,
                      .epoch = 3,
                      .ranks = 4,
                      .world_size = 4,
                      .arguments = {"megascale", "train", "a b"},
                      .load_at_most = 20,
                      .text = "t"},
                     {.number = 6, .host = "a", .kind = OrderKind::stop, .grace_seconds = 2}}};
}

std::string refusal_of(const std::string& heartbeat) {
  try {
    (void)parse_heartbeat(heartbeat);
  } catch (const Error& error) {
    return error.code() == ErrorCode::bad_input ? error.message() : "another code";
  }
  return "";
}

TEST(MessagesTest, SurviveTheWayThroughText) {
  EXPECT_EQ(parse_heartbeat(to_text(some_heartbeat())), some_heartbeat());
  EXPECT_EQ(parse_reply(to_text(some_reply())), some_reply());
}

TEST(MessagesTest, AHeartbeatMayHaveTheResultOfSelfChecks) {
  Heartbeat heartbeat = some_heartbeat();
  heartbeat.check = {.order = 9, .passed = false, .text = "disk", .kind = "k", .digest = "d"};
  const std::string text = to_text(heartbeat);
  EXPECT_EQ(parse_heartbeat(text), heartbeat);
  Json wrong = Json::parse(text);
  for (const auto& [key, value] : wrong["check"].items()) {
    Json without = wrong;
    without["check"].erase(key);
    EXPECT_THAT(refusal_of(without.dump()), HasSubstr(key));
  }
}

TEST(MessagesTest, ADamagedOutcomeOrPositionIsRefused) {
  const Json good = Json::parse(to_text(some_heartbeat()));
  for (const char* bad :
       {"", "1", "0 1 2 3 4 5 6 7 8 9", "0 1 2 3 4 5 6 7 8 9 a b", "g 0 0 0 0 0 0 0 0 0 0",
        "ffffffffffffffff 0 0 0 0 0 0 0 0 0 0", "0  0 0 0 0 0 0 0 0 0 0"}) {
    Json wrong = good;
    wrong["ranks"][1]["outcomes"][0] = bad;
    EXPECT_THAT(refusal_of(wrong.dump()), HasSubstr("the outcome of a step: expected 15")) << bad;
  }
  Json wrong = good;
  wrong["ranks"][1]["groups"][0] = "x";
  EXPECT_THAT(refusal_of(wrong.dump()), HasSubstr("a group of ranks: expected"));
  for (const auto& [key, value] : good["ranks"][1]["position"].items()) {
    wrong = good;
    wrong["ranks"][1]["position"][key] = Json::object();
    EXPECT_THAT(refusal_of(wrong.dump()), HasSubstr(key + ": expected"));
  }
}

TEST(MessagesTest, AnOutcomeOfAnEarlierVersionIsRead) {
  Json before = Json::parse(to_text(some_heartbeat()));
  before["ranks"][1]["outcomes"][0] = "7 0 0 0 5 0 0 0 0 0 3";
  StepOutcome expected{.step = 7, .compute_ns = 5, .damaged = 3};
  EXPECT_EQ(parse_heartbeat(before.dump()).ranks[1].outcomes[0], expected);
  before["ranks"][1]["outcomes"][0] = "7 0 0 0 5 0 0 0 0 0 3 9 8";
  expected.work_ns = 9;
  expected.core_wait_ns = 8;
  EXPECT_EQ(parse_heartbeat(before.dump()).ranks[1].outcomes[0], expected);
}

TEST(MessagesTest, EveryMissingOrWrongMemberIsNamed) {
  const Json good = Json::parse(to_text(some_heartbeat()));
  for (const auto& [key, value] : good.items()) {
    Json without = good;
    without.erase(key);
    EXPECT_THAT(refusal_of(without.dump()), HasSubstr(key));
    Json wrong = good;
    wrong[key] = Json::object();
    EXPECT_THAT(refusal_of(wrong.dump()), HasSubstr(key + ": expected"));
  }
  for (const auto& [key, value] : good["ranks"][0].items()) {
    Json wrong = good;
    wrong["ranks"][0][key] = "x";
    EXPECT_THAT(refusal_of(wrong.dump()), HasSubstr(key + ": expected"));
  }
}

TEST(MessagesTest, HostileTextIsRefused) {
  Json large = Json::parse(to_text(some_heartbeat()));
  large["host"] = std::string(kMostTextBytes + 1, 'x');
  Json many = Json::parse(to_text(some_heartbeat()));
  many["checkpoints"] = std::vector<int>(kMostItems + 1, 1);
  Json negative = Json::parse(to_text(some_heartbeat()));
  negative["sequence"] = -1;
  Json huge = Json::parse(to_text(some_heartbeat()));
  huge["sequence"] = std::uint64_t{1} << 63U;
  for (const std::string& text :
       {std::string(), std::string("null"), std::string("[1]"), std::string("{\"job\":"),
        std::string(100'000, '['), std::string("\xff\xfe\0x", 4), large.dump(), many.dump(),
        negative.dump(), huge.dump()}) {
    EXPECT_NE(refusal_of(text), "") << text.substr(0, 80);
  }
}

TEST(MessagesTest, BytesThatAreNoTextAreReplaced) {
  Heartbeat heartbeat = some_heartbeat();
  heartbeat.findings[0].line = "bad \xff byte";
  EXPECT_THAT(parse_heartbeat(to_text(heartbeat)).findings[0].line, HasSubstr(" byte"));
}

TEST(HeartbeatGateTest, DuplicateAndOvertakenOnesAreIgnored) {
  HeartbeatGate gate("j");
  Heartbeat heartbeat = some_heartbeat();
  using Answer = HeartbeatGate::Answer;
  EXPECT_EQ(gate.check(heartbeat, 2).answer, Answer::take);
  EXPECT_EQ(gate.check(heartbeat, 2).answer, Answer::ignore);
  heartbeat.sequence = 2;
  EXPECT_EQ(gate.check(heartbeat, 2).answer, Answer::ignore);
  heartbeat.sequence = 4;
  EXPECT_EQ(gate.check(heartbeat, 2).answer, Answer::take);
}

TEST(HeartbeatGateTest, StaleExecutorsAndOtherJobsAreRefused) {
  HeartbeatGate gate("j");
  Heartbeat heartbeat = some_heartbeat();
  using Answer = HeartbeatGate::Answer;
  ASSERT_EQ(gate.check(heartbeat, 2).answer, Answer::take);
  Heartbeat older = heartbeat;
  older.incarnation = 6;
  older.sequence = 100;
  EXPECT_EQ(gate.check(older, 2).answer, Answer::refuse);
  EXPECT_THAT(gate.check(older, 2).reason, HasSubstr("replaced by a newer one"));
  Heartbeat newer = heartbeat;  // begins to count anew
  newer.incarnation = 8;
  newer.sequence = 1;
  EXPECT_EQ(gate.check(newer, 2).answer, Answer::take);
  EXPECT_EQ(gate.check(heartbeat, 2).answer, Answer::refuse);
  newer.sequence = 2;
  newer.epoch = 3;
  EXPECT_THAT(gate.check(newer, 2).reason, HasSubstr("another driver"));
  newer.epoch = 2;
  newer.job = "other";
  EXPECT_THAT(gate.check(newer, 2).reason, HasSubstr("expected job j"));
}

TEST(OrderGateTest, AdmitsEveryOrderOnceAndNoneOfAnOldEpoch) {
  OrderGate gate;
  const Order start{.number = 3, .kind = OrderKind::start, .epoch = 1};
  EXPECT_TRUE(gate.admits(start));
  gate.done(start);
  EXPECT_FALSE(gate.admits(start)) << "a duplicate";
  EXPECT_FALSE(gate.admits({.number = 2, .kind = OrderKind::stop, .epoch = 1})) << "overtaken";
  EXPECT_TRUE(gate.admits({.number = 4, .kind = OrderKind::stop, .epoch = 1}));
  EXPECT_FALSE(gate.admits({.number = 4, .kind = OrderKind::start, .epoch = 1})) << "a used epoch";
  const Order next{.number = 5, .kind = OrderKind::start, .epoch = 2};
  ASSERT_TRUE(gate.admits(next));
  gate.done(next);
  EXPECT_FALSE(gate.admits({.number = 6, .kind = OrderKind::stop, .epoch = 1})) << "old epoch";
  EXPECT_EQ(gate.epoch(), 2);
  EXPECT_EQ(gate.acknowledged(), 5);
}

}  // namespace
}  // namespace megascale::control
