#include "megascale/cli/command.h"

namespace megascale::cli {

void add_bench(CLI::App& app, ActionMap& actions) {
  CLI::App* command =
      app.add_subcommand("bench", "what this machine can do, and what we reach of it");
  command->require_subcommand(1);
  add_bench_peak(*command, actions);
  add_bench_collectives(*command, actions);
  add_bench_step(*command, actions);
  add_bench_startup(*command, actions);
}

}  // namespace megascale::cli
