// `megascale report`: what became of a run, as text or as one page with plots.
#include <fmt/format.h>

#include "megascale/base/files.h"
#include "megascale/cli/command.h"
#include "megascale/report/page.h"
#include "megascale/report/text.h"

namespace megascale::cli {
namespace {

struct ReportArguments {
  std::filesystem::path run_dir, html;
};

Outcome report_on(const ReportArguments& arguments) {
  const auto run = report::open_run(arguments.run_dir);
  const report::RunFacts facts = report::read_facts(*run);
  fmt::print("{}", report::to_text(facts));
  Outcome outcome{.json = report::to_json(facts)};
  if (!arguments.html.empty()) {
    write_text_atomically(arguments.html, report::to_page(facts));
    fmt::print("\nwrote {}\n", arguments.html.string());
    outcome.json["html"] = arguments.html.string();
  }
  return outcome;
}

}  // namespace

void add_report(Command& app) {
  const auto arguments = std::make_shared<ReportArguments>();
  Command command = app.subcommand(
      "report", "tells what became of a run: losses, rates, memory, waits, slow ranks, incidents");
  command.option("RUN_DIR", arguments->run_dir, "run directory of a training or of a simulation")
      .required();
  command.option("--html", arguments->html,
                 "also write one page with plots, which needs no network");
  command.does([arguments] { return report_on(*arguments); });
}

}  // namespace megascale::cli
