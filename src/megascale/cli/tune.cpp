// `megascale tune`: finds the fastest layout of a job on a described cluster, and prints a table of
// the simulated layouts.
#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "megascale/cli/command.h"
#include "megascale/config/derived.h"
#include "megascale/study/search/tuning.h"

namespace megascale::cli {
namespace {

struct TuneArguments {
  ConfigArguments config;
  std::filesystem::path cluster;
  std::size_t simulations = 24, shown = 10;
};

std::string gib(double nbytes) { return fmt::format("{:.1f}", nbytes / (1U << 30U)); }

void print(const std::vector<study::TriedLayout>& tried, std::size_t shown) {
  fmt::print("{:>4} {:>6} {:>8} {:>7} {:>5} {:>6} {:>10} {:>9} {:>6} {:>6} {:>9} {:>9}\n", "",
             "tensor", "pipeline", "virtual", "data", "micro", "recompute", "step s", "MFU %",
             "GiB", "exposed s", "bubble s");
  for (std::size_t i = 0; i < std::min(shown, tried.size()); ++i) {
    const Config& c = tried[i].candidate.config;
    const study::SimulatedStep& step = tried[i].step;
    const std::string& recompute = tried[i].candidate.overrides.back();
    fmt::print(
        "{:>4} {:>6} {:>8} {:>7} {:>5} {:>6} {:>10} {:>9.3f} {:>6.1f} {:>6} {:>9.3f} {:>9.3f}\n",
        i + 1, c.parallel.tensor_model_parallel_size, c.parallel.pipeline_model_parallel_size,
        c.parallel.virtual_pipeline_size, data_parallel_size(c), c.train.micro_batch_size,
        recompute.substr(recompute.find('=') + 1), step.seconds,
        100 * step.of_peak(step.flops.model), gib(static_cast<double>(step.arena_nbytes)),
        step.mean(&observe::IdleTime::exposed_comm_seconds),
        step.mean(&observe::IdleTime::bubble_seconds));
  }
}

Outcome tune(const TuneArguments& arguments) {
  const Config job = arguments.config.load();
  const simulate::Cluster cluster = simulate::load_cluster(arguments.cluster);
  const study::Tuning tuning = study::tune(job, cluster, arguments.simulations,
                                           std::max(1U, std::thread::hardware_concurrency()),
                                           [](const std::string& message) { say(message); });
  print(tuning.tried, arguments.shown);
  fmt::print(
      "\n{} layouts are allowed; the {} with the shortest estimates were simulated, {} did not "
      "fit\n"
      "The best: {}\n",
      tuning.layouts, tuning.simulated, tuning.too_large,
      fmt::format("--set {}", fmt::join(tuning.tried.front().candidate.overrides, " --set ")));
  Outcome outcome{.json = {{"layouts", tuning.layouts},
                           {"simulated", tuning.simulated},
                           {"did_not_fit", tuning.too_large}}};
  for (const study::TriedLayout& one : tuning.tried) {
    outcome.json["tried"].push_back({{"overrides", one.candidate.overrides},
                                     {"step_seconds", one.step.seconds},
                                     {"mfu", one.step.of_peak(one.step.flops.model)},
                                     {"memory_bytes", one.step.arena_nbytes},
                                     {"estimated_seconds", one.candidate.estimated_seconds},
                                     {"estimated_memory_bytes", one.candidate.estimated_nbytes}});
  }
  return outcome;
}

}  // namespace

void add_tune(Command& app) {
  const auto arguments = std::make_shared<TuneArguments>();
  Command command =
      app.subcommand("tune", "finds the fastest layout of a job on a described cluster");
  arguments->config.add_to(command);
  command.option("--cluster", arguments->cluster, "cluster description (clusters/*.toml)")
      .required();
  command.option("--simulations", arguments->simulations, "most layouts to simulate")
      .positive()
      .shows_default();
  command.option("--show", arguments->shown, "most layouts to show in the table")
      .positive()
      .shows_default();
  command.does([arguments] { return tune(*arguments); });
}

}  // namespace megascale::cli
