#include "megascale/cli/bench_device_ops.h"
#include "megascale/cli/command.h"
#include "megascale/graph/ops/ops.h"

namespace megascale::cli {

void add_bench_attention(Command& bench) {
  Command command = bench.subcommand(
      "attention", "times every attention of a configuration's step on a CUDA device");
  const auto arguments = std::make_shared<ConfigArguments>();
  arguments->add_to(command);
  command.does([arguments] {
    arguments->set("train.device=cuda");
    return Outcome{.json =
                       time_device_ops(arguments->load(), {.wanted = [](const plan::PlanOp& op) {
                                         return op.def == &graph::attention_op() ||
                                                op.def == &graph::attention_gradient_op();
                                       }})};
  });
}

}  // namespace megascale::cli
