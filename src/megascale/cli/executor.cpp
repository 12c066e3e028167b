// `megascale executor`: starts and watches the ranks of this host, as a driver orders.
#include "megascale/cli/command.h"
#include "megascale/cli/driver_arguments.h"
#include "megascale/control/remote/host_service.h"

namespace megascale::cli {
namespace {

struct ExecutorArguments {
  DriverArguments driver;
  std::string name, address;
  bool stay = false, replace = false;
};

Outcome serve(const ExecutorArguments& arguments) {
  const control::ExecutorEnd end = control::serve_host(
      {.driver = arguments.driver.address(secure::Role::executor),
       .name = arguments.name,
       .address = arguments.address,
       .stays = arguments.stay,
       .replaces = arguments.replace,
       .on_message = [](const std::string& message) { say("megascale: " + message); }});
  Outcome outcome{.exit_code = end.exit_code};
  const auto of_rank = nlohmann::ordered_json::parse(end.output, nullptr, false);
  if (of_rank.is_object()) outcome.json = of_rank;
  if (end.error.empty()) return outcome;
  say("megascale: " + end.error);
  outcome.json["errors"] = {end.error};
  return outcome;
}

}  // namespace

void add_executor(Command& app) {
  const auto arguments = std::make_shared<ExecutorArguments>();
  Command command = app.subcommand(
      "executor", "starts and watches the ranks of this host for a driver (docs/cluster.md)");
  arguments->driver.add_to(command);
  command.option("--name", arguments->name, "name of this host (default: that in its certificate)");
  command.option("--address", arguments->address,
                 "where other hosts reach this one (default: its address towards the driver)");
  command.flag("--stay", arguments->stay, "serves one job after the other");
  command.flag(
      "--replace", arguments->replace,
      "takes the place of an executor of this host that serves the job already; if the host "
      "has ranks, the job starts again");
  command.does([arguments] { return serve(*arguments); });
}

}  // namespace megascale::cli
