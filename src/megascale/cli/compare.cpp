// `megascale compare`: in what two runs differ.
#include <fmt/format.h>

#include "megascale/cli/command.h"
#include "megascale/report/run_difference.h"

namespace megascale::cli {
namespace {

Outcome compare(const std::filesystem::path& first, const std::filesystem::path& second) {
  const auto read = [](const std::filesystem::path& run_dir) {
    const auto run = report::open_run(run_dir);
    return report::read_facts(*run);
  };
  const report::RunDifference difference = report::difference_of(read(first), read(second));
  fmt::print("first   {}\nsecond  {}\n\n{}", first.string(), second.string(),
             report::to_text(difference));
  return {.json = report::to_json(difference)};
}

}  // namespace

void add_compare(Command& app) {
  struct Arguments {
    std::filesystem::path first, second;
  };
  const auto arguments = std::make_shared<Arguments>();
  Command command = app.subcommand(
      "compare", "tells in what two runs differ: configuration, losses, rates, memory, op kinds");
  command.option("FIRST", arguments->first, "run directory").required();
  command.option("SECOND", arguments->second, "run directory to compare with it").required();
  command.does([arguments] { return compare(arguments->first, arguments->second); });
}

}  // namespace megascale::cli
