#include "megascale/train/metric_sinks.h"

#include <fmt/format.h>

#include <memory>

#include "megascale/base/run_directory.h"
#include "megascale/config/data_sets.h"
#include "megascale/train/event_file.h"
#include "megascale/train/metrics_csv.h"

namespace megascale::train {
namespace {

// The file is opened by the first call, on the thread that calls: that may take long too.
BackgroundSink::Write event_writer(const std::filesystem::path& directory, std::int64_t steps_done,
                                   const ScalarUnits& units) {
  return [directory, steps_done, units,
          file = std::shared_ptr<EventFile>()](const StepMetrics& metrics) mutable {
    if (!file) file = std::make_shared<EventFile>(directory, steps_done);
    file->write(scalars_of(metrics, units));
  };
}

BackgroundSink::Write csv_writer(const RunDirectory& run, std::int64_t steps_done,
                                 const DataConfig& data) {
  std::vector<std::string> names;
  if (const auto sets = parse_validation_sets(data.validation_sets)) {
    for (const NamedSet& set : *sets) names.push_back(set.name);
  }
  return [run, steps_done, names,
          file = std::shared_ptr<MetricsCsv>()](const StepMetrics& metrics) mutable {
    if (!file)
      file = std::make_shared<MetricsCsv>(run.metrics_csv(), run.metrics(), steps_done, names);
    file->write(metrics);
  };
}

}  // namespace

MetricSinks::MetricSinks(const Config& config, std::int64_t steps_done, double rank_flops) {
  if (!config.observe.tensorboard_dir.empty()) {
    sinks_.emplace_back(
        "observe.tensorboard_dir",
        event_writer(config.observe.tensorboard_dir, steps_done,
                     {.batch_size = config.train.global_batch_size, .rank_flops = rank_flops}));
  }
  if (config.observe.csv)
    sinks_.emplace_back("observe.csv",
                        csv_writer(RunDirectory(config.train.run_dir), steps_done, config.data));
}

void MetricSinks::write(const StepMetrics& metrics, const OnMessage& on_message) {
  for (BackgroundSink& sink : sinks_)
    if (const auto message = sink.push(metrics)) on_message(*message);
}

void MetricSinks::finish(const OnMessage& on_message) {
  for (BackgroundSink& sink : sinks_) {
    const bool written = sink.flush();
    const std::string failure = sink.failure();
    if (!written)
      on_message(fmt::format("{}: the writer does not answer; the last steps are missing there",
                             sink.name()));
    if (const std::int64_t dropped = sink.dropped(); dropped > 0)
      on_message(fmt::format("{}: {} steps were left out{}{}", sink.name(), dropped,
                             failure.empty() ? "" : ": ", failure));
  }
  sinks_.clear();
}

}  // namespace megascale::train
