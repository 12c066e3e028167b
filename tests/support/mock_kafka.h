#ifndef MEGASCALE_TESTS_SUPPORT_MOCK_KAFKA_H_
#define MEGASCALE_TESTS_SUPPORT_MOCK_KAFKA_H_

#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace megascale::testing {

// A Kafka cluster of one broker in this process, which librdkafka brings for tests, with one topic of one
// partition.
class MockKafka {
 public:
  static constexpr const char* kTopic = "steps";
  MockKafka() : client_(make(RD_KAFKA_PRODUCER, {})) {
    cluster_ = rd_kafka_mock_cluster_new(client_, 1);
    if (cluster_ == nullptr) throw std::runtime_error("no mock cluster");
    rd_kafka_mock_topic_create(cluster_, kTopic, 1, 1);
  }
  ~MockKafka() {
    rd_kafka_mock_cluster_destroy(cluster_);
    rd_kafka_destroy(client_);
  }
  MockKafka(const MockKafka&) = delete;
  MockKafka& operator=(const MockKafka&) = delete;
  [[nodiscard]] std::string brokers() const { return rd_kafka_mock_cluster_bootstraps(cluster_); }
  [[nodiscard]] rd_kafka_mock_cluster_t* cluster() const { return cluster_; }
  // The first `count` messages; fewer if they do not come within a minute.
  [[nodiscard]] std::vector<std::string> messages(std::size_t count) const {
    rd_kafka_t* consumer = make(RD_KAFKA_CONSUMER, brokers());
    rd_kafka_topic_t* topic = rd_kafka_topic_new(consumer, kTopic, nullptr);
    rd_kafka_consume_start(topic, 0, RD_KAFKA_OFFSET_BEGINNING);
    std::vector<std::string> texts;
    for (int tries = 0; texts.size() < count && tries < 60; ++tries) {
      while (rd_kafka_message_t* message = rd_kafka_consume(topic, 0, 1000)) {
        if (message->err == RD_KAFKA_RESP_ERR_NO_ERROR)
          texts.emplace_back(static_cast<const char*>(message->payload), message->len);
        rd_kafka_message_destroy(message);
        if (texts.size() == count) break;
      }
    }
    rd_kafka_consume_stop(topic, 0);
    rd_kafka_topic_destroy(topic);
    rd_kafka_destroy(consumer);
    return texts;
  }

 private:
  static rd_kafka_t* make(rd_kafka_type_t type, const std::string& brokers) {
    rd_kafka_conf_t* conf = rd_kafka_conf_new();
    if (!brokers.empty()) rd_kafka_conf_set(conf, "bootstrap.servers", brokers.c_str(), nullptr, 0);
    rd_kafka_conf_set_log_cb(conf, nullptr);
    rd_kafka_t* client = rd_kafka_new(type, conf, nullptr, 0);
    if (client == nullptr) throw std::runtime_error("no client");
    return client;
  }
  rd_kafka_t* client_;
  rd_kafka_mock_cluster_t* cluster_ = nullptr;
};

}  // namespace megascale::testing

#endif  // MEGASCALE_TESTS_SUPPORT_MOCK_KAFKA_H_
