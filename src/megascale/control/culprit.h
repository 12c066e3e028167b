#ifndef MEGASCALE_CONTROL_CULPRIT_H_
#define MEGASCALE_CONTROL_CULPRIT_H_

#include <cstdint>
#include <filesystem>
#include <future>
#include <memory>
#include <string>

#include "megascale/control/rules/rule.h"

namespace megascale::job {
struct BatchPlans;
}

namespace megascale::control {

// Names the rank that holds up a job, from the wait graph of the plan and the positions that the
// executors report. It plans the job from its configuration, in a thread, since that takes seconds
// in a large job. One thread may use it.
class CulpritFinder {
 public:
  // `config` is the resolved configuration in the run directory.
  explicit CulpritFinder(std::filesystem::path config);
  CulpritFinder(const CulpritFinder&) = delete;
  CulpritFinder& operator=(const CulpritFinder&) = delete;
  ~CulpritFinder();
  // Begins to plan the job of which at most `local_ranks` ranks share a host, if that has not been
  // done for this configuration.
  void prepare(std::uint32_t local_ranks);
  // Waits for the plans.
  [[nodiscard]] HangFinding find(const JobSight& sight);

 private:
  std::filesystem::path config_;
  std::string planned_;  // the configuration, and the number of local ranks
  std::shared_future<std::shared_ptr<const job::BatchPlans>> plans_;  // by size of the batch
};

}  // namespace megascale::control

#endif  // MEGASCALE_CONTROL_CULPRIT_H_
