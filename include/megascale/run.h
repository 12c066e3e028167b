#ifndef MEGASCALE_RUN_H_
#define MEGASCALE_RUN_H_

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "megascale/checkpoint.h"

// What a training leaves in its run directory, also while it runs. All functions throw
// megascale::Error.
namespace megascale {

// The numbers of a step. docs/observability.md lists their names and units.
struct StepReport {
  std::int64_t step = 0;                              // steps done, this one included
  std::map<std::string, double, std::less<>> values;  // those that the step has and that are finite
  std::map<std::string, double, std::less<>> validation_losses;  // of named sets
  // Returns a number by its name, such as "loss" or "step_seconds"; NaN if the step has none.
  [[nodiscard]] double value(std::string_view name) const noexcept;
};

class Run {
 public:
  // Error: there is no such directory, or no training has written to it.
  explicit Run(std::filesystem::path directory);
  [[nodiscard]] const std::filesystem::path& directory() const noexcept { return directory_; }
  // Returns the resolved configuration of the run as TOML.
  [[nodiscard]] std::string configuration() const;
  // Reads the metrics of all steps so far.
  [[nodiscard]] std::vector<StepReport> steps() const;
  // Opens the newest good checkpoint. Error: there is none.
  [[nodiscard]] Checkpoint checkpoint() const;

 private:
  std::filesystem::path directory_;
};

}  // namespace megascale

#endif  // MEGASCALE_RUN_H_
