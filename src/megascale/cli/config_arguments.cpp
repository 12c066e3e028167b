#include <fmt/format.h>

#include "megascale/cli/command.h"
#include "megascale/config/load.h"

namespace megascale::cli {

void ConfigArguments::add_to(CLI::App& command) {
  command.add_option("CONFIG", file, "configuration file (TOML)")->required();
  command.add_option("--set", overrides, "override: section.key=value (may be repeated)");
  command.add_option("--ranks", ranks, "ranks of this job (parallel.world_size)")
      ->check(CLI::PositiveNumber);
}

Config ConfigArguments::load() const {
  std::vector<std::string> all = overrides;
  if (ranks > 0) all.push_back(fmt::format("parallel.world_size={}", ranks));
  return load_config(file, all);
}

}  // namespace megascale::cli
