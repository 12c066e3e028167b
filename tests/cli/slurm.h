#ifndef MEGASCALE_TESTS_CLI_SLURM_H_
#define MEGASCALE_TESTS_CLI_SLURM_H_

#include <sys/types.h>

#include <string>
#include <vector>

#include "support/scratch_directory.h"

namespace megascale::testing {

// A Slurm of this test's own on this machine: munged, slurmctld and a slurmd per node, with
// configuration, keys and state in a directory of its own. It needs no privileges: jobs run as the
// user who runs the test. Ended on destruction.
class PrivateSlurm {
 public:
  // `nodes` of them, one or two, of four tasks each.
  explicit PrivateSlurm(int nodes);
  PrivateSlurm(const PrivateSlurm&) = delete;
  PrivateSlurm& operator=(const PrivateSlurm&) = delete;
  ~PrivateSlurm();

  // Why there is none here; empty: there is.
  [[nodiscard]] const std::string& missing() const noexcept { return missing_; }
  // That commands of Slurm need: "NAME=value".
  [[nodiscard]] std::vector<std::string> environment() const;
  // Runs a command of Slurm; what it says.
  std::string command(const std::vector<std::string>& words) const;
  // The ids of the jobs that run.
  [[nodiscard]] std::vector<std::string> jobs() const;

 private:
  void write_configuration(int nodes);
  void start(const std::vector<std::string>& command);
  [[nodiscard]] bool a_daemon_has_ended() const;
  [[nodiscard]] bool all_idle(int nodes) const;

  ScratchDirectory scratch_;
  std::string missing_;
  std::vector<pid_t> daemons_;
};

}  // namespace megascale::testing

#endif  // MEGASCALE_TESTS_CLI_SLURM_H_
