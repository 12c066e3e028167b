#ifndef MEGASCALE_SERVE_HANG_WATCH_H_
#define MEGASCALE_SERVE_HANG_WATCH_H_

#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "megascale/base/run_directory.h"
#include "megascale/job/job_plan.h"
#include "megascale/launch/process_state.h"
#include "megascale/observe/hang.h"

namespace megascale::serve {

// Says which rank holds up a job, as `megascale hang` does. That command reads the rings twice, some
// seconds apart, and a rank that has done a task meanwhile is no suspect. A request cannot wait so
// long, so the reading of the request before it is the first of the two. One thread may use it.
class HangWatch {
 public:
  // Two readings that are compared are at least and at most so far apart.
  static constexpr std::int64_t kLeastNs = 1'000'000'000, kMostNs = 15'000'000'000;
  // Reads the rings now. {"watching": true} if processes may be alive and there is no reading to
  // compare with yet: ask again. Otherwise "hangs", "suspects", "waiting" and "moving". Throws the
  // errors of observe::read_progress().
  [[nodiscard]] nlohmann::ordered_json look(const RunDirectory& run, const job::JobPlan& job);

 private:
  std::vector<observe::RankProgress> before_;
  std::int64_t before_ns_ = 0;
};

// Two readings of the ranks, compared.
struct HangReading {
  std::span<const observe::RankProgress> ranks;  // the later one
  std::span<const launch::ProcessState> processes;
  std::vector<std::uint32_t> moving;  // ranks that did a task between the two, ascending
};
[[nodiscard]] nlohmann::ordered_json to_json(const observe::HangVerdict& verdict,
                                             const HangReading& reading);

}  // namespace megascale::serve

#endif  // MEGASCALE_SERVE_HANG_WATCH_H_
