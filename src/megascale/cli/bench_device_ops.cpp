// `megascale bench gemm` and `megascale bench attention`: time the ops of one class in a plan, one
// by one, on a CUDA device. The two differ only in the class.
#include "megascale/cli/command.h"
#include "megascale/cli/device_report.h"

namespace megascale::cli {
namespace {

void add_class(Command& bench, const char* name, const char* what, study::OpClass timed_class) {
  Command command = bench.subcommand(name, what);
  const auto arguments = std::make_shared<ConfigArguments>();
  const auto roofs = std::make_shared<RoofArguments>();
  arguments->add_to(command);
  roofs->add_to(command);
  command.does([arguments, roofs, timed_class] {
    arguments->set("train.device=cuda");
    const study::DeviceOps timed =
        study::time_device_ops(arguments->load(), {.timed = timed_class, .roofs = roofs->sizes});
    cli::print(timed);
    return Outcome{.json = cli::to_json(timed)};
  });
}

}  // namespace

void add_bench_device_ops(Command& bench) {
  add_class(bench, "gemm", "times every matrix product of a configuration's step on a CUDA device",
            study::OpClass::gemm);
  add_class(bench, "attention",
            "times every attention op of a configuration's step on a CUDA device",
            study::OpClass::attention);
}

}  // namespace megascale::cli
