#ifndef MEGASCALE_CONTROL_REMOTE_JOB_DESK_H_
#define MEGASCALE_CONTROL_REMOTE_JOB_DESK_H_

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "megascale/base/run_directory.h"
#include "megascale/control/job_driver.h"
#include "megascale/control/secure/authorisation.h"

namespace megascale::control {

// Answers the verbs of a driver's port. The job comes by a submission, or out of the record. Any
// thread may call the functions.
class JobDesk {
 public:
  using Say = std::function<void(const std::string&)>;
  struct Options {
    std::int64_t term = 1;    // of this driver, at least
    bool takes_over = false;  // also a job whose driver ran on another host
    std::string session_key;  // a session of another key is over; empty: any
  };
  // Opens the record of the run directory, and goes on with its job if it can. Throws Error (io).
  JobDesk(const RunDirectory& run, Options options, Say say);

  [[nodiscard]] std::vector<secure::Verb> verbs();
  void tick();
  // How the job has ended, once its executors know; nothing before.
  [[nodiscard]] std::optional<JobEnd> end();
  // Why the job is not this driver's any more; nothing if it is.
  [[nodiscard]] std::optional<std::string> replaced();

 private:
  using Answer = Result<std::string>;
  [[nodiscard]] Answer attach(const secure::Peer& peer, std::string_view request);
  [[nodiscard]] Answer heartbeat(const secure::Peer& peer, std::string_view request);
  [[nodiscard]] Answer submit(std::string_view request);
  [[nodiscard]] Answer block(const secure::Peer& peer, std::string_view request);
  [[nodiscard]] Answer stop(const secure::Peer& peer);
  [[nodiscard]] Answer status(std::string_view request);
  void find_job();
  [[nodiscard]] std::string answer_without_job(const Heartbeat& heartbeat);
  void begin_lost_job();
  void look_after_lost_job();
  [[nodiscard]] bool runs() const;  // there is a job that has not ended

  std::mutex mutex_;
  RunDirectory run_;
  Options options_;
  Say say_;
  JobRecord record_;
  std::optional<JobDriver> job_;
  // Of a job that was taken over without a record. It needs a submission and the first heartbeat.
  struct LostJob {
    std::string name;                       // as executors know it; empty: none was heard
    std::int64_t term = 0;                  // likewise
    std::optional<std::int64_t> submitted;  // when
  };
  std::optional<LostJob> lost_;
  std::map<std::string, std::int64_t> given_;  // incarnations, by host
};

}  // namespace megascale::control

#endif  // MEGASCALE_CONTROL_REMOTE_JOB_DESK_H_
