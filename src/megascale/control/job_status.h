#ifndef MEGASCALE_CONTROL_JOB_STATUS_H_
#define MEGASCALE_CONTROL_JOB_STATUS_H_

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "megascale/control/job_record.h"
#include "megascale/control/json_fields.h"
#include "megascale/control/ledger.h"

namespace megascale::control {

// The state of a job as its record tells it, for people.
struct JobStatus {
  std::string job;
  std::string phase;          // of driver_state.h; "not started"
  bool driver_lives = false;  // it has stored something within the last seconds
  double silent_seconds = 0;  // since then
  std::string driver_host;    // of the newest driver
  std::int64_t term = 0;      // of that driver (messages.h)
  std::int64_t session = 0, attempt = 0;
  std::uint32_t ranks = 0;
  std::uint32_t ranks_now = 0;   // of the newest attempt: fewer if it has fewer hosts
  std::int64_t step = -1;        // steps done; -1: none
  std::int64_t checkpoint = -1;  // the newest committed one; -1: none
  std::int64_t incidents = 0, open_incidents = 0;
  std::int32_t exit_code = -1;    // of a job that has ended; -1: it has not
  std::string end;                // why it ended, if not with success
  std::set<std::string> present;  // hosts whose executors serve the job
  std::vector<Node> nodes;        // `state`: what the host does for the job now
  Ledger ledger;
};
// `now_ns` is of the monotonic clock of the driver's host. Throws Error.
[[nodiscard]] JobStatus read_status(JobRecord& record, std::int64_t now_ns);
// The form in which `megascale status --json` prints it.
[[nodiscard]] Json to_json(const JobStatus& status);

}  // namespace megascale::control

#endif  // MEGASCALE_CONTROL_JOB_STATUS_H_
