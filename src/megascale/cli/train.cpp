#include <fmt/format.h>
#include <unistd.h>

#include <csignal>

#include "megascale/cli/command.h"
#include "megascale/cli/progress.h"
#include "megascale/cli/stop_signals.h"
#include "megascale/train/trainer.h"

namespace megascale::cli {
namespace {

Outcome train_as(const Config& config, std::int64_t stop_after) {
  const StopSignals stop;
  std::signal(SIGPIPE, SIG_IGN);  // whoever reads the log may go; the run goes on
  Progress progress(::isatty(STDERR_FILENO) != 0);
  const train::TrainResult result = train::train(
      config, {.on_step =
                   [&](const train::StepMetrics& metrics, bool log, double eta_seconds) {
                     progress.step(metrics, log, config.train.train_iters, eta_seconds);
                   },
               .on_message = [&](const std::string& message) { progress.message(message); },
               .most_steps = stop_after >= 0 ? std::optional(stop_after) : std::nullopt,
               .stop = &stop.requested()});
  progress.finish();
  Outcome outcome;
  if (result.last) outcome.json = nlohmann::ordered_json::parse(train::to_json_line(*result.last));
  outcome.json["steps_done"] = result.steps_done;
  outcome.json["interrupted"] = result.interrupted;
  return outcome;
}

}  // namespace

void add_train(CLI::App& app, ActionMap& actions) {
  const auto arguments = std::make_shared<ConfigArguments>();
  CLI::App* command =
      app.add_subcommand("train", "trains; resumes when the run directory has a checkpoint");
  arguments->add_to(*command);
  const auto stop_after = std::make_shared<std::int64_t>(-1);
  command
      ->add_option("--stop-after", *stop_after,
                   "save and leave after this many steps (0: save the state to begin from)")
      ->check(CLI::NonNegativeNumber);
  actions.emplace_back(
      command, [arguments, stop_after] { return train_as(arguments->load(), *stop_after); });
}

}  // namespace megascale::cli
