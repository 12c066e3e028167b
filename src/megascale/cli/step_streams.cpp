#include "megascale/cli/step_streams.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

namespace megascale::cli {

StepStreams::StepStreams(const Config& config, std::uint32_t rank, bool is_first_of_host,
                         std::function<void(const std::string&)> on_message)
    : run_(config.train.run_dir), sends_metrics_(rank == 0), on_message_(std::move(on_message)) {
  if (sends_metrics_ || is_first_of_host) kafka_ = serve::kafka_sink(config.observe);
  if (!is_first_of_host) return;
  std::vector<serve::Streamer::Sink> sinks;
  if (config.observe.stored_steps > 0) sinks.push_back(serve::store_sink(config, on_message_));
  if (kafka_) sinks.push_back(serve::kafka_step_sink(config, kafka_));
  if (!sinks.empty())
    streamer_.emplace(config, serve::join_sinks(std::move(sinks), on_message_), on_message_);
}

StepStreams::~StepStreams() {
  streamer_.reset();
  if (!kafka_) return;
  kafka_->finish();
  if (const std::int64_t dropped = kafka_->dropped(); dropped > 0) {
    on_message_(
        fmt::format("observe.kafka_brokers: {} messages were delivered, {} were dropped: {}",
                    kafka_->delivered(), dropped, kafka_->error()));
  }
}

void StepStreams::begin(std::int64_t steps_done) {
  if (streamer_) streamer_->begin(steps_done);
}

void StepStreams::step(const train::StepMetrics& metrics) {
  if (kafka_ && sends_metrics_)
    kafka_->publish(run_, serve::step_message(run_, train::to_json_line(metrics)));
}

}  // namespace megascale::cli
