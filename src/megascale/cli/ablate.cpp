#include <fmt/format.h>

#include <algorithm>

#include "megascale/base/error.h"
#include "megascale/cli/ablation_rows.h"
#include "megascale/cli/child_process.h"
#include "megascale/cli/command.h"
#include "megascale/cli/step_measurement.h"
#include "megascale/comm/bootstrap/launch_environment.h"

namespace megascale::cli {
namespace {

using nlohmann::ordered_json;

struct AblateArguments {
  ConfigArguments config;
  std::int64_t rounds = 5, steps = 1, warmup = 1, batch_factor = 4;
  bool processes = false;
  std::string cluster;  // rows are simulated on it, not measured here
};

double median(const std::vector<double>& values) { return spread_of(values).median; }

// What the turns of a row have measured, one value per round.
struct RowTimes {
  double tokens = 0, flops = 0;  // of a step, credited
  std::vector<double> seconds, exposed, bubble, data_wait;

  // What `bench step` says, or `simulate`, which knows of one step and reads no data.
  void add(const ordered_json& said) {
    const ordered_json& times = said.at("step_seconds");
    const double step = (times.is_object() ? times.at("median") : times).get<double>();
    tokens = said.at("tokens_per_second").get<double>() * step;
    flops = said.at("flops_per_step").get<double>();
    seconds.push_back(step);
    exposed.push_back(said.at("exposed_comm_seconds").get<double>());
    bubble.push_back(said.at("bubble_share").get<double>());
    const auto wait = said.find("data_wait_seconds");
    if (wait != said.end()) data_wait.push_back(wait->get<double>());
  }
  // Of the median step.
  [[nodiscard]] double tokens_per_second() const { return tokens / median(seconds); }
  [[nodiscard]] double mfu(double peak) const { return flops / (peak * median(seconds)); }
};

// Measures all rows in turn, `rounds` times: what else the machine does meets them alike.
class Ablation {
 public:
  Ablation(const AblateArguments& arguments, std::vector<AblationRow> rows)
      : arguments_(arguments), rows_(std::move(rows)), times_(rows_.size()) {}

  void measure() {
    for (std::int64_t round = 0; round < arguments_.rounds; ++round) {
      for (std::size_t i = 0; i < rows_.size(); ++i) {
        if (!rows_[i].absent.empty()) continue;
        say(fmt::format("round {} of {}: {}", round + 1, arguments_.rounds, rows_[i].technique));
        times_[i].add(is_simulated() ? simulate(rows_[i]) : measure(rows_[i]));
      }
    }
  }

  void print() const {
    fmt::print("{:<22} {:>9} {:>9} {:>8} {:>6} {:>6} {:>9} {:>7}  {}\n", "", "step s", "tokens/s",
               "MFU %", "+row", "+all", "exposed s", "idle %", "switched on");
    const Gains gains(*this);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const AblationRow& row = rows_[i];
      const std::string name = (i > 0 ? "+ " : "") + row.technique;
      if (!row.absent.empty()) {
        fmt::print("{:<22} not in this job: {}\n", name, row.absent);
        continue;
      }
      const RowTimes& t = times_[i];
      const std::string gain = i == 0 ? "" : fmt::format("{:+.1f}", gains.over_before[i]),
                        total = i == 0 ? "" : fmt::format("{:+.1f}", gains.over_baseline[i]);
      fmt::print("{:<22} {:>9.4f} {:>9.0f} {:>8.1f} {:>6} {:>6} {:>9.4f} {:>7.1f}  {}\n", name,
                 median(t.seconds), t.tokens_per_second(), 100 * t.mfu(peak_), gain, total,
                 median(t.exposed), 100 * median(t.bubble),
                 i == 0 ? "(all off)" : fmt::format("{}", fmt::join(row.keys, ", ")));
    }
    const char* const about =
        "+row, +all: points over the row before and the baseline. exposed: the compute lane waits\n"
        "while a transfer moves; idle: it waits for another rank's work (bubble); both on average "
        "over\nthe ranks.\n";
    if (is_simulated()) {
      fmt::print("\nSimulated on {}. MFU of {:.1f} TFLOP/s of all devices.\n{}", arguments_.cluster,
                 peak_ * 1e-12, about);
      return;
    }
    fmt::print(
        "\nMedians of {} rounds in which the rows took turns (timed steps a turn: {}, of warm-up: "
        "{}).\nMFU of {:.1f} GFLOP/s, the FMA peak of all ranks' cores.\n{}",
        arguments_.rounds, arguments_.steps, arguments_.warmup, peak_ * 1e-9, about);
  }

  [[nodiscard]] ordered_json to_json() const {
    ordered_json rows = ordered_json::array();
    const Gains gains(*this);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      ordered_json row{{"technique", rows_[i].technique}, {"keys", rows_[i].keys}};
      if (!rows_[i].absent.empty()) {
        row["not_in_this_job"] = rows_[i].absent;
      } else {
        add_times(times_[i], peak_, row);
        row["overrides"] = rows_[i].overrides;
        row["mfu_gain_points"] = gains.over_before[i];
        row["mfu_total_gain_points"] = gains.over_baseline[i];
      }
      rows.push_back(std::move(row));
    }
    return {{"rounds", arguments_.rounds},
            {"steps", arguments_.steps},
            {"peak_flops", peak_},
            {"rows", rows}};
  }

 private:
  // In points of MFU, by row.
  struct Gains {
    std::vector<double> over_before, over_baseline;
    explicit Gains(const Ablation& a) {
      const double baseline = 100 * a.times_.front().mfu(a.peak_);
      double before = baseline;
      for (std::size_t i = 0; i < a.rows_.size(); ++i) {
        const double now = a.rows_[i].absent.empty() ? 100 * a.times_[i].mfu(a.peak_) : before;
        over_before.push_back(now - before);
        over_baseline.push_back(now - baseline);
        before = now;
      }
    }
  };

  static void add_times(const RowTimes& t, double peak, ordered_json& row) {
    const Spread seconds = spread_of(t.seconds);
    row["step_seconds"] = {{"median", seconds.median}, {"min", seconds.min}, {"max", seconds.max}};
    row["tokens_per_second"] = t.tokens_per_second();
    row["mfu"] = t.mfu(peak);
    row["exposed_comm_seconds"] = median(t.exposed);
    row["bubble_share"] = median(t.bubble);
    if (!t.data_wait.empty()) row["data_wait_seconds"] = median(t.data_wait);
  }

  [[nodiscard]] bool is_simulated() const { return !arguments_.cluster.empty(); }

  // One turn of a row: a process of its own, which starts as a user's would.
  ordered_json measure(const AblationRow& row) {
    std::vector<std::string> command = command_of(row, {"bench", "step"});
    const auto option = [&](const char* name, const std::string& value) {
      command.insert(command.end(), {name, value});
    };
    option("--steps", std::to_string(arguments_.steps));
    option("--warmup", std::to_string(arguments_.warmup));
    if (peak_ > 0) option("--peak", fmt::format("{}", peak_));
    if (arguments_.processes) command.emplace_back("--processes");
    ordered_json measured = last_line_of(command);
    peak_ = measured.at("peak_flops").get<double>();
    return measured;
  }

  ordered_json simulate(const AblationRow& row) {
    std::vector<std::string> command = command_of(row, {"simulate"});
    command.insert(command.end(), {"--cluster", arguments_.cluster});
    ordered_json simulated = last_line_of(command);
    peak_ = simulated.at("peak_flops").get<double>() * simulated.at("world_size").get<double>();
    return simulated;
  }

  [[nodiscard]] std::vector<std::string> command_of(const AblationRow& row,
                                                    std::vector<std::string> command) const {
    command.insert(command.end(), {arguments_.config.file.string(), "--json"});
    if (arguments_.config.ranks > 0)
      command.insert(command.end(), {"--ranks", std::to_string(arguments_.config.ranks)});
    for (const auto& overrides : {arguments_.config.overrides, row.overrides}) {
      for (const std::string& override : overrides)
        command.insert(command.end(), {"--set", override});
    }
    return command;
  }

  static ordered_json last_line_of(const std::vector<std::string>& command) {
    std::string text = run_this_program(command);
    while (text.ends_with('\n')) text.pop_back();
    const std::size_t line = text.rfind('\n');
    return ordered_json::parse(line == std::string::npos ? text : text.substr(line + 1));
  }

  const AblateArguments& arguments_;
  std::vector<AblationRow> rows_;
  std::vector<RowTimes> times_;  // by row
  double peak_ = 0;              // measured in the first turn, then given to all: rows compare
};

Outcome ablate(AblateArguments& arguments) {
  if (comm::read_launch_environment()) {
    throw Error(ErrorCode::bad_usage,
                "ablate starts the ranks of every turn itself: run it without a launcher, with "
                "--ranks (and --processes)");
  }
  const Timing timing = arguments.cluster.empty() ? Timing::measured : Timing::simulated;
  auto rows = ablation_rows(arguments.config.load(), arguments.batch_factor, timing);
  if (timing == Timing::simulated) arguments.rounds = 1;  // nothing else happens in that time
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
  Ablation ablation(arguments, std::move(rows));
  ablation.measure();
  ablation.print();
  return {.json = ablation.to_json()};
}

}  // namespace

void add_ablate(Command& app) {
  const auto arguments = std::make_shared<AblateArguments>();
  Command command = app.subcommand(
      "ablate", "switches the techniques that a job uses on, one after the other, and times each");
  arguments->config.add_to(command);
  command.option("--rounds", arguments->rounds, "times that the rows take turns")
      .positive()
      .shows_default();
  command.option("--steps", arguments->steps, "timed steps of a turn").positive().shows_default();
  command.option("--warmup", arguments->warmup, "steps before them")
      .at_least_zero()
      .shows_default();
  command
      .option("--batch-factor", arguments->batch_factor,
              "LAMB's batch, which is the configuration's, over that of the rows before")
      .positive()
      .shows_default();
  command.flag("--processes", arguments->processes,
               "ranks are processes of this host instead of threads");
  command.option("--cluster", arguments->cluster,
                 "simulate the rows on a described cluster (clusters/*.toml) instead");
  command.does([arguments] { return ablate(*arguments); });
}

}  // namespace megascale::cli
