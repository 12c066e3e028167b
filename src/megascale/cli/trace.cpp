// `megascale trace`: converts the record rings of a run into a trace file.
#include "megascale/observe/trace.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>

#include "megascale/base/error.h"
#include "megascale/base/run_directory.h"
#include "megascale/cli/command.h"
#include "megascale/observe/keep_step.h"

namespace megascale::cli {

namespace {

struct Arguments {
  std::filesystem::path run_dir, output;
  std::optional<std::int64_t> rank, step;
  bool keep = false;
};

Outcome run(const Arguments& arguments) {
  if (arguments.keep) {
    if (!arguments.step)
      throw Error(ErrorCode::bad_usage, "--keep needs --step: the step whose records are kept");
    const auto kept = observe::keep_step(arguments.run_dir, *arguments.step);
    fmt::print("step {} of {} ranks is kept for good\n", *arguments.step, kept.size());
  }
  const auto output =
      arguments.output.empty() ? RunDirectory(arguments.run_dir).trace() : arguments.output;
  const observe::TraceSummary summary = observe::write_trace(
      arguments.run_dir, {.rank = arguments.rank, .step = arguments.step}, output);
  const bool one = summary.ranks.size() == 1;
  fmt::print("{}: {} events of {} {}, {} {} (counted from 0)\n", output.string(), summary.events,
             one ? "rank" : "ranks", fmt::join(summary.ranks, ", "),
             summary.steps.size() == 1 ? "step" : "steps", fmt::join(summary.steps, ", "));
  if (summary.hosts > 1 && summary.clock_uncertainty_ns) {
    fmt::print("clocks of {} hosts are aligned; the largest error is {} us\n", summary.hosts,
               static_cast<double>(*summary.clock_uncertainty_ns) / 1000);
  } else if (summary.hosts > 1) {
    fmt::print("clocks of {} hosts are not aligned: no transfers connect them\n", summary.hosts);
  }
  if (!summary.other_steps.empty())
    fmt::print("also recorded: steps {}\n", fmt::join(summary.other_steps, ", "));
  Outcome outcome{.json = {{"output", output.string()},
                           {"events", summary.events},
                           {"ranks", summary.ranks},
                           {"steps", summary.steps},
                           {"clock_uncertainty_ns", nullptr}}};
  if (summary.clock_uncertainty_ns)
    outcome.json["clock_uncertainty_ns"] = *summary.clock_uncertainty_ns;
  for (const auto& [rank, step, last_task] : summary.unfinished) {
    fmt::print("step {} of rank {} is not finished; the last task done was {}\n", step, rank,
               last_task);
    outcome.json["unfinished"].push_back(
        {{"rank", rank}, {"step", step}, {"last_task", last_task}});
  }
  return outcome;
}

}  // namespace

void add_trace(Command& app) {
  const auto arguments = std::make_shared<Arguments>();
  Command command =
      app.subcommand("trace", "writes the last steps of a run as a trace, for ui.perfetto.dev");
  command.option("RUN_DIR", arguments->run_dir, "run directory").required();
  command.option("--rank", arguments->rank, "show only this rank (default: all ranks)")
      .at_least_zero();
  command
      .option("--step", arguments->step,
              "show only this step, counted from 0 (default: all recorded steps)")
      .at_least_zero();
  command.flag("--keep", arguments->keep,
               "keep the records of --step in the run directory, before the rings lose them");
  command.option("--output", arguments->output,
                 fmt::format("file to write (default RUN_DIR/{})", RunDirectory::kTrace).c_str());
  command.does([arguments] { return run(*arguments); });
}

}  // namespace megascale::cli
