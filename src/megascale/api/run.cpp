// Reads what a training leaves in its run directory.
#include "megascale/run.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "megascale/api/step_report.h"
#include "megascale/base/error.h"
#include "megascale/base/files.h"
#include "megascale/base/run_directory.h"
#include "megascale/config/load.h"
#include "megascale/train/start_point.h"

namespace megascale {
namespace api {

StepReport to_report(const observe::MetricsRow& row) {
  StepReport report{.step = row.step, .values = {}, .validation_losses = {}};
  for (std::size_t i = 0; i < observe::kMetricCount; ++i) {
    if (!std::isnan(row.values[i]))
      report.values.emplace(observe::kMetricKinds[i].name, row.values[i]);
  }
  for (const observe::NamedLoss& named : row.validation_losses)
    report.validation_losses.emplace(named.name, named.loss);
  return report;
}

}  // namespace api

double StepReport::value(std::string_view name) const noexcept {
  const auto found = values.find(name);
  return found == values.end() ? std::numeric_limits<double>::quiet_NaN() : found->second;
}

Run::Run(std::filesystem::path directory) : directory_(std::move(directory)) {
  std::error_code ignored;
  if (std::filesystem::exists(RunDirectory(directory_).config(), ignored)) return;
  throw Error(ErrorCode::bad_usage,
              fmt::format("{}: expected the run directory of a training (train.run_dir), found {}",
                          directory_.string(),
                          std::filesystem::exists(directory_, ignored)
                              ? fmt::format("no {} in it", RunDirectory::kConfig)
                              : "nothing"));
}

std::string Run::configuration() const { return read_text(RunDirectory(directory_).config()); }

std::vector<StepReport> Run::steps() const {
  observe::MetricsHistory history(RunDirectory(directory_).metrics());
  history.update();
  std::vector<StepReport> reports;
  for (const observe::MetricsRow& row : history.rows()) reports.push_back(api::to_report(row));
  return reports;
}

Checkpoint Run::checkpoint() const {
  const std::filesystem::path file = RunDirectory(directory_).config();
  Config config = read_values(configuration(), file.string()).config;
  config.train.run_dir = directory_.string();  // it may have been moved
  return Checkpoint(train::checkpoint_directory(config));
}

}  // namespace megascale
