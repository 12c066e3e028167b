// `megascale bench step`: times training steps on random tokens and prints where the time goes: by
// op, by cause of idle time, and on a CUDA device beside the roofs. Ranks are threads, processes of
// a launcher, or processes that it starts itself, as with `train`.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "megascale/base/local_ranks.h"
#include "megascale/cli/command.h"
#include "megascale/cli/device_report.h"
#include "megascale/cli/start_ranks.h"
#include "megascale/config/derived.h"
#include "megascale/kernels/cpu/matrix_unit/unit.h"
#include "megascale/study/measure/step_measurement.h"

namespace megascale::cli {
namespace {

struct StepArguments {
  ConfigArguments config;
  study::MeasureOptions measure;
  RoofArguments roofs;
  std::string only, device;
  bool processes = false;
};

double tokens_per_second(const study::StepMeasurement& m, const Config& config) {
  return static_cast<double>(tokens_per_step(config)) / study::spread_of(m.seconds).median;
}

// The weights are drawn around zero, so the first step guesses all tokens alike.
double expected_first_loss(const Config& config) {
  return std::log(static_cast<double>(config.model.vocab_size));
}

void print_ops(const study::StepMeasurement& m, double step_seconds) {
  fmt::print("\n{:<24} {:>6} {:>10} {:>8} {:>10} {:>8}", m.ranks > 1 ? "op (of rank 0)" : "op",
             "tasks", "seconds", "share", "GFLOP/s", "of peak");
  if (m.device_times) fmt::print(" {:>10} {:>10}", "alone", "floor");
  const double peak_of_rank = m.peak / m.ranks;
  for (const observe::OpTime& op : m.by_op.ops) {
    const double rate = op.flops / op.seconds;
    fmt::print("\n{:<24} {:>6} {:>10.4f} {:>7.1f}% {:>10.1f} {:>7.1f}%", op.op, op.tasks,
               op.seconds, 100 * op.seconds / step_seconds, rate * 1e-9, 100 * rate / peak_of_rank);
    if (!m.device_times) continue;
    const study::DeviceTimes::Kind& kind = m.device_times->kinds.find(op.op)->second;
    fmt::print(" {:>10.4f} {:>10.4f}", kind.alone_seconds, kind.floor_seconds);
  }
  fmt::print("\n{:<24} {:>6} {:>10.4f}\n", "(between tasks)", "", m.by_op.idle_seconds);
}

void print(const study::StepMeasurement& m, const Config& config) {
  const study::Spread seconds = study::spread_of(m.seconds);
  fmt::print("step {:.3f} s (median of {}; {:.3f} to {:.3f}), {:.0f} tokens/s\n", seconds.median,
             m.seconds.size(), seconds.min, seconds.max, tokens_per_second(m, config));
  fmt::print(
      "{:.4e} FLOPs credited, {:.1f} of {:.1f} GFLOP/s {} peak: mfu {:.3f}, mfu_megatron {:.3f}\n",
      m.flops.model, m.flops.model / seconds.median * 1e-9, m.peak * 1e-9,
      config.train.device == DeviceKind::cuda ? "published" : "FMA", m.mfu(),
      m.flops.megatron / (m.peak * seconds.median));
  if (m.losses) {
    fmt::print(
        "loss {:.4f} in the last step, {:.4f} in the first; expected about ln V = {:.4f} at the "
        "start\n",
        m.losses->last, m.losses->first, expected_first_loss(config));
  }
  if (config.train.device == DeviceKind::cpu && config.kernels.matrix_unit &&
      kernels::cpu::matrix_unit_available())
    fmt::print("large products ran on the matrix unit, which the FMA peak does not bound\n");
  if (m.ranks > 1) {
    fmt::print("{} ranks, on average: exposed communication {:.4f} s, bubble {:.4f} s\n", m.ranks,
               study::spread_of(m.exposed_comm).median, study::spread_of(m.bubble).median);
  }
  if (m.device_memory) {
    constexpr double kGiB = 1U << 30U;
    const engine::DeviceMemoryUse& use = *m.device_memory;
    fmt::print(
        "memory of the first device: {:.3f} GiB of arenas planned, {:.3f} GiB taken ({:.3f} GiB "
        "outside of them); {:.3f} of {:.3f} GiB were taken before (context, other processes)\n",
        static_cast<double>(use.planned) / kGiB, static_cast<double>(use.taken) / kGiB,
        static_cast<double>(use.outside()) / kGiB, static_cast<double>(use.before) / kGiB,
        static_cast<double>(use.total) / kGiB);
  }
  if (m.skipped > 0)
    fmt::print("{} of the steps were not finite and skipped their update\n", m.skipped);
  if (m.device_times)
    cli::print(*m.device_times, study::times_by_class(*m.device_times, m.by_op, seconds.median));
  print_ops(m, seconds.median);
}

nlohmann::ordered_json to_json(const study::StepMeasurement& m, const Config& config) {
  const study::Spread seconds = study::spread_of(m.seconds);
  nlohmann::ordered_json by_op;
  for (const observe::OpTime& op : m.by_op.ops) {
    by_op[op.op] = {{"seconds", op.seconds}, {"tasks", op.tasks}, {"flops", op.flops}};
  }
  nlohmann::ordered_json json{
      {"step_seconds", {{"median", seconds.median}, {"min", seconds.min}, {"max", seconds.max}}},
      {"steps", m.seconds.size()},
      {"ranks", m.ranks},
      {"tokens_per_second", tokens_per_second(m, config)},
      {"flops_per_step", m.flops.model},
      {"peak_flops", m.peak},
      {"mfu", m.mfu()},
      {"mfu_megatron", m.flops.megatron / (m.peak * seconds.median)},
      {"hfu", m.flops.executed / (m.peak * seconds.median)},
      {"exposed_comm_seconds", study::spread_of(m.exposed_comm).median},
      {"bubble_seconds", study::spread_of(m.bubble).median},
      {"bubble_share", study::spread_of(m.bubble_share).median},
      {"data_wait_seconds", study::spread_of(m.data_wait).median},
      {"skipped_steps", m.skipped},
      {"memory_bytes", m.arena_nbytes},
      {"time_by_op", by_op}};
  if (m.losses) {
    json["loss"] = {{"first", m.losses->first},
                    {"last", m.losses->last},
                    {"expected_first", expected_first_loss(config)}};
  }
  if (m.device_memory) {
    const engine::DeviceMemoryUse& use = *m.device_memory;
    json["device_memory"] = {{"planned_bytes", use.planned},
                             {"taken_bytes", use.taken},
                             {"outside_bytes", use.outside()},
                             {"before_bytes", use.before},
                             {"total_bytes", use.total}};
  }
  if (m.device_times) {
    json["device_times"] = cli::to_json(
        *m.device_times, study::times_by_class(*m.device_times, m.by_op, seconds.median));
  }
  return json;
}

Outcome step(const StepArguments& arguments) {
  const auto process = comm::ProcessLaunch::from_environment();
  const Config config = arguments.config.load(process ? process->environment.world_size : 0);
  if (!process || process->environment.rank == 0) say_full_batch(config);
  const bool on_device = config.train.device == DeviceKind::cuda;
  if (on_device && (!arguments.only.empty() || !arguments.measure.group.empty())) {
    throw Error(
        ErrorCode::unsupported,
        "--only and --group copy in host memory, so they need train.device = cpu; found cuda");
  }
  const auto ranks = static_cast<std::uint32_t>(world_size(config));
  if (!process) require_local_ranks(ranks, arguments.processes ? "processes" : "threads");
  if (!process && arguments.processes && ranks > 1) return start_ranks(ranks);
  study::MeasureOptions options = arguments.measure;
  options.roofs = arguments.roofs.sizes;
  const auto measured = study::measure_steps(config, options, process ? &*process : nullptr);
  if (!measured) return {.json_is_printed = true};  // rank 0 prints it
  print(*measured, config);
  return {.json = to_json(*measured, config)};
}

}  // namespace

void add_bench_step(Command& bench) {
  const auto arguments = std::make_shared<StepArguments>();
  Command command = bench.subcommand("step", "times training steps on random tokens");
  arguments->config.add_to(command);
  command.option("--steps", arguments->measure.steps, "timed steps").positive().shows_default();
  command.option("--warmup", arguments->measure.warmup, "steps before them")
      .at_least_zero()
      .shows_default();
  command
      .option("--only", arguments->only,
              "computation: transfers carry no bytes; communication: kernels do nothing")
      .one_of({"computation", "communication"});
  command.option("--group", arguments->measure.group,
                 "only transfers of groups whose name begins with this text carry bytes: forward, "
                 "backward, tensor, data, ...");
  command.option("--device", arguments->device, "the same as --set train.device=DEVICE")
      .one_of({"cpu", "cuda"});
  arguments->roofs.add_to(command);
  command.option("--keep", arguments->measure.run_dir,
                 "directory for the records of all steps, for megascale trace");
  command
      .option("--peak", arguments->measure.peak,
              "peak FLOP/s of all ranks' cores, for mfu (default: measured)")
      .positive();
  command.flag("--processes", arguments->processes,
               "ranks are processes of this host instead of threads");
  command.does([arguments] {
    if (!arguments->device.empty()) arguments->config.set("train.device=" + arguments->device);
    if (arguments->only == "computation") arguments->measure.working = study::Working::computation;
    if (arguments->only == "communication")
      arguments->measure.working = study::Working::communication;
    return step(*arguments);
  });
}

}  // namespace megascale::cli
