#ifndef MEGASCALE_CONTROL_CHECK_RUN_H_
#define MEGASCALE_CONTROL_CHECK_RUN_H_

#include <poll.h>
#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "megascale/base/files.h"
#include "megascale/control/messages.h"

namespace megascale::control {

// Runs the self-checks of this host (`megascale diagnose`) in a child process, so that a check that
// hangs or crashes costs the executor nothing. One thread may use it, the same that lives until the
// process ends (launch::spawn()).
class CheckRun {
 public:
  struct Options {
    std::filesystem::path run_dir;  // whose disk is checked; it also keeps baselines and reports
    std::string host;               // name of this host in the job
    const char* program = "/proc/self/exe";
    double limit_seconds = 90;  // a check that takes longer has failed
  };
  explicit CheckRun(Options options);
  CheckRun(const CheckRun&) = delete;
  CheckRun& operator=(const CheckRun&) = delete;
  ~CheckRun() { cancel(); }

  // Begins the checks that an order asks for, after cancel().
  void start(const Order& order, std::int64_t now_ns);
  // Kills the checks that run; their result is never known.
  void cancel();
  // Returns true once when the checks have ended: result() is new.
  [[nodiscard]] bool take(std::int64_t now_ns);
  // The result of the newest order whose checks have ended.
  [[nodiscard]] const CheckResult& result() const noexcept { return result_; }
  // Adds the descriptor that wakes the caller when take() has something to do.
  void add_to(std::vector<pollfd>& descriptors) const;

 private:
  [[nodiscard]] std::filesystem::path report() const;
  [[nodiscard]] CheckResult read_result(int status) const;

  Options options_;
  pid_t process_ = -1;  // -1: no checks run
  FileHandle pidfd_;
  std::int64_t order_ = 0, end_ns_ = 0;
  CheckResult result_;
};

}  // namespace megascale::control

#endif  // MEGASCALE_CONTROL_CHECK_RUN_H_
