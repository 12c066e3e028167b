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

Json numbers_of(const RankStepEntry& entry) {
  const observe::StepTimes& times = entry.numbers.times;
  Json json{
      {"times",
       {times.step, times.compute, times.exposed_comm, times.bubble, times.data_wait, times.other}},
      {"phases", entry.numbers.phases},
      {"moving", entry.moving},
      {"cores",
       {entry.numbers.needed, entry.numbers.core_wait, entry.numbers.transfer_core_wait,
        entry.numbers.input_core_wait}},
      {"worst", Json::array()},
      {"ops", Json::object()},
      {"lanes", Json::object()}};
  // Three numbers a task: its number in the plan, the cause, seconds.
  for (const observe::WorstTask& task : entry.worst) {
    for (const double number :
         {static_cast<double>(task.task), static_cast<double>(task.cause), task.seconds})
      json["worst"].push_back(number);
  }
  for (const auto& [name, seconds] : times.by_op) json["ops"][name] = seconds;
  for (std::size_t l = 0; l < graph::kLaneCount; ++l) {
    const observe::LaneTime& lane = entry.numbers.lanes[l];
    if (lane.busy > 0 || lane.late > 0 || lane.partner > 0)
      json["lanes"][std::string(graph::to_string(static_cast<graph::Lane>(l)))] = {
          lane.busy, lane.hidden, lane.partner, lane.late};
  }
  return json;
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
                           {"numbers", numbers_of(step.entry)}});
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
