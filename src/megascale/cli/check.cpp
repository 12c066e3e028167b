// `megascale check`: reports all errors of a job at once, before anything runs.
#include <fmt/format.h>

#include "megascale/api/job_problems.h"
#include "megascale/cli/command.h"

namespace megascale::cli {
namespace {

Outcome check(const LoadedConfig& loaded) {
  const std::vector<std::string> errors =
      api::job_problems(loaded, [](const std::string& note) { say(note); });
  for (const std::string& error : errors) say("megascale: " + error);
  if (errors.empty()) fmt::print("configuration, plans, memory and files are in order\n");
  return {.exit_code = errors.empty() ? 0 : 2, .json = {{"errors", errors}}};
}

}  // namespace

void add_check(Command& app) {
  const auto arguments = std::make_shared<ConfigArguments>();
  Command command = app.subcommand(
      "check", "reports all errors of configuration, plan, memory and files at once");
  arguments->add_to(command);
  command.does([arguments] { return check(arguments->load_for_training()); });
}

}  // namespace megascale::cli
