// `megascale driver`: the driver of a job with --robust. The executor starts it.
#include "megascale/base/run_directory.h"
#include "megascale/cli/command.h"
#include "megascale/control/driver_service.h"

namespace megascale::cli {
namespace {

struct DriverArguments {
  std::filesystem::path run_dir;
  std::int64_t link = -1;
};

Outcome drive(const DriverArguments& arguments) {
  const FileHandle link(static_cast<int>(arguments.link));
  control::serve_driver(RunDirectory(arguments.run_dir).job_record(), link,
                        [](const std::string& message) { say("megascale: " + message); });
  return {};
}

}  // namespace

void add_driver(Command& app) {
  const auto arguments = std::make_shared<DriverArguments>();
  Command command = app.subcommand(
      "driver", "decides about a job that `train --robust` runs, which starts this command itself");
  command.option("RUN_DIR", arguments->run_dir, "run directory with the job's record").required();
  command.option("--link", arguments->link, "descriptor of a socket to the executor")
      .required()
      .between(3, 1 << 20);
  command.does([arguments] { return drive(*arguments); });
}

}  // namespace megascale::cli
