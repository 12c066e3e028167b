#ifndef MEGASCALE_SERVE_STEP_STORE_H_
#define MEGASCALE_SERVE_STEP_STORE_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "megascale/base/run_directory.h"
#include "megascale/control/database.h"
#include "megascale/serve/rank_step_entry.h"

namespace megascale::serve {

// The numbers of one rank in one step, reduced from its records.
struct StoredStep {
  std::uint32_t rank = 0;
  std::int64_t step = 0;
  std::string host, work;  // work: digest of the rank's plan
  RankStepEntry entry;
};

// The numbers of all steps of a host's ranks, in a SQLite file of the run directory. The rings hold
// the last steps only. One process writes a file; others may read it meanwhile. For one thread.
class StepStore {
 public:
  // More bytes a rank and step are not stored.
  static constexpr std::size_t kMostBytes = std::size_t{64} << 10U;
  // Opens the file for writing, and makes it if it does not exist. It keeps the last `most_steps`
  // steps. Throws Error: io; unsupported if a newer version has written it.
  StepStore(const std::filesystem::path& path, std::int64_t most_steps);
  // Stores steps in one transaction, and removes those that are too old. A step that is there already
  // is replaced: the run has done it again.
  void write(std::span<const StoredStep> steps);
  // Adds to the number of steps that were not stored.
  void add_dropped(std::int64_t count);

 private:
  // Returns the number of a form in the file, which is stored if it is new.
  std::int64_t form_of(const StoredStep& step, const std::string& names);
  control::Database database_;
  std::int64_t most_steps_;
  std::map<std::string, std::int64_t> forms_;  // that this object has stored or found
};

// Reads the steps from `first` on of all files of the run, and calls `take` for each until it returns
// false. A file or a row that cannot be read is left out: the rings still tell of the last steps.
void read_stored_steps(const RunDirectory& run, std::int64_t first,
                       const std::function<bool(StoredStep&&)>& take);
// The content of a run's files. -1: no step.
struct StoreFacts {
  std::int64_t newest_step = -1;
  std::int64_t dropped = 0;  // steps times ranks that were not stored
};
[[nodiscard]] StoreFacts store_facts(const RunDirectory& run);

}  // namespace megascale::serve

#endif  // MEGASCALE_SERVE_STEP_STORE_H_
