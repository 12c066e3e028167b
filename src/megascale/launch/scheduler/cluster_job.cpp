#include "megascale/launch/scheduler/cluster_job.h"

#include <fmt/format.h>

#include "megascale/base/error.h"

namespace megascale::launch {

std::vector<std::string> submit_arguments(const ClusterJob& job) {
  std::vector<std::string> arguments{"submit", job.config.string()};
  for (const std::string& value : job.overrides)
    arguments.insert(arguments.end(), {"--set", value});
  arguments.insert(arguments.end(),
                   {"--ranks", std::to_string(job.ranks), "--hosts", std::to_string(job.hosts)});
  return arguments;
}

std::string shell_quote(std::string_view word) {
  std::string quoted = "'";
  for (const char one : word) {
    if (one == '\0' || one == '\n' || one == '\r') {
      throw Error(ErrorCode::bad_usage,
                  fmt::format("expected a word without end of line for a script, found \"{}\"",
                              std::string(word)));
    }
    if (one == '\'') {
      quoted += "'\\''";
    } else {
      quoted += one;
    }
  }
  return quoted + "'";
}

}  // namespace megascale::launch
