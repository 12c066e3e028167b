#ifndef MEGASCALE_CONTROL_JOB_STATUS_H_
#define MEGASCALE_CONTROL_JOB_STATUS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "megascale/control/job_record.h"
#include "megascale/control/ledger.h"

namespace megascale::control {

// The state of a job as its record tells it, for people.
struct JobStatus {
  std::string job;
  std::string phase;          // of driver_state.h; "not started"
  bool driver_lives = false;  // it has stored something within the last seconds
  double silent_seconds = 0;  // since then
  std::int64_t session = 0, attempt = 0;
  std::uint32_t ranks = 0;
  std::int64_t step = -1;        // steps done; -1: none
  std::int64_t checkpoint = -1;  // the newest committed one; -1: none
  std::int64_t incidents = 0, open_incidents = 0;
  std::int32_t exit_code = -1;  // of a job that has ended; -1: it has not
  std::string end;              // why it ended, if not with success
  std::vector<Node> nodes;
  Ledger ledger;
};
// `now_ns` is of the monotonic clock of the driver's host. Throws Error.
[[nodiscard]] JobStatus read_status(JobRecord& record, std::int64_t now_ns);

}  // namespace megascale::control

#endif  // MEGASCALE_CONTROL_JOB_STATUS_H_
