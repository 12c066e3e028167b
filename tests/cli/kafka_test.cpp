// Goal: a training sends the metrics of every step and the numbers of every rank and step to Kafka, and
// a broker that is dead stops nothing.
// Method: the real program, and a cluster of librdkafka's own in this process.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "cli/workspace.h"
#include "support/mock_kafka.h"

namespace megascale::testing {
namespace {

// The rings hold all 12 steps, so that a busy machine loses none.
std::vector<std::string> two_ranks(const std::string& brokers) {
  return {"parallel.world_size=2", "observe.ring_steps=64", "observe.kafka_brokers=" + brokers,
          std::string("observe.kafka_topic=") + MockKafka::kTopic};
}

TEST(KafkaTrainingTest, EveryStepOfEveryRankIsSent) {
  const MockKafka kafka;
  const Workspace space;
  const Finished trained = space.train("run", two_ranks(kafka.brokers()));
  ASSERT_EQ(trained.exit_code, 0) << trained;
  std::set<int> steps;
  std::set<std::pair<int, int>> of_ranks;
  for (const std::string& text : kafka.messages(12 + 2 * 12)) {
    const auto message = nlohmann::json::parse(text);
    EXPECT_EQ(message.at("run"), (space / "run").string());
    if (message.at("type") == "step") {
      EXPECT_GT(message.at("loss"), 0);
      steps.insert(message.at("step").get<int>());
    } else {
      EXPECT_GT(message.at("numbers").at("times").at(0), 0);
      of_ranks.emplace(message.at("rank"), message.at("step"));
    }
  }
  EXPECT_EQ(steps.size(), 12U) << trained;
  EXPECT_EQ(of_ranks.size(), 24U) << trained;
}

TEST(KafkaTrainingTest, ADeadBrokerStopsNothingAndTheLossIsTold) {
  const Workspace space;
  const Finished with = space.train("with", two_ranks("127.0.0.1:1"));
  const Finished without = space.train("without", {"parallel.world_size=2"});
  ASSERT_EQ(with.exit_code, 0) << with;
  EXPECT_THAT(with.err, ::testing::HasSubstr("0 messages were delivered, 36 were dropped"));
  EXPECT_EQ(history_of(space / "with"), history_of(space / "without"));
}

}  // namespace
}  // namespace megascale::testing
