// librdkafka queues, retries and delivers on threads of its own. It tells the fate of each message through
// a callback, which runs where rd_kafka_poll() is called: here at each publish() and at each question.
#include "megascale/serve/kafka_sink.h"

#include <fmt/format.h>
#include <librdkafka/rdkafka.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>

#include "megascale/base/error.h"

namespace megascale::serve {
namespace {

void set(rd_kafka_conf_t* conf, const std::string& name, const std::string& value) {
  std::array<char, 512> why{};
  if (rd_kafka_conf_set(conf, name.c_str(), value.c_str(), why.data(), why.size()) !=
      RD_KAFKA_CONF_OK) {
    throw Error(ErrorCode::bad_input, fmt::format("observe.kafka_settings: {}={} is refused: {}",
                                                  name, value, why.data()));
  }
}

}  // namespace

struct KafkaSink::Client {
  rd_kafka_t* kafka = nullptr;
  rd_kafka_topic_t* topic = nullptr;
  std::chrono::milliseconds patience{};
  std::atomic<std::int64_t> delivered = 0, dropped = 0;
  mutable std::mutex mutex;  // of `error`, and of the end
  std::string error;
  bool ended = false;

  static void on_delivery(rd_kafka_t*, const rd_kafka_message_t* message, void* opaque) {
    auto& client = *static_cast<Client*>(opaque);
    ++(message->err == RD_KAFKA_RESP_ERR_NO_ERROR ? client.delivered : client.dropped);
    if (message->err != RD_KAFKA_RESP_ERR_NO_ERROR) client.note(rd_kafka_err2str(message->err));
  }
  static void on_error(rd_kafka_t*, int, const char* reason, void* opaque) {
    static_cast<Client*>(opaque)->note(reason);
  }
  void note(std::string text) {
    const std::lock_guard lock(mutex);
    error = std::move(text);
  }

  rd_kafka_conf_t* configure(const Options& options) {
    rd_kafka_conf_t* conf = rd_kafka_conf_new();
    try {
      set(conf, "client.id", "megascale");
      set(conf, "bootstrap.servers", options.brokers);
      set(conf, "queue.buffering.max.messages", std::to_string(options.most_waiting));
      set(conf, "queue.buffering.max.kbytes", "65536");
      set(conf, "linger.ms", "100");  // collects messages, for fewer requests
      set(conf, "message.timeout.ms", "60000");
      for (const std::string& setting : options.settings) {
        const std::size_t at = setting.find('=');
        if (at == std::string::npos) {
          throw Error(
              ErrorCode::bad_input,
              fmt::format("observe.kafka_settings: expected name=value, found {}", setting));
        }
        set(conf, setting.substr(0, at), setting.substr(at + 1));
      }
    } catch (...) {
      rd_kafka_conf_destroy(conf);
      throw;
    }
    rd_kafka_conf_set_opaque(conf, this);
    rd_kafka_conf_set_dr_msg_cb(conf, on_delivery);
    rd_kafka_conf_set_error_cb(conf, on_error);
    // Its lines would appear between those of the run; error() has the newest one.
    rd_kafka_conf_set_log_cb(conf, nullptr);
    return conf;
  }
};

KafkaSink::KafkaSink(const Options& options) : client_(std::make_unique<Client>()) {
  client_->patience = options.patience;
  rd_kafka_conf_t* conf = client_->configure(options);
  std::array<char, 512> why{};
  client_->kafka = rd_kafka_new(RD_KAFKA_PRODUCER, conf, why.data(), why.size());
  if (client_->kafka == nullptr) {
    rd_kafka_conf_destroy(conf);
    throw Error(ErrorCode::bad_input, fmt::format("observe.kafka_brokers: {}", why.data()));
  }
  client_->topic = rd_kafka_topic_new(client_->kafka, options.topic.c_str(), nullptr);
  if (client_->topic == nullptr) {
    const char* text = rd_kafka_err2str(rd_kafka_last_error());
    rd_kafka_destroy(client_->kafka);
    throw Error(ErrorCode::bad_input,
                fmt::format("observe.kafka_topic: {} is refused: {}", options.topic, text));
  }
}

KafkaSink::~KafkaSink() {
  finish();
  rd_kafka_topic_destroy(client_->topic);
  rd_kafka_destroy_flags(client_->kafka, RD_KAFKA_DESTROY_F_NO_CONSUMER_CLOSE);
}

void KafkaSink::publish(std::string_view key, std::string_view text) {
  {
    const std::lock_guard lock(client_->mutex);
    if (client_->ended) {
      ++client_->dropped;
      return;
    }
  }
  // The payload is copied, although the parameter is not const.
  void* payload = const_cast<char*>(text.data());
  const int failed = rd_kafka_produce(client_->topic, RD_KAFKA_PARTITION_UA, RD_KAFKA_MSG_F_COPY,
                                      payload, text.size(), key.data(), key.size(), nullptr);
  if (failed != 0) {
    ++client_->dropped;
    client_->note(rd_kafka_err2str(rd_kafka_last_error()));
  }
  rd_kafka_poll(client_->kafka, 0);
}

void KafkaSink::count_dropped(std::int64_t count) { client_->dropped += count; }

void KafkaSink::finish() {
  {
    const std::lock_guard lock(client_->mutex);
    if (client_->ended) return;
    client_->ended = true;
  }
  (void)rd_kafka_flush(client_->kafka, static_cast<int>(client_->patience.count()));
  (void)rd_kafka_purge(client_->kafka, RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT);
  constexpr int kReportsMs = 1000;  // of what was purged; they are local
  (void)rd_kafka_flush(client_->kafka, kReportsMs);
}

std::int64_t KafkaSink::delivered() const {
  rd_kafka_poll(client_->kafka, 0);
  return client_->delivered;
}

std::int64_t KafkaSink::dropped() const {
  rd_kafka_poll(client_->kafka, 0);
  return client_->dropped;
}

std::string KafkaSink::error() const {
  const std::lock_guard lock(client_->mutex);
  return client_->error;
}

}  // namespace megascale::serve
