#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "megascale/base/error.h"
#include "megascale/cli/command.h"
#include "megascale/cli/layout_search.h"
#include "megascale/cli/simulated_step.h"
#include "megascale/config/derived.h"

namespace megascale::cli {
namespace {

// An estimate this far above a device's memory is not worth a plan; below, the plan decides.
constexpr double kEstimateSlack = 1.25;

struct TuneArguments {
  ConfigArguments config;
  std::filesystem::path cluster;
  std::size_t simulations = 24, shown = 10;
};

struct Tried {
  const Candidate* candidate = nullptr;
  SimulatedStep step;
};

std::string gib(double nbytes) { return fmt::format("{:.1f}", nbytes / (1U << 30U)); }

void print(const std::vector<Tried>& tried, std::size_t shown) {
  fmt::print("{:>4} {:>6} {:>8} {:>7} {:>5} {:>6} {:>10} {:>9} {:>6} {:>6} {:>9} {:>9}\n", "",
             "tensor", "pipeline", "virtual", "data", "micro", "recompute", "step s", "MFU %",
             "GiB", "exposed s", "bubble s");
  for (std::size_t i = 0; i < std::min(shown, tried.size()); ++i) {
    const Config& c = tried[i].candidate->config;
    const SimulatedStep& step = tried[i].step;
    const std::string& recompute = tried[i].candidate->overrides.back();
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
  const double memory = cluster.device.memory_gib * (1U << 30U);
  const std::vector<Candidate> candidates = candidates_of(job, cluster);
  std::vector<Tried> tried;
  std::size_t simulated = 0, too_large = 0;
  for (const Candidate& candidate : candidates) {
    if (simulated == arguments.simulations) break;
    if (candidate.estimated_nbytes > kEstimateSlack * memory) {
      ++too_large;
      continue;
    }
    Tried one{.candidate = &candidate,
              .step = StepSimulator(candidate.config, cluster)
                          .run({.steps = cluster.host.jitter == 0 ? 2U : 0U,
                                .threads = std::max(1U, std::thread::hardware_concurrency())})};
    ++simulated;
    say(fmt::format("{} of at most {}: {} ... {:.3f} s, {} GiB{}", simulated, arguments.simulations,
                    fmt::join(candidate.overrides, " "), one.step.seconds,
                    gib(static_cast<double>(one.step.arena_nbytes)),
                    one.step.fits ? "" : ", does not fit"));
    if (one.step.fits) {
      tried.push_back(std::move(one));
    } else {
      ++too_large;
    }
  }
  if (tried.empty()) {
    throw Error(
        ErrorCode::failed,
        fmt::format("tune: none of the {} layouts that were looked at fits in the {:.0f} GiB "
                    "of a device: more ranks, ZeRO (parallel.zero_stage) or a smaller model "
                    "are needed, or more simulations (--simulations)",
                    simulated + too_large, cluster.device.memory_gib));
  }
  std::stable_sort(tried.begin(), tried.end(),
                   [](const Tried& a, const Tried& b) { return a.step.seconds < b.step.seconds; });
  print(tried, arguments.shown);
  fmt::print(
      "\n{} layouts are allowed; the {} of the shortest estimates were simulated, {} did not fit.\n"
      "The best: {}\n",
      candidates.size(), simulated, too_large,
      fmt::format("--set {}", fmt::join(tried.front().candidate->overrides, " --set ")));
  Outcome outcome{.json = {{"layouts", candidates.size()},
                           {"simulated", simulated},
                           {"did_not_fit", too_large}}};
  for (const Tried& one : tried) {
    outcome.json["tried"].push_back({{"overrides", one.candidate->overrides},
                                     {"step_seconds", one.step.seconds},
                                     {"mfu", one.step.of_peak(one.step.flops.model)},
                                     {"memory_bytes", one.step.arena_nbytes},
                                     {"estimated_seconds", one.candidate->estimated_seconds},
                                     {"estimated_memory_bytes", one.candidate->estimated_nbytes}});
  }
  return outcome;
}

}  // namespace

void add_tune(Command& app) {
  const auto arguments = std::make_shared<TuneArguments>();
  Command command =
      app.subcommand("tune", "which layout of a job is fastest on a described cluster");
  arguments->config.add_to(command);
  command.option("--cluster", arguments->cluster, "cluster description (clusters/*.toml)")
      .required();
  command.option("--simulations", arguments->simulations, "layouts that are simulated, at most")
      .positive()
      .shows_default();
  command.option("--show", arguments->shown, "layouts in the table, at most")
      .positive()
      .shows_default();
  command.does([arguments] { return tune(*arguments); });
}

}  // namespace megascale::cli
