// `megascale bench gemm`, `attention` and `experts`: time single ops of a plan, one by one, on a CUDA
// device. The first two differ only in the ops. The third one times a layer of experts with several
// numbers of rows for each expert.
#include <fmt/format.h>

#include <vector>

#include "megascale/base/error.h"
#include "megascale/cli/command.h"
#include "megascale/cli/device_report.h"
#include "megascale/config/derived.h"

namespace megascale::cli {
namespace {

struct DeviceOpsArguments {
  ConfigArguments config;
  RoofArguments roofs;
  std::vector<std::int64_t> rows{64, 256, 1024};  // of an expert
};

Outcome time_ops(const std::vector<Config>& configs, const DeviceOpsArguments& arguments,
                 study::TimedOps timed) {
  const study::DeviceOps ops =
      study::time_device_ops(configs, {.timed = timed, .roofs = arguments.roofs.sizes});
  cli::print(ops);
  return {.json = cli::to_json(ops)};
}

// Returns the model with one layer, which has experts, and with one sequence that is so long that
// each expert gets `rows` rows.
Config layer_of_experts(ConfigArguments arguments, const MoeConfig& moe, std::int64_t rows) {
  if (rows * moe.num_experts % moe.router_topk != 0) {
    throw Error(ErrorCode::bad_usage,
                fmt::format("--rows: expected numbers that {} experts get from whole tokens with "
                            "moe.router_topk = {}, found {}: use multiples of {}",
                            moe.num_experts, moe.router_topk, rows, moe.router_topk));
  }
  for (const char* setting : {"model.num_layers=1", "moe.layer_freq=1", "moe.first_dense_layers=0",
                              "moe.router_force_load_balancing=true", "train.micro_batch_size=1",
                              "train.global_batch_size=1"}) {
    arguments.set(setting);
  }
  arguments.set(fmt::format("model.seq_length={}", rows * moe.num_experts / moe.router_topk));
  return arguments.load();
}

Outcome time_experts(const DeviceOpsArguments& arguments) {
  const Config config = arguments.config.load();
  const MoeConfig& moe = config.model.moe;
  if (moe.num_experts == 0) {
    throw Error(ErrorCode::bad_usage,
                "bench experts: expected a model with experts, found moe.num_experts = 0");
  }
  if (world_size(config) != 1) {
    throw Error(ErrorCode::bad_usage,
                fmt::format("bench experts: one rank must have all experts: expected "
                            "parallel.world_size = 1, found {}",
                            world_size(config)));
  }
  std::vector<Config> configs;
  for (const std::int64_t rows : arguments.rows)
    configs.push_back(layer_of_experts(arguments.config, moe, rows));
  return time_ops(configs, arguments, study::TimedOps::experts);
}

void add(Command& bench, const char* name, const char* what, study::TimedOps timed) {
  Command command = bench.subcommand(name, what);
  const auto arguments = std::make_shared<DeviceOpsArguments>();
  arguments->config.add_to(command);
  arguments->roofs.add_to(command);
  const bool of_experts = timed == study::TimedOps::experts;
  if (of_experts) {
    command
        .option("--rows", arguments->rows,
                "rows of each expert; for each number a layer is timed with as many tokens")
        .separated_by_commas()
        .between(1, 1 << 20)
        .shows_default();
  }
  command.does([arguments, timed, of_experts] {
    arguments->config.set("train.device=cuda");
    if (of_experts) return time_experts(*arguments);
    return time_ops({arguments->config.load()}, *arguments, timed);
  });
}

}  // namespace

void add_bench_device_ops(Command& bench) {
  add(bench, "gemm", "times every matrix product of a configuration's step on a CUDA device",
      study::TimedOps::gemm);
  add(bench, "attention", "times every attention op of a configuration's step on a CUDA device",
      study::TimedOps::attention);
  add(bench, "experts",
      "times the ops of a layer of experts on a CUDA device, grouped products beside dense ones",
      study::TimedOps::experts);
}

}  // namespace megascale::cli
