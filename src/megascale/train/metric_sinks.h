#ifndef MEGASCALE_TRAIN_METRIC_SINKS_H_
#define MEGASCALE_TRAIN_METRIC_SINKS_H_

#include <cstdint>
#include <deque>
#include <functional>
#include <string>

#include "megascale/config/config.h"
#include "megascale/train/background_sink.h"

namespace megascale::train {

// The places beside metrics.jsonl where a run writes its metrics: event files for TensorBoard
// (observe.tensorboard_dir) and metrics.csv (observe.csv). Each has a thread of its own, so that a slow or dead
// disk slows no step. For one thread, on rank 0.
class MetricSinks {
 public:
  using OnMessage = std::function<void(const std::string&)>;
  // `rank_flops`: of a step on one rank, counted as Megatron-LM does. The files are opened at the first step.
  MetricSinks(const Config& config, std::int64_t steps_done, double rank_flops);
  // Returns at once. Tells `on_message` if a place cannot be written.
  void write(const StepMetrics& metrics, const OnMessage& on_message);
  // Waits until all is written, at most some seconds. Tells how many steps were left out.
  void finish(const OnMessage& on_message);

 private:
  std::deque<BackgroundSink> sinks_;
};

}  // namespace megascale::train

#endif  // MEGASCALE_TRAIN_METRIC_SINKS_H_
