// Declares --expert-load. Its text begins alike in all commands.
#include "megascale/cli/expert_load_argument.h"

#include <fmt/format.h>

namespace megascale::cli {

void ExpertLoadArgument::add_to(Command& command, std::string_view effect) {
  const std::string what = fmt::format(
      "even, zipf:S, or the metrics file of a run: how the router spreads its choices; {}", effect);
  command.option("--expert-load", description_, what.c_str());
}

}  // namespace megascale::cli
