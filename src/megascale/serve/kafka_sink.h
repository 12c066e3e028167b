#ifndef MEGASCALE_SERVE_KAFKA_SINK_H_
#define MEGASCALE_SERVE_KAFKA_SINK_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "megascale/config/config.h"
#include "megascale/serve/streamer.h"

namespace megascale::serve {

// Sends messages to a topic of Kafka, through librdkafka and its threads. publish() never waits: messages
// are kept in a bounded queue until the brokers have them. If the queue is full, or if a message cannot be
// delivered for a minute, it is dropped and counted. Any thread may use the object.
class KafkaSink {
 public:
  struct Options {
    std::string brokers, topic;         // "host:port,host:port"
    std::vector<std::string> settings;  // "name=value", of librdkafka; they win over all others
    std::size_t most_waiting = 20'000;  // messages
    std::chrono::milliseconds patience{5000};  // how long the destructor waits for the brokers
  };
  // Connects in the background: brokers that are down are no error. Throws Error: unsupported in a build
  // without librdkafka; bad_input if librdkafka refuses a setting.
  explicit KafkaSink(const Options& options);
  KafkaSink(const KafkaSink&) = delete;
  KafkaSink& operator=(const KafkaSink&) = delete;
  // Waits until all is delivered, for the patience at most.
  ~KafkaSink();
  // Messages of equal keys go to one partition, so they keep their order.
  void publish(std::string_view key, std::string_view text);
  void count_dropped(std::int64_t count);  // of messages that were lost before
  // Waits as the destructor does, and drops the rest. Nothing can be published after it.
  void finish();
  [[nodiscard]] std::int64_t delivered() const;
  [[nodiscard]] std::int64_t dropped() const;
  // Returns the newest error that librdkafka has told, "" if there was none.
  [[nodiscard]] std::string error() const;

 private:
  struct Client;
  std::unique_ptr<Client> client_;
};

// Returns the sink that observe.kafka_brokers asks for, or null.
[[nodiscard]] std::shared_ptr<KafkaSink> kafka_sink(const ObserveConfig& config);
// Returns the messages of a run: objects with "type", "run" (its directory), and the numbers. A step has
// type "step" and the members of a line of metrics.jsonl. A rank's step has type "rank_step" and the numbers
// of step_store.h; it is "" if it would be larger than StepStore::kMostBytes.
[[nodiscard]] std::string step_message(std::string_view run, std::string_view metrics_line);
[[nodiscard]] std::string rank_step_message(std::string_view run, const StoredStep& step);
// Returns a sink for a Streamer that publishes every step.
[[nodiscard]] Streamer::Sink kafka_step_sink(const Config& config, std::shared_ptr<KafkaSink> sink);

}  // namespace megascale::serve

#endif  // MEGASCALE_SERVE_KAFKA_SINK_H_
