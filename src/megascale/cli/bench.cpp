#include "megascale/cli/command.h"

namespace megascale::cli {

void add_bench(Command& app) {
  Command command = app.subcommand("bench", "what this machine can do, and what we reach of it");
  command.needs_subcommand();
  add_bench_peak(command);
  add_bench_collectives(command);
  add_bench_step(command);
  add_bench_startup(command);
  add_bench_gemm(command);
  add_bench_attention(command);
}

}  // namespace megascale::cli
