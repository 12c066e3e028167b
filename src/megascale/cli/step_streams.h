#ifndef MEGASCALE_CLI_STEP_STREAMS_H_
#define MEGASCALE_CLI_STEP_STREAMS_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "megascale/config/config.h"
#include "megascale/serve/kafka_sink.h"
#include "megascale/serve/streamer.h"
#include "megascale/train/metrics.h"

namespace megascale::cli {

// What a rank that trains hands on beside its run directory's metrics: the numbers of the host's ranks to
// SQLite (observe.stored_steps), these and the metrics to Kafka (observe.kafka_brokers). Nothing here makes
// a step wait. For one thread.
class StepStreams {
 public:
  // `rank`: of this process, or 0 if it has all ranks. `is_first_of_host`: it streams for all ranks of the host.
  StepStreams(const Config& config, std::uint32_t rank, bool is_first_of_host,
              std::function<void(const std::string&)> on_message);
  // Waits some seconds at most until all is written, and tells what was not.
  ~StepStreams();
  StepStreams(const StepStreams&) = delete;
  StepStreams& operator=(const StepStreams&) = delete;
  void begin(std::int64_t steps_done);           // as Streamer::begin()
  void step(const train::StepMetrics& metrics);  // of rank 0

 private:
  std::string run_;
  bool sends_metrics_;
  std::function<void(const std::string&)> on_message_;
  std::shared_ptr<serve::KafkaSink> kafka_;
  std::optional<serve::Streamer> streamer_;
};

}  // namespace megascale::cli

#endif  // MEGASCALE_CLI_STEP_STREAMS_H_
