#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "megascale/base/files.h"
#include "megascale/base/philox.h"
#include "megascale/cli/command.h"
#include "megascale/config/derived.h"
#include "megascale/data/indexed_writer.h"
#include "megascale/engine/engine.h"
#include "megascale/kernels/cpu/peak.h"
#include "megascale/observe/blame.h"
#include "megascale/observe/flops.h"
#include "megascale/observe/time_by_op.h"

namespace megascale::cli {
namespace {

struct Spread {
  double median = 0, min = 0, max = 0;
};
Spread spread_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return {values[values.size() / 2], values.front(), values.back()};
}

// Random tokens, enough for the steps of a benchmark: times do not depend on what they say.
class RandomData {
 public:
  explicit RandomData(const Config& config)
      : directory_(std::filesystem::temp_directory_path() /
                   fmt::format("megascale-bench-{}", ::getpid())) {
    make_directories(directory_);
    const PhiloxStream random(1, "bench");
    const std::int64_t count = config.train.global_batch_size * config.model.seq_length + 1;
    std::vector<std::int32_t> tokens(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      tokens[i] = static_cast<std::int32_t>(random.bits(i) %
                                            static_cast<std::uint64_t>(config.model.vocab_size));
    }
    write(tokens, config);
  }
  RandomData(const RandomData&) = delete;
  RandomData& operator=(const RandomData&) = delete;
  ~RandomData() {
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
  }
  [[nodiscard]] std::string prefix() const { return (directory_ / "tokens").string(); }

 private:
  void write(std::span<const std::int32_t> tokens, const Config& config) {
    IndexedDatasetWriter writer(
        prefix(), config.model.vocab_size < 65500 ? TokenType::uint16 : TokenType::int32);
    writer.append(tokens);
    writer.end_document();
    writer.finish();
  }
  std::filesystem::path directory_;
};

struct StepArguments {
  ConfigArguments config;
  std::int64_t steps = 5, warmup = 2;
};

struct StepTimes {
  std::vector<double> seconds;
  std::vector<observe::TimeByOp> by_op;
  double data_wait_seconds = 0;
};

StepTimes time_steps(engine::Engine& engine, const StepArguments& arguments) {
  StepTimes times;
  for (std::int64_t i = 0; i < arguments.warmup + arguments.steps; ++i) {
    const engine::StepResult step = engine.train_step();
    if (i < arguments.warmup) continue;
    times.seconds.push_back(step.seconds);
    times.by_op.push_back(observe::time_by_op(engine.train_plan(), step.records));
    times.data_wait_seconds += observe::blame(engine.train_plan(), step.records).data_wait_seconds;
  }
  return times;
}

// The step of median length stands for all: its parts add up to it.
const observe::TimeByOp& typical(const StepTimes& times) {
  const double median = spread_of(times.seconds).median;
  const auto at =
      std::find(times.seconds.begin(), times.seconds.end(), median) - times.seconds.begin();
  return times.by_op[static_cast<std::size_t>(at)];
}

Outcome report(const engine::Engine& engine, const Config& config, const StepTimes& times,
               double peak) {
  const Spread seconds = spread_of(times.seconds);
  const observe::StepFlops flops = observe::count_flops(engine.train_plan());
  const double mfu = flops.model / (peak * seconds.median);
  const auto tokens = static_cast<double>(tokens_per_step(config));
  fmt::print("step {:.3f} s (median of {}; {:.3f} to {:.3f}), {:.0f} tokens/s\n", seconds.median,
             times.seconds.size(), seconds.min, seconds.max, tokens / seconds.median);
  fmt::print(
      "{:.4e} FLOPs credited, {:.1f} of {:.1f} GFLOP/s FMA peak: mfu {:.3f}, mfu_megatron {:.3f}\n",
      flops.model, flops.model / seconds.median * 1e-9, peak * 1e-9, mfu,
      flops.megatron / (peak * seconds.median));
  fmt::print("\n{:<24} {:>6} {:>10} {:>8} {:>10} {:>8}\n", "op", "tasks", "seconds", "share",
             "GFLOP/s", "of peak");
  nlohmann::ordered_json by_op;
  for (const observe::OpTime& op : typical(times).ops) {
    const double rate = op.flops / op.seconds;
    fmt::print("{:<24} {:>6} {:>10.4f} {:>7.1f}% {:>10.1f} {:>7.1f}%\n", op.op, op.tasks,
               op.seconds, 100 * op.seconds / seconds.median, rate * 1e-9, 100 * rate / peak);
    by_op[op.op] = {{"seconds", op.seconds}, {"tasks", op.tasks}, {"flops", op.flops}};
  }
  fmt::print("{:<24} {:>6} {:>10.4f}\n", "(between tasks)", "", typical(times).idle_seconds);
  return {.json = {{"step_seconds",
                    {{"median", seconds.median}, {"min", seconds.min}, {"max", seconds.max}}},
                   {"steps", times.seconds.size()},
                   {"tokens_per_second", tokens / seconds.median},
                   {"flops_per_step", flops.model},
                   {"peak_flops", peak},
                   {"mfu", mfu},
                   {"mfu_megatron", flops.megatron / (peak * seconds.median)},
                   {"hfu", flops.executed / (peak * seconds.median)},
                   {"data_wait_seconds",
                    times.data_wait_seconds / static_cast<double>(times.seconds.size())},
                   {"memory_bytes", engine.job().arena_nbytes()},
                   {"time_by_op", by_op}}};
}

Outcome step(const StepArguments& arguments) {
  ConfigArguments with_data = arguments.config;
  const Config shape = with_data.load();
  const RandomData random(shape);
  with_data.overrides.insert(
      with_data.overrides.end(),
      {fmt::format("data.data_path={}", random.prefix()),
       "data.valid_data_path=", "data.split=1,0,0", "data.shuffle=false", "train.eval_interval=0"});
  const Config config = with_data.load();
  const Dataset data = open_dataset(config, Split::train);
  if (world_size(config) != 1) {
    throw Error(ErrorCode::unsupported,
                fmt::format("bench step measures one rank, the configuration asks for {}: take the "
                            "step times of `megascale train`, or `megascale ablate`",
                            world_size(config)));
  }
  const engine::JobPlan job = engine::plan_job(config);
  engine::Engine engine(config, job, {.train = &data});
  engine.initialize();
  engine.start_at(0);
  // Before and after the steps: on a machine with other users the peak moves too.
  const double before = kernels::cpu::fma_peak(engine.job().threads).best;
  const StepTimes times = time_steps(engine, arguments);
  const double after = kernels::cpu::fma_peak(engine.job().threads).best;
  return report(engine, config, times, std::max(before, after));
}

}  // namespace

void add_bench(CLI::App& app, ActionMap& actions) {
  CLI::App* command =
      app.add_subcommand("bench", "what this machine can do, and what we reach of it");
  command->require_subcommand(1);
  add_bench_peak(*command, actions);
  add_bench_collectives(*command, actions);
  const auto arguments = std::make_shared<StepArguments>();
  CLI::App* step_command = command->add_subcommand("step", "times training steps on random tokens");
  arguments->config.add_to(*step_command);
  step_command->add_option("--steps", arguments->steps, "timed steps")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  step_command->add_option("--warmup", arguments->warmup, "steps before them")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  actions.emplace_back(step_command, [arguments] { return step(*arguments); });
  add_bench_startup(*command, actions);
}

}  // namespace megascale::cli
