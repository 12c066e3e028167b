// `megascale bench`: the group of subcommands that measure this machine.
#include "megascale/cli/command.h"

namespace megascale::cli {

void add_bench(Command& app) {
  Command command =
      app.subcommand("bench", "measures this machine, and how much of it training reaches");
  command.needs_subcommand();
  add_bench_peak(command);
  add_bench_collectives(command);
  add_bench_step(command);
  add_bench_decode(command);
  add_bench_startup(command);
  add_bench_device_ops(command);
}

}  // namespace megascale::cli
