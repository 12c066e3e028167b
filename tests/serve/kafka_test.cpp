// Goal: messages reach Kafka in order; brokers that are dead, slow or refuse cost only counted messages.
// Method: a cluster of librdkafka's own in this process. No test waits for a time: a call that waited
// for dead brokers would not end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "megascale/base/error.h"
#include "megascale/serve/kafka_sink.h"
#include "support/mock_kafka.h"

namespace megascale::serve {
namespace {

using ::testing::HasSubstr;
using namespace std::chrono_literals;

constexpr const char* kNobody = "127.0.0.1:1";  // where nobody listens

TEST(KafkaSinkTest, MessagesComeInOrder) {
  const testing::MockKafka kafka;
  std::int64_t delivered = 0;
  {
    KafkaSink sink({.brokers = kafka.brokers(), .topic = kafka.kTopic, .patience = 60s});
    for (int i = 0; i < 500; ++i) sink.publish("run", std::to_string(i));
    sink.finish();
    delivered = sink.delivered();
    EXPECT_EQ(sink.dropped(), 0) << sink.error();
    sink.publish("run", "too late");
    EXPECT_EQ(sink.dropped(), 1);
  }
  EXPECT_EQ(delivered, 500);
  const auto texts = kafka.messages(500);
  ASSERT_EQ(texts.size(), 500U);
  for (std::size_t i = 0; i < texts.size(); ++i) ASSERT_EQ(texts[i], std::to_string(i));
}

TEST(KafkaSinkTest, DeadBrokersCostCountedMessages) {
  KafkaSink sink({.brokers = kNobody, .topic = "steps", .most_waiting = 10, .patience = 1ms});
  for (int i = 0; i < 1000; ++i) sink.publish("run", "text");
  EXPECT_EQ(sink.dropped(), 990) << "no more than 10 wait";
  sink.finish();
  EXPECT_EQ(sink.dropped(), 1000);
  EXPECT_EQ(sink.delivered(), 0);
  EXPECT_FALSE(sink.error().empty());
}

TEST(KafkaSinkTest, ASlowBrokerGetsWhatItCanAndTheRestIsCounted) {
  const testing::MockKafka kafka;
  rd_kafka_mock_broker_set_rtt(kafka.cluster(), 1, 60'000);
  KafkaSink sink(
      {.brokers = kafka.brokers(), .topic = kafka.kTopic, .most_waiting = 100, .patience = 1ms});
  for (int i = 0; i < 1000; ++i) sink.publish("run", "text");
  sink.finish();
  EXPECT_EQ(sink.dropped() + sink.delivered(), 1000);
  EXPECT_GE(sink.dropped(), 900);
}

TEST(KafkaSinkTest, ABrokerThatRefusesIsNamed) {
  const testing::MockKafka kafka;
  constexpr int kProduce = 0;  // the number of this request in Kafka's protocol
  rd_kafka_mock_push_request_errors(kafka.cluster(), kProduce, 1,
                                    RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED);
  KafkaSink sink({.brokers = kafka.brokers(), .topic = kafka.kTopic, .patience = 60s});
  sink.publish("run", "text");
  sink.finish();
  EXPECT_EQ(sink.dropped(), 1);
  EXPECT_THAT(sink.error(), HasSubstr("authorization failed"));
}

TEST(KafkaSinkTest, SettingsThatLibrdkafkaRefusesAreErrors) {
  const auto message = [](const std::string& setting) -> std::string {
    try {
      const KafkaSink sink({.brokers = kNobody, .topic = "steps", .settings = {setting}});
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_input);
      return error.message();
    }
    return "accepted";
  };
  EXPECT_THAT(message("no.such.thing=1"), HasSubstr("no.such.thing=1 is refused"));
  EXPECT_THAT(message("linger.ms=many"), HasSubstr("linger.ms"));
  EXPECT_THAT(message("word"), HasSubstr("expected name=value, found word"));
}

StoredStep some_step(std::int64_t number) {
  StoredStep step{.rank = 3, .step = number, .host = "here", .work = "w"};
  step.entry.numbers.times = {.step = 0.5, .compute = 0.25, .by_op = {{"gemm", 0.125}}};
  return step;
}

TEST(KafkaMessagesTest, NameRunRankAndStepAndHoldTheNumbers) {
  const auto step = nlohmann::json::parse(step_message("runs/a", R"({"step": 7, "loss": 2.5})"));
  EXPECT_EQ(step,
            nlohmann::json::parse(R"({"type": "step", "run": "runs/a", "step": 7, "loss": 2.5})"));
  const auto rank = nlohmann::json::parse(rank_step_message("runs/a", some_step(7)));
  EXPECT_EQ(rank.at("type"), "rank_step");
  EXPECT_EQ(rank.at("rank"), 3);
  EXPECT_EQ(rank.at("step"), 7);
  EXPECT_EQ(rank.at("numbers").at("times").at(1), 0.25);
}

TEST(KafkaMessagesTest, AStepThatIsTooLargeIsCountedAndNotSent) {
  StoredStep step = some_step(1);
  for (int op = 0; op < 5000; ++op)
    step.entry.numbers.times.by_op["long_name_of_op_" + std::to_string(op)] = 0.1;
  EXPECT_EQ(rank_step_message("runs/a", step).size(), 0U);
  const auto sink = std::make_shared<KafkaSink>(
      KafkaSink::Options{.brokers = kNobody, .topic = "steps", .patience = 1ms});
  const std::vector<StoredStep> steps{step};
  kafka_step_sink(Config{}, sink)(steps, 4);
  EXPECT_EQ(sink->dropped(), 5);
}

TEST(JoinedSinksTest, OneThatFailsDoesNotStopTheOthers) {
  int stored = 0, told = 0;
  const Streamer::Sink bad = [](std::span<const StoredStep>, std::int64_t) {
    throw Error(ErrorCode::io, "no space left");
  };
  const Streamer::Sink good = [&](std::span<const StoredStep>, std::int64_t) { ++stored; };
  const auto joined = join_sinks({bad, good}, [&](const std::string& text) {
    EXPECT_THAT(text, HasSubstr("no space left"));
    ++told;
  });
  for (int call = 0; call < 3; ++call) joined({}, 0);
  EXPECT_EQ(stored, 3);
  EXPECT_EQ(told, 1);
  const auto alone = join_sinks({bad}, [](const std::string&) {});
  EXPECT_THROW(alone({}, 0), Error);
}

}  // namespace
}  // namespace megascale::serve
