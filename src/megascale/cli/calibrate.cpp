// `megascale calibrate`: measures this machine, writes it as a cluster file, and reports how well
// the file predicts the measured steps.
#include <fmt/format.h>

#include "megascale/base/core_binding.h"
#include "megascale/base/error.h"
#include "megascale/base/files.h"
#include "megascale/cli/calibration_report.h"
#include "megascale/cli/command.h"
#include "megascale/kernels/cpu/peak.h"
#include "megascale/study/calibrate/calibration.h"

namespace megascale::cli {
namespace {

struct CalibrateArguments {
  std::filesystem::path output;
  study::CalibrationOptions options;
};

void require_possible(const CalibrateArguments& arguments) {
  for (const std::int64_t width : arguments.options.hidden_sizes) {
    if (width % 64 != 0) {
      throw Error(ErrorCode::bad_usage,
                  fmt::format("--hidden-sizes: expected multiples of 64, found {}", width));
    }
  }
  const std::filesystem::path folder = std::filesystem::absolute(arguments.output).parent_path();
  if (!std::filesystem::is_directory(folder)) {
    throw Error(
        ErrorCode::bad_usage,
        fmt::format("--output: expected a file in a directory, found none at {}", folder.string()));
  }
  const auto cores = static_cast<std::int64_t>(available_cores());
  if (arguments.options.threads > cores) {
    throw Error(ErrorCode::bad_usage,
                fmt::format("--threads: expected at most the {} cores of this machine, found {}",
                            cores, arguments.options.threads));
  }
}

Outcome calibrate(const CalibrateArguments& arguments) {
  require_possible(arguments);
  const study::Calibration made =
      study::calibrate(arguments.options, [](const std::string& message) { say(message); });
  const std::string text =
      fmt::format("# Written by megascale calibrate: {} cores, {} kernels, {} threads a rank.\n",
                  available_cores(), kernels::cpu::vector_target(), arguments.options.threads) +
      to_toml(made.cluster);
  write_text_atomically(arguments.output, text);
  // The report describes the file as simulations will read it.
  const simulate::Cluster cluster = simulate::parse_cluster(text, arguments.output.string());
  Outcome outcome{.json = {{"output", arguments.output.string()}}};
  print_calibrated(cluster, outcome.json);
  print_residuals(cluster, made.cases, outcome.json);
  fmt::print("{}\n", arguments.output.string());
  return outcome;
}

}  // namespace

void add_calibrate(Command& app) {
  const auto arguments = std::make_shared<CalibrateArguments>();
  Command command = app.subcommand(
      "calibrate",
      "measures kernels and transfers of this machine and writes a cluster file for simulate");
  command.option("--output", arguments->output, "cluster file to write").required();
  command.option("--name", arguments->options.name, "name of this machine in the file")
      .shows_default();
  command
      .option("--threads", arguments->options.threads,
              "threads of a rank, as in train.threads_per_rank")
      .positive()
      .shows_default();
  command
      .option("--hidden-sizes", arguments->options.hidden_sizes,
              "hidden sizes of the measured models, multiples of 64")
      .separated_by_commas()
      .between(64, 1 << 14)
      .shows_default();
  command.option("--rounds", arguments->options.rounds, "passes over all models and layouts")
      .positive()
      .shows_default();
  command
      .option("--steps", arguments->options.steps,
              "measured steps of each model and layout in a round")
      .positive()
      .shows_default();
  command
      .option("--seconds", arguments->options.seconds,
              "length of each repetition when a peak is measured")
      .positive()
      .shows_default();
  command.does([arguments] { return calibrate(*arguments); });
}

}  // namespace megascale::cli
