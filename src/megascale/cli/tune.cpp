// `megascale tune`: finds the fastest layout of a job on a described cluster, and prints a table of
// the simulated layouts.
#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "megascale/cli/command.h"
#include "megascale/cli/expert_load_argument.h"
#include "megascale/cli/expert_report.h"
#include "megascale/config/derived.h"
#include "megascale/study/search/tuning.h"

namespace megascale::cli {
namespace {

struct TuneArguments {
  ConfigArguments config;
  std::filesystem::path cluster;
  study::TuneOptions options;
  ExpertLoadArgument expert_load;
  std::size_t shown = 10;
};

std::string gib(double nbytes) { return fmt::format("{:.1f}", nbytes / (1U << 30U)); }

// "-" if no token goes to another rank.
std::string_view dispatch_of(const Config& job, const study::Layout& layout) {
  if (job.model.moe.num_experts == 0 || layout.expert == 1) return "-";
  return layout.dispatcher == TokenDispatcher::allgather ? "allgather" : "alltoall";
}

// Pieces by what is cut: tensor, context, expert ranks, hierarchical reductions. "-": nothing is.
std::string pieces_of(const study::Layout& layout) {
  std::string text;
  for (const auto& [letter, number] :
       {std::pair{'t', layout.tensor_pieces}, std::pair{'c', layout.context_pieces},
        std::pair{'e', layout.expert_pieces}, std::pair{'h', layout.reduction_pieces}}) {
    if (number > 0) text += fmt::format("{}{}{}", text.empty() ? "" : " ", letter, number);
  }
  return text.empty() ? "-" : text;
}

void print(const std::vector<study::TriedLayout>& tried, std::size_t shown, const Config& job) {
  fmt::print(
      "{:>4} {:>6} {:>7} {:>6} {:>9} {:>8} {:>7} {:>5} {:>5} {:>11} {:>4} {:>6} {:>13} {:>9} {:>6} "
      "{:>6} {:>9} {:>9}\n",
      "", "tensor", "context", "expert", "dispatch", "pipeline", "virtual", "data", "micro",
      "schedule", "zero", "pieces", "recompute", "step s", "MFU %", "GiB", "exposed s", "bubble s");
  for (std::size_t i = 0; i < std::min(shown, tried.size()); ++i) {
    const study::Layout& l = tried[i].layout;
    const study::SimulatedStep& step = tried[i].step;
    fmt::print(
        "{:>4} {:>6} {:>7} {:>6} {:>9} {:>8} {:>7} {:>5} {:>5} {:>11} {:>4} {:>6} {:>13} {:>9.3f} "
        "{:>6.1f} {:>6} {:>9.3f} {:>9.3f}{}{}\n",
        i + 1, l.tensor, l.context, l.expert, dispatch_of(job, l), l.pipeline, l.chunks,
        world_size(job) / (l.tensor * l.context * l.pipeline), l.micro_batch_size, l.schedule,
        l.zero_stage, pieces_of(l), study::name_of(l.recompute), step.seconds,
        100 * step.of_peak(step.flops.model), gib(static_cast<double>(step.arena_nbytes)),
        step.mean(&observe::IdleTime::exposed_comm_seconds),
        step.mean(&observe::IdleTime::bubble_seconds), tried[i].is_given ? "  given" : "",
        tried[i].keeps_reserve ? "" : "  leaves too little free");
  }
}

nlohmann::ordered_json to_json(const study::Tuning& tuning) {
  nlohmann::ordered_json json{{"layouts", tuning.allowed},
                              {"estimated", tuning.estimated},
                              {"simulated", tuning.simulated},
                              {"did_not_fit", tuning.too_large}};
  for (const study::TriedLayout& one : tuning.tried) {
    json["tried"].push_back({{"given", one.is_given},
                             {"overrides", one.overrides},
                             {"step_seconds", one.step.seconds},
                             {"mfu", one.step.of_peak(one.step.flops.model)},
                             {"memory_bytes", one.step.arena_nbytes},
                             {"keeps_reserve", one.keeps_reserve},
                             {"estimated_seconds", one.estimate.seconds},
                             {"estimated_memory_bytes", one.estimate.nbytes}});
  }
  return json;
}

Outcome tune(const TuneArguments& arguments) {
  const Config job = arguments.config.load();
  say_full_batch(job);
  const simulate::Cluster cluster = simulate::load_cluster(arguments.cluster);
  study::TuneOptions options = arguments.options;
  options.threads = std::max(1U, std::thread::hardware_concurrency());
  options.expert_loads = arguments.expert_load.loads(job);
  const study::Tuning tuning =
      study::tune(job, cluster, options, [](const std::string& message) { say(message); });
  print(tuning.tried, arguments.shown, job);
  const study::TriedLayout& best = tuning.tried.front();
  fmt::print(
      "\n{} layouts are allowed; {} were estimated layer by layer, {} simulated; {} plans leave "
      "less than {:.0f} % of {:.0f} GiB free\nThe best: {}\n",
      tuning.allowed, tuning.estimated, tuning.simulated, tuning.too_large, 100 * options.reserve,
      cluster.device.memory_gib,
      best.is_given ? "the given layout"
                    : fmt::format("--set {}", fmt::join(best.overrides, " --set ")));
  Outcome outcome{.json = to_json(tuning)};
  if (arguments.expert_load.is_given()) {
    show_expert_loads("Its loads: ", study::with_layout(job, best.layout), options.expert_loads,
                      outcome.json);
  }
  return outcome;
}

}  // namespace

void add_tune(Command& app) {
  const auto arguments = std::make_shared<TuneArguments>();
  Command command =
      app.subcommand("tune", "finds the fastest layout of a job on a described cluster");
  arguments->config.add_to(command);
  arguments->config.keeps_dispatch_open = true;  // the search tries both ways
  command.option("--cluster", arguments->cluster, "cluster description (clusters/*.toml)")
      .required();
  command
      .option("--simulations", arguments->options.simulations,
              "most layouts to simulate, the given one included")
      .positive()
      .shows_default();
  command
      .option("--reserve", arguments->options.reserve,
              "share of a device's memory that a layout must leave free")
      .from_0_to_1()
      .shows_default();
  arguments->expert_load.add_to(command,
                                "estimates and simulations have these loads; simulates every rank");
  command.option("--show", arguments->shown, "most layouts to show in the table")
      .positive()
      .shows_default();
  command.does([arguments] { return tune(*arguments); });
}

}  // namespace megascale::cli
