#include "megascale/cli/bench_device_ops.h"
#include "megascale/cli/command.h"

namespace megascale::cli {

void add_bench_attention(Command& bench) {
  Command command = bench.subcommand(
      "attention", "times every attention of a configuration's step on a CUDA device");
  const auto arguments = std::make_shared<ConfigArguments>();
  const auto roofs = std::make_shared<RoofArguments>();
  arguments->add_to(command);
  roofs->add_to(command);
  command.does([arguments, roofs] {
    arguments->set("train.device=cuda");
    return Outcome{.json = time_device_ops(arguments->load(), {.wanted =
                                                                   [](const plan::PlanOp& op) {
                                                                     return class_of(*op.def) ==
                                                                            OpClass::attention;
                                                                   },
                                                               .roofs = roofs->sizes})};
  });
}

}  // namespace megascale::cli
