#ifndef MEGASCALE_CLI_SUBMIT_LAUNCHERS_H_
#define MEGASCALE_CLI_SUBMIT_LAUNCHERS_H_

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "megascale/cli/command.h"

namespace megascale::cli {

// The arguments of `megascale submit` with which a scheduler of a cluster starts driver and
// executors.
struct LauncherArguments {
  std::string launcher;  // slurm, kubernetes; empty: driver and executors run already
  std::string name, time, name_space = "default", image, volume_claim, mount = "/shared";
  std::vector<std::string> slurm, resources;
  std::filesystem::path program;
  std::uint32_t spares = 0, save_seconds = 120, user = 1000;
  bool print = false;
  void add_to(Command& command);
};

// Writes what the scheduler needs and hands it over. Throws Error: bad_usage if hosts and ranks do
// not fit together or something is missing, and the errors of launch::sbatch() and
// launch::KubernetesApi.
[[nodiscard]] Outcome submit_by_launcher(const ConfigArguments& arguments, std::uint32_t hosts,
                                         const std::filesystem::path& credentials,
                                         const LauncherArguments& launcher);

}  // namespace megascale::cli

#endif  // MEGASCALE_CLI_SUBMIT_LAUNCHERS_H_
