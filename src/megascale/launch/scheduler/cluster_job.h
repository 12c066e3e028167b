#ifndef MEGASCALE_LAUNCH_SCHEDULER_CLUSTER_JOB_H_
#define MEGASCALE_LAUNCH_SCHEDULER_CLUSTER_JOB_H_

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace megascale::launch {

// A robust job that a scheduler of a cluster (Slurm, Kubernetes) runs: one driver, and an executor on
// each host. All paths are absolute and lie on a file system that all hosts share.
struct ClusterJob {
  std::string name;
  std::filesystem::path program;       // the megascale binary
  std::filesystem::path directory;     // in which the ranks run: relative paths mean files in it
  std::filesystem::path run_dir;       // train.run_dir
  std::filesystem::path config;        // the configuration file
  std::filesystem::path credentials;   // the directory of the cluster's authority
  std::vector<std::string> overrides;  // values of --set
  std::uint32_t ranks = 1, hosts = 1;
  std::uint32_t spares = 0;          // hosts beyond those that the job needs
  std::uint32_t save_seconds = 120;  // the job stops and saves so long before it must end
};

// The arguments of `megascale submit` that give this job to its driver, without the driver's address.
[[nodiscard]] std::vector<std::string> submit_arguments(const ClusterJob& job);

// Returns the word quoted for a shell: one word with exactly these bytes. Throws Error (bad_usage) if
// it contains a byte 0 or an end of line, which scripts could not hold in one line.
[[nodiscard]] std::string shell_quote(std::string_view word);

}  // namespace megascale::launch

#endif  // MEGASCALE_LAUNCH_SCHEDULER_CLUSTER_JOB_H_
