// What is sent to Kafka. This part needs no librdkafka.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "megascale/base/error.h"
#include "megascale/serve/kafka_sink.h"

namespace megascale::serve {
namespace {

using Json = nlohmann::ordered_json;

std::string dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::shared_ptr<KafkaSink> kafka_sink(const ObserveConfig& config) {
  if (config.kafka_brokers.empty()) return nullptr;
  return std::make_shared<KafkaSink>(KafkaSink::Options{.brokers = config.kafka_brokers,
                                                        .topic = config.kafka_topic,
                                                        .settings = config.kafka_settings});
}

std::string step_message(std::string_view run, std::string_view metrics_line) {
  Json message{{"type", "step"}, {"run", run}};
  message.update(Json::parse(metrics_line));
  return dump(message);
}

std::string rank_step_message(std::string_view run, const StoredStep& step) {
  std::string text = dump({{"type", "rank_step"},
                           {"run", run},
                           {"rank", step.rank},
                           {"step", step.step},
                           {"host", step.host},
                           {"work", step.work},
                           {"numbers", Json::parse(to_text(step.entry))}});
  if (text.size() > StepStore::kMostBytes) text.clear();
  return text;
}

Streamer::Sink kafka_step_sink(const Config& config, std::shared_ptr<KafkaSink> sink) {
  return [run = config.train.run_dir, sink = std::move(sink)](std::span<const StoredStep> steps,
                                                              std::int64_t dropped) {
    sink->count_dropped(dropped);
    for (const StoredStep& step : steps) {
      const std::string text = rank_step_message(run, step);
      if (text.empty()) {
        sink->count_dropped(1);
      } else {
        sink->publish(fmt::format("{}/{}", run, step.rank), text);
      }
    }
  };
}

}  // namespace megascale::serve
