// `megascale bench gemm`: times the matrix products of a plan on a CUDA device.
#include "megascale/cli/command.h"
#include "megascale/cli/device_report.h"

namespace megascale::cli {

void add_bench_gemm(Command& bench) {
  Command command = bench.subcommand(
      "gemm", "times every matrix product of a configuration's step on a CUDA device");
  const auto arguments = std::make_shared<ConfigArguments>();
  const auto roofs = std::make_shared<RoofArguments>();
  arguments->add_to(command);
  roofs->add_to(command);
  command.does([arguments, roofs] {
    arguments->set("train.device=cuda");
    const auto wanted = [](const plan::PlanOp& op) {
      return study::class_of(*op.def) == study::OpClass::gemm;
    };
    const study::DeviceOps timed =
        study::time_device_ops(arguments->load(), {.wanted = wanted, .roofs = roofs->sizes});
    print(timed);
    return Outcome{.json = to_json(timed)};
  });
}

}  // namespace megascale::cli
