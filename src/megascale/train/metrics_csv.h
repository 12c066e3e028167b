#ifndef MEGASCALE_TRAIN_METRICS_CSV_H_
#define MEGASCALE_TRAIN_METRICS_CSV_H_

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "megascale/base/files.h"
#include "megascale/train/metrics.h"

namespace megascale::train {

// metrics.csv of a run: the lines of metrics.jsonl as a table, for spreadsheets. The first line names the columns. A number that
// a step lacks or that is not finite is an empty cell. One thread may use it. Throws Error (io).
class MetricsCsv {
 public:
  // Writes the file anew with the steps up to `steps_done` of `jsonl`, which may not exist.
  // `validation_names`: of data.validation_sets; each has a column validation_loss_NAME.
  MetricsCsv(std::filesystem::path path, const std::filesystem::path& jsonl,
             std::int64_t steps_done, std::vector<std::string> validation_names);
  void write(const StepMetrics& metrics);

 private:
  std::filesystem::path path_;
  std::vector<std::string> validation_names_;
  FileHandle file_;
};

// Returns the first line, and the line of a step, which is an object of metrics.jsonl as text. Both
// end with a line end. A text that is no such object gives an empty line "".
[[nodiscard]] std::string csv_head(std::span<const std::string> validation_names);
[[nodiscard]] std::string csv_line(const std::string& json_line,
                                   std::span<const std::string> validation_names);

}  // namespace megascale::train

#endif  // MEGASCALE_TRAIN_METRICS_CSV_H_
