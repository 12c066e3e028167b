// `megascale ablate`: prints a table of the techniques that a job uses, switched on one after the
// other, with the measured or simulated time of each row. The configurations of all rows are
// checked before the first one is timed.
#include <fmt/format.h>

#include "megascale/base/error.h"
#include "megascale/cli/command.h"
#include "megascale/cli/expert_load_argument.h"
#include "megascale/comm/bootstrap/launch_environment.h"
#include "megascale/study/ablate/ablation.h"
#include "megascale/study/statistics.h"

namespace megascale::cli {
namespace {

using nlohmann::ordered_json;
using study::Ablation;
using study::AblationRow;

struct AblateArguments {
  ConfigArguments config;
  study::AblationOptions options;
  ExpertLoadArgument expert_load;
  std::string rows = "all";

  [[nodiscard]] study::RowSet row_set() const noexcept {
    return rows == "moe" ? study::RowSet::moe : study::RowSet::all;
  }
};

double median(const std::vector<double>& values) { return study::spread_of(values).median; }

void print_rows(const Ablation& ablation) {
  fmt::print("{:<24} {:>9} {:>9} {:>7} {:>8} {:>6} {:>6} {:>9} {:>7}  {}\n", "", "step s",
             "tokens/s", "ratio", "MFU %", "+row", "+all", "exposed s", "idle %", "switched on");
  const double peak = ablation.peak_flops;
  const study::AblationGains gains = study::gains_of(ablation.rows, peak);
  for (std::size_t i = 0; i < ablation.rows.size(); ++i) {
    const auto& [row, t] = ablation.rows[i];
    const std::string name = (i > 0 ? "+ " : "") + row.technique;
    if (!row.absent.empty()) {
      fmt::print("{:<24} not in this job: {}\n", name, row.absent);
      continue;
    }
    const std::string gain = i == 0 ? "" : fmt::format("{:+.1f}", gains.over_before[i]),
                      total = i == 0 ? "" : fmt::format("{:+.1f}", gains.over_baseline[i]);
    fmt::print("{:<24} {:>9.4f} {:>9.0f} {:>7.3f} {:>8.1f} {:>6} {:>6} {:>9.4f} {:>7.1f}  {}\n",
               name, median(t.seconds), t.tokens_per_second(), gains.throughput[i],
               100 * t.mfu(peak), gain, total, median(t.exposed), 100 * median(t.bubble),
               i == 0 ? "(all off)" : fmt::format("{}", fmt::join(row.keys, ", ")));
  }
}

void print(const Ablation& ablation, const study::AblationOptions& options) {
  print_rows(ablation);
  const char* const about =
      "ratio: tokens/s over those of the baseline. +row, +all: points of MFU over the row\n"
      "before and over the baseline. exposed: the compute lane waits while a transfer moves;\n"
      "idle: it waits for other ranks' work (bubble). Both are means over the ranks.\n";
  if (options.timing() == study::Timing::simulated) {
    fmt::print("\nSimulated on {}. MFU of {:.1f} TFLOP/s of all devices.\n{}", options.cluster,
               ablation.peak_flops * 1e-12, about);
    return;
  }
  fmt::print(
      "\nMedians of {} rounds; each round times every row once ({} timed steps after {} of "
      "warm-up).\nMFU of {:.1f} GFLOP/s, the FMA peak of all ranks' cores.\n{}",
      ablation.rounds, options.steps, options.warmup, ablation.peak_flops * 1e-9, about);
}

void add_times(const study::RowTimes& t, double peak, ordered_json& row) {
  const study::Spread seconds = study::spread_of(t.seconds);
  row["step_seconds"] = {{"median", seconds.median}, {"min", seconds.min}, {"max", seconds.max}};
  row["tokens_per_second"] = t.tokens_per_second();
  row["mfu"] = t.mfu(peak);
  row["exposed_comm_seconds"] = median(t.exposed);
  row["bubble_share"] = median(t.bubble);
  if (!t.data_wait.empty()) row["data_wait_seconds"] = median(t.data_wait);
}

ordered_json to_json(const Ablation& ablation, const study::AblationOptions& options) {
  ordered_json rows = ordered_json::array();
  const study::AblationGains gains = study::gains_of(ablation.rows, ablation.peak_flops);
  for (std::size_t i = 0; i < ablation.rows.size(); ++i) {
    const auto& [described, times] = ablation.rows[i];
    ordered_json row{{"technique", described.technique}, {"keys", described.keys}};
    if (!described.absent.empty()) {
      row["not_in_this_job"] = described.absent;
    } else {
      add_times(times, ablation.peak_flops, row);
      row["overrides"] = described.overrides;
      row["throughput_of_baseline"] = gains.throughput[i];
      row["mfu_gain_points"] = gains.over_before[i];
      row["mfu_total_gain_points"] = gains.over_baseline[i];
    }
    rows.push_back(std::move(row));
  }
  return {{"rounds", ablation.rounds},
          {"steps", options.steps},
          {"peak_flops", ablation.peak_flops},
          {"rows", rows}};
}

// Returns the value of --expert-load, checked before any row is timed. Throws Error (bad_usage).
std::string checked_loads(const AblateArguments& arguments, const Config& config) {
  const std::string& description = arguments.expert_load.description();
  if (arguments.expert_load.is_given() && arguments.options.timing() == study::Timing::measured) {
    throw Error(ErrorCode::bad_usage,
                fmt::format("--expert-load {}: has no effect; expected --cluster with it, since "
                            "measured rows have the loads of their own router",
                            description));
  }
  (void)arguments.expert_load.loads(config);
  return description;
}

Outcome ablate(AblateArguments& arguments) {
  if (comm::read_launch_environment()) {
    throw Error(ErrorCode::bad_usage,
                "ablate starts the ranks of every row itself: run it without a launcher, with "
                "--ranks (and --processes)");
  }
  study::AblationOptions& options = arguments.options;
  options.config = arguments.config.file;
  options.overrides = arguments.config.overrides;
  options.ranks = arguments.config.ranks;
  const Config config = arguments.config.load();
  say_full_batch(config);
  options.expert_load = checked_loads(arguments, config);
  auto rows =
      study::ablation_rows(config, options.batch_factor, options.timing(), arguments.row_set());
  for (const AblationRow& row : rows) {
    ConfigArguments changed = arguments.config;
    changed.overrides.insert(changed.overrides.end(), row.overrides.begin(), row.overrides.end());
    try {
      (void)changed.load();
    } catch (Error& error) {
      error.add_context(fmt::format("row \"{}\"", row.technique));
      throw;
    }
  }
  const Ablation ablation = study::run_ablation(options, std::move(rows),
                                                [](const std::string& message) { say(message); });
  print(ablation, options);
  return {.json = to_json(ablation, options)};
}

}  // namespace

void add_ablate(Command& app) {
  const auto arguments = std::make_shared<AblateArguments>();
  Command command = app.subcommand(
      "ablate", "switches on the techniques of a job one after the other and times each row");
  arguments->config.add_to(command);
  command
      .option("--rows", arguments->rows,
              "all: every technique, in the order of MegaScale's table 3; moe: those of "
              "MegaScale-MoE's table 5, with the others on in every row")
      .one_of({"all", "moe"})
      .shows_default();
  command.option("--rounds", arguments->options.rounds, "rounds; each times every row once")
      .positive()
      .shows_default();
  command.option("--steps", arguments->options.steps, "timed steps of a row in a round")
      .positive()
      .shows_default();
  command.option("--warmup", arguments->options.warmup, "steps before them")
      .at_least_zero()
      .shows_default();
  command
      .option("--batch-factor", arguments->options.batch_factor,
              "rows before LAMB have the configuration's global batch divided by this")
      .positive()
      .shows_default();
  command.flag("--processes", arguments->options.processes,
               "ranks are processes of this host instead of threads");
  command.option("--cluster", arguments->options.cluster,
                 "simulate the rows on a described cluster (clusters/*.toml) instead");
  arguments->expert_load.add_to(command, "simulated rows have these loads");
  command.does([arguments] { return ablate(*arguments); });
}

}  // namespace megascale::cli
