// `megascale trace`: converts the record rings of a run into a trace file.
#include "megascale/observe/trace.h"

#include <fmt/format.h>

#include "megascale/base/run_directory.h"
#include "megascale/cli/command.h"

namespace megascale::cli {

void add_trace(Command& app) {
  struct Arguments {
    std::filesystem::path run_dir, output;
    std::int64_t rank = 0;
    std::int64_t step = -1;
  };
  const auto arguments = std::make_shared<Arguments>();
  Command command = app.subcommand(
      "trace", "writes the last steps of a run as a trace for Perfetto or chrome://tracing");
  command.option("RUN_DIR", arguments->run_dir, "run directory").required();
  command.option("--rank", arguments->rank, "rank to show").at_least_zero().shows_default();
  command
      .option("--step", arguments->step,
              "show only this step, counted from 0 (default: all kept steps)")
      .at_least_zero();
  command.option("--output", arguments->output,
                 fmt::format("file to write (default RUN_DIR/{})", RunDirectory::kTrace).c_str());
  command.does([arguments] {
    const auto output =
        arguments->output.empty() ? RunDirectory(arguments->run_dir).trace() : arguments->output;
    const auto step = arguments->step >= 0 ? std::optional(arguments->step) : std::nullopt;
    const observe::TraceSummary summary =
        observe::write_trace(arguments->run_dir, arguments->rank, step, output);
    fmt::print("{}: {} events of steps {}\n", summary.output.string(), summary.events,
               fmt::join(summary.steps, ", "));
    if (summary.unfinished_step) {
      fmt::print("step {} is not finished; the last task done was {}\n", *summary.unfinished_step,
                 summary.last_task);
    }
    Outcome outcome{.json = {{"output", summary.output.string()},
                             {"events", summary.events},
                             {"steps", summary.steps}}};
    if (summary.unfinished_step) {
      outcome.json["unfinished_step"] = *summary.unfinished_step;
      outcome.json["last_task"] = summary.last_task;
    }
    return outcome;
  });
}

}  // namespace megascale::cli
