// The second start replaces the first one in the same process (execv), so a launcher, a debugger or
// a shell sees one process with one id.
#include "megascale/cli/short_spins.h"

#include <limits.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

#include "megascale/base/environment.h"

namespace megascale::cli {
namespace {

// Polls before a thread sleeps. Some 0.1 ms: longer than the time between two regions of a step, and
// much shorter than a time slice of the operating system (3 to 4 ms).
constexpr const char* kSpins = "2000";

constexpr std::array<std::string_view, 8> kCommandsWithKernels{
    "train", "generate", "chat", "eval", "evaluate", "bench", "calibrate", "ablate"};

}  // namespace

void start_with_short_spins(int argc, char** argv) noexcept {
  const auto end = argv + argc;
  const auto command =
      std::find_if(argv + std::min(argc, 1), end, [](const char* word) { return *word != '-'; });
  if (command == end ||
      std::ranges::find(kCommandsWithKernels, *command) == kCommandsWithKernels.end())
    return;
  if (environment_variable("GOMP_SPINCOUNT") != nullptr ||
      environment_variable("OMP_WAIT_POLICY") != nullptr)
    return;
  // The path and not /proc/self/exe, so that the process keeps its name.
  std::array<char, PATH_MAX> path{};
  if (::readlink("/proc/self/exe", path.data(), path.size() - 1) < 0) return;
  if (::setenv("GOMP_SPINCOUNT", kSpins, 1) != 0) return;  // NOLINT(concurrency-mt-unsafe)
  (void)::execv(path.data(), argv);
}

}  // namespace megascale::cli
