// Runs an ablation table: builds the command line of each row, starts this program with it, and
// reads the JSON object in the last line of its output. Rounds go over all rows, so that a machine
// whose speed drifts does not favour one row.
#include "megascale/study/ablate/ablation.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "megascale/launch/child_process.h"
#include "megascale/study/statistics.h"

namespace megascale::study {
namespace {

using nlohmann::ordered_json;

// Runs this program and parses the last line of its output.
ordered_json last_line_of(const std::vector<std::string>& command) {
  std::string text = launch::run_this_program(command);
  while (text.ends_with('\n')) text.pop_back();
  const std::size_t line = text.rfind('\n');
  return ordered_json::parse(line == std::string::npos ? text : text.substr(line + 1));
}

// Returns the peak in FLOP/s of all ranks, from a command's result. `simulate` reports that of one
// rank.
double peak_of(const ordered_json& said, Timing timing) {
  const double peak = said.at("peak_flops").get<double>();
  return timing == Timing::simulated ? peak * said.at("world_size").get<double>() : peak;
}

}  // namespace

void RowTimes::add(const ordered_json& said) {
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

double RowTimes::tokens_per_second() const { return tokens / spread_of(seconds).median; }
double RowTimes::mfu(double peak) const { return flops / (peak * spread_of(seconds).median); }

AblationGains gains_of(std::span<const TimedRow> rows, double peak) {
  AblationGains gains;
  const RowTimes& first = rows.front().times;
  const double baseline = 100 * first.mfu(peak);
  double before = baseline, throughput = 1;
  for (const TimedRow& one : rows) {
    double now = before;
    if (one.row.absent.empty()) {
      now = 100 * one.times.mfu(peak);
      throughput = one.times.tokens_per_second() / first.tokens_per_second();
    }
    gains.over_before.push_back(now - before);
    gains.over_baseline.push_back(now - baseline);
    gains.throughput.push_back(throughput);
    before = now;
  }
  return gains;
}

std::vector<std::string> command_of(const AblationOptions& options, const AblationRow& row,
                                    double peak) {
  const bool is_simulated = options.timing() == Timing::simulated;
  std::vector<std::string> command;
  if (is_simulated) {
    command = {"simulate"};
  } else {
    command = {"bench", "step"};
  }
  const auto option = [&](const char* name, const std::string& value) {
    command.insert(command.end(), {name, value});
  };
  command.insert(command.end(), {options.config.string(), "--json"});
  if (options.ranks > 0) option("--ranks", std::to_string(options.ranks));
  for (const auto& overrides : {options.overrides, row.overrides}) {
    for (const std::string& override : overrides) option("--set", override);
  }
  if (is_simulated) {
    option("--cluster", options.cluster);
    if (!options.expert_load.empty()) option("--expert-load", options.expert_load);
    return command;
  }
  option("--steps", std::to_string(options.steps));
  option("--warmup", std::to_string(options.warmup));
  if (peak > 0) option("--peak", fmt::format("{}", peak));
  if (options.processes) command.emplace_back("--processes");
  return command;
}

Ablation run_ablation(const AblationOptions& options, std::vector<AblationRow> rows,
                      const std::function<void(const std::string&)>& on_message) {
  // A simulation gives the same result every time, so one round is enough.
  Ablation ablation{.rounds = options.timing() == Timing::simulated ? 1 : options.rounds};
  for (AblationRow& row : rows) ablation.rows.push_back({.row = std::move(row), .times = {}});
  for (std::int64_t round = 0; round < ablation.rounds; ++round) {
    for (TimedRow& one : ablation.rows) {
      if (!one.row.absent.empty()) continue;
      on_message(fmt::format("round {} of {}: {}", round + 1, ablation.rounds, one.row.technique));
      const ordered_json said = last_line_of(command_of(options, one.row, ablation.peak_flops));
      ablation.peak_flops = peak_of(said, options.timing());
      one.times.add(said);
    }
  }
  return ablation;
}

}  // namespace megascale::study
