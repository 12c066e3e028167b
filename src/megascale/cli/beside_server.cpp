#include "megascale/cli/beside_server.h"

#include <unistd.h>

#include <string>
#include <vector>

#include "megascale/base/files.h"
#include "megascale/launch/spawn.h"

namespace megascale::cli {

void start_beside_server(const std::filesystem::path& run_dir) {
  make_directories(run_dir);
  std::vector<std::string> arguments{"megascale", "serve", run_dir.string(), "--port", "0"};
  if (::isatty(STDERR_FILENO) == 0) {
    arguments.insert(arguments.end(), {"--token-file", (run_dir / "serve-token").string()});
  }
  // stdout belongs to the results of the training. Ctrl-C stops the training with a checkpoint, and the
  // server shows that until the end.
  (void)launch::spawn({.arguments = arguments, .out = STDERR_FILENO, .leads_group = true});
}

}  // namespace megascale::cli
