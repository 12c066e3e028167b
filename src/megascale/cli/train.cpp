// `megascale train`: runs a training. The process is one of four: all ranks as threads (the
// default); one rank, which a launcher started; with --processes, the parent that starts a process
// for each rank; with --robust, the executor that also replaces them. Signals stop a training
// between two steps, with a checkpoint.
#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <optional>

#include "megascale/base/local_ranks.h"
#include "megascale/cli/beside_server.h"
#include "megascale/cli/command.h"
#include "megascale/cli/progress.h"
#include "megascale/cli/start_ranks.h"
#include "megascale/cli/start_robust.h"
#include "megascale/cli/step_streams.h"
#include "megascale/cli/stop_signals.h"
#include "megascale/comm/process/before_start.h"
#include "megascale/config/derived.h"
#include "megascale/launch/executor_report.h"
#include "megascale/launch/parent_watch.h"
#include "megascale/train/trainer.h"

namespace megascale::cli {
namespace {

struct TrainArguments {
  ConfigArguments config;
  std::int64_t stop_after = -1;
  bool processes = false;
  bool robust = false;
  bool serve = false;
};

using Report = std::optional<launch::ExecutorReport>;

// An executor also asks ranks to end because another one is lost. Then nothing can be saved.
constexpr const char* kStopsUnderExecutor =
    "stopping after this step; a checkpoint is saved unless a rank was lost";

// Trains with the ranks of this process: all (`process` is null), or the one that `process`
// describes.
Outcome train_as(const LoadedConfig& loaded, const TrainArguments& arguments,
                 const comm::ProcessLaunch* process, const Report& report) {
  const Config& config = loaded.config;
  const bool terminal = ::isatty(STDERR_FILENO) != 0;
  const bool speaks = process == nullptr || process->environment.rank == 0;
  StopSignals stop(
      [=](const char* text) {
        // On a terminal, the bar keeps its line.
        if (speaks) say(fmt::format("{}megascale: {}", terminal ? "\n" : "", text));
      },
      report ? kStopsUnderExecutor : StopSignals::kStopsToSave);
  std::signal(SIGPIPE, SIG_IGN);  // the training continues if the reader of the log exits
  std::optional<launch::ParentWatch> launcher;
  if (launch::ParentWatch::is_due()) {
    launcher.emplace([] {
      say("megascale: the launcher of this rank has ended; the rank stops as after SIGTERM");
      (void)::kill(::getpid(), SIGTERM);
    });
  }
  StepStreams streams(config, process == nullptr ? 0 : process->environment.rank,
                      process == nullptr || process->environment.local_rank == 0,
                      [](const std::string& message) { say("megascale: " + message); });
  Progress progress(terminal);
  const train::TrainResult result = train::train(
      config,
      {.on_step =
           [&](const train::StepMetrics& metrics, bool log, double eta_seconds) {
             progress.step(metrics, log, config.train.train_iters, eta_seconds);
             streams.step(metrics);
           },
       .on_message = [&](const std::string& message) { progress.message(message); },
       .places = &loaded.places,
       .most_steps = arguments.stop_after >= 0 ? std::optional(arguments.stop_after) : std::nullopt,
       .load_at_most = report ? report->load_at_most() : std::nullopt,
       .attempt = report ? launch::ExecutorReport::epoch() : 0,
       .on_ready = [&] { stop.begin_to_stop(); },
       .on_copies =
           [&](const std::filesystem::path& directory) {
             if (report) report->copies(directory.native());
           },
       .on_start =
           [&](std::int64_t step) {
             streams.begin(step);
             if (report) report->resumed(step);
           },
       .process = process,
       .stop = &stop.requested()});
  progress.finish();
  Outcome outcome;
  if (result.last) outcome.json = nlohmann::ordered_json::parse(train::to_json_line(*result.last));
  outcome.json["steps_done"] = result.steps_done;
  outcome.json["interrupted"] = result.interrupted;
  return outcome;
}

// Closes stdout on all ranks but rank 0, so that the job prints only rank 0's result.
void be_silent() {
  if (std::freopen("/dev/null", "w", stdout) == nullptr)
    throw Error(ErrorCode::io, "cannot open /dev/null");
}

// Trains with the ranks of this process, or with processes that it starts.
Outcome run_job(const TrainArguments& arguments, const Report& report) {
  const LoadedConfig loaded = arguments.config.load_for_training();
  const auto ranks = static_cast<std::uint32_t>(world_size(loaded.config));
  const bool in_processes = arguments.processes || arguments.robust;
  require_local_ranks(ranks, in_processes ? "processes" : "threads");
  if (arguments.serve && !report) start_beside_server(loaded.config.train.run_dir);
  if (arguments.robust && !report) {
    if (arguments.stop_after >= 0) {
      throw Error(ErrorCode::bad_usage,
                  "--stop-after counts the steps of one process, and --robust may need several for "
                  "them: give the number of steps as --set train.train_iters=N");
    }
    return start_robust(loaded.config, ranks);
  }
  if (arguments.processes && ranks > 1 && !report) return start_ranks(ranks);
  return train_as(loaded, arguments, nullptr, report);
}

Outcome run(const TrainArguments& arguments) {
  const Report report = launch::ExecutorReport::from_environment();
  const auto process = comm::ProcessLaunch::from_environment();
  if (!process) return run_job(arguments, report);
  if (arguments.robust && !report) {
    throw Error(ErrorCode::bad_usage,
                "--robust starts the ranks itself: expected no other launcher, found the variables "
                "of one (RANK, WORLD_SIZE or those of mpirun or srun)");
  }
  if (process->environment.rank != 0) be_silent();
  const LoadedConfig loaded = comm::before_start(&*process, [&] {
    return arguments.config.load_for_training(process->environment.world_size);
  });
  return train_as(loaded, arguments, &*process, report);
}

}  // namespace

void add_train(Command& app) {
  const auto arguments = std::make_shared<TrainArguments>();
  Command command =
      app.subcommand("train", "trains; resumes when the run directory has a checkpoint");
  arguments->config.add_to(command);
  command
      .option("--stop-after", arguments->stop_after,
              "save a checkpoint and exit after this many steps (0: save the initial state)")
      .at_least_zero();
  command.flag("--processes", arguments->processes,
               "ranks are processes of this host instead of threads");
  command.flag("--robust", arguments->robust,
               "ranks are processes of this host, and lost ranks are replaced (docs/robust.md)");
  command.flag("--serve", arguments->serve,
               "also show the run in the browser; prints the link (docs/observability.md)");
  command.does([arguments] { return run(*arguments); });
}

}  // namespace megascale::cli
