// `megascale driver`: decides about a job. With --listen it serves executors on several hosts; with
// --link it serves the executor of `train --robust`, which starts it itself.
#include <fmt/format.h>

#include "megascale/base/run_directory.h"
#include "megascale/base/value_of.h"
#include "megascale/cli/command.h"
#include "megascale/cli/stop_signals.h"
#include "megascale/control/driver_service.h"
#include "megascale/control/remote/driver_server.h"

namespace megascale::cli {
namespace {

struct DriverOptions {
  std::filesystem::path run_dir, credentials;
  std::int64_t link = -1;
  std::string listen, session_key;
  bool insecure = false, take_over = false;
};

void say_of_driver(const std::string& message) { say("megascale: " + message); }

Outcome serve(const DriverOptions& options) {
  if (options.credentials.empty() != options.insecure) {
    throw Error(ErrorCode::bad_usage,
                "--listen: expected either --credentials DIR (megascale cluster init makes it), or "
                "--insecure for a port without any protection");
  }
  const auto listen = value_of(secure::parse_host_port(options.listen));
  StopSignals signals([](const char*) { say("megascale: the driver ends; the ranks go on"); });
  control::DriverServerOptions server{
      .run_dir = options.run_dir, .listen = listen, .credentials = {}, .on_message = say_of_driver};
  server.insecure = options.insecure;
  server.takes_over = options.take_over;
  server.session_key = options.session_key;
  if (!options.insecure) server.credentials = std::filesystem::absolute(options.credentials);
  control::DriverServer driver(std::move(server));
  say_of_driver(fmt::format("the driver of {} listens at {}", options.run_dir.string(),
                            to_string(driver.address())));
  signals.begin_to_stop();
  const control::DriverEnd end = driver.run(signals.requested());
  Outcome outcome{.exit_code = end.exit_code, .json = {{"ended", end.has_ended}}};
  if (!end.error.empty()) {
    say_of_driver(end.error);
    outcome.json["errors"] = {end.error};
  }
  return outcome;
}

Outcome drive(const DriverOptions& options) {
  if ((options.link >= 0) == !options.listen.empty())
    throw Error(ErrorCode::bad_usage, "driver: expected --listen HOST:PORT");
  if (options.link < 0) return serve(options);
  const FileHandle link(static_cast<int>(options.link));
  control::serve_driver(RunDirectory(options.run_dir), link, say_of_driver);
  return {};
}

}  // namespace

void add_driver(Command& app) {
  const auto options = std::make_shared<DriverOptions>();
  Command command = app.subcommand(
      "driver", "decides about a job on several hosts; waits for `submit` (docs/cluster.md)");
  command.option("RUN_DIR", options->run_dir, "run directory of the job (train.run_dir)")
      .required();
  command.option("--listen", options->listen, "address of one interface of this host, and port");
  command.option("--credentials", options->credentials, "directory of the cluster's authority");
  command.option(
      "--session-key", options->session_key,
      "of the start by a scheduler: a job that another start has left behind begins a new "
      "session");
  command.flag(
      "--take-over", options->take_over,
      "goes on with a job whose driver ran on another host, which is lost; its ranks go on");
  command.flag("--insecure", options->insecure, "no TLS and no rights: serves everybody");
  command
      .option("--link", options->link,
              "descriptor of a socket to the executor of `train --robust`, which starts this "
              "command itself")
      .between(3, 1 << 20);
  command.does([options] { return drive(*options); });
}

}  // namespace megascale::cli
