// `megascale serve`: shows runs in the browser, while they go on or afterwards.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <thread>

#include "megascale/base/error.h"
#include "megascale/base/private_file.h"
#include "megascale/cli/command.h"
#include "megascale/cli/driver_arguments.h"
#include "megascale/cli/stop_signals.h"
#include "megascale/comm/store/secret.h"
#include "megascale/control/remote/control_messages.h"
#include "megascale/serve/server.h"

namespace megascale::cli {
namespace {

struct ServeArguments {
  std::vector<std::string> run_dirs;
  std::uint32_t port = 8765;
  std::string address = "127.0.0.1";
  std::filesystem::path token_file, tls_cert, tls_key;
  DriverArguments driver;
};

// The token of the file; it is made if it does not exist. "" without a file.
std::string token_of(const std::filesystem::path& file) {
  if (file.empty()) return "";
  if (!std::filesystem::exists(file))
    write_private_file(file, std::string(comm::JobSecret::random().text()) + "\n");
  return std::string(comm::JobSecret::from_file(file).text());
}

// Lets pages evict hosts, in the name of the operator. Empty without --driver.
serve::Evict evict_by(const ServeArguments& arguments) {
  const DriverArguments& driver = arguments.driver;
  if (driver.driver.empty()) {
    if (!driver.credentials.empty() || driver.insecure)
      throw Error(ErrorCode::bad_usage,
                  "--operator-cert and --insecure have no effect without --driver HOST:PORT");
    return {};
  }
  if (arguments.run_dirs.size() != 1)
    throw Error(ErrorCode::bad_usage,
                "--driver: expected the one run directory of its job, found several");
  (void)driver.address(secure::Role::operator_);  // wrong credentials are told now
  return [driver](const std::string& host, const std::string& why) {
    (void)driver.call(control::kBlockVerb,
                      to_text(control::BlockRequest{.host = host, .why = why}));
  };
}

Outcome serve(const ServeArguments& arguments) {
  const bool on_terminal = ::isatty(STDOUT_FILENO) == 1;
  if (!on_terminal && arguments.token_file.empty()) {
    throw Error(ErrorCode::bad_usage,
                "the link holds a secret, and stdout is no terminal: expected --token-file FILE, "
                "where the token is written for its owner only");
  }
  StopSignals signals([](const char* text) { say(text); });
  const serve::ServerOptions options{
      .run_dirs = {arguments.run_dirs.begin(), arguments.run_dirs.end()},
      .port = static_cast<std::uint16_t>(arguments.port),
      .token = token_of(arguments.token_file),
      .address = arguments.address,
      .tls_certificate = arguments.tls_cert,
      .tls_key = arguments.tls_key,
      .evict = evict_by(arguments)};
  serve::Server server(options);
  if (on_terminal) {
    fmt::print("open {}\n", server.link());
  } else {
    const std::string link = server.link();
    fmt::print("serving {} with the token in {}\n", link.substr(0, link.find('?')),
               arguments.token_file.string());
  }
  fmt::print("it shows {}; Ctrl-C ends it\n",
             arguments.run_dirs.size() == 1 ? arguments.run_dirs.front()
                                            : fmt::format("{} runs", arguments.run_dirs.size()));
  std::fflush(stdout);
  signals.begin_to_stop();
  std::jthread stopper([&](const std::stop_token& ends) {
    while (!ends.stop_requested() && !signals.requested().load())
      std::this_thread::sleep_for(std::chrono::milliseconds(250));
    server.stop();
  });
  server.run();
  return {.exit_code = 0, .json = {{"port", server.port()}}};
}

}  // namespace

void add_serve(Command& app) {
  const auto arguments = std::make_shared<ServeArguments>();
  Command command = app.subcommand(
      "serve", "shows runs in the browser, live or afterwards; also their metrics for Prometheus");
  command.option("RUN_DIR", arguments->run_dirs, "run directories").required();
  command.option("--port", arguments->port, "port; 0: any free one")
      .between(0, 65535)
      .shows_default();
  command.option("--token-file", arguments->token_file,
                 "file with the token, readable by its owner only; it is made if it does not exist "
                 "(default: a new token, shown on the terminal)");
  command
      .option("--address", arguments->address,
              "address or name of this host to listen on; other than loopback needs TLS")
      .shows_default();
  command.option("--tls-cert", arguments->tls_cert, "certificate, PEM");
  command.option("--tls-key", arguments->tls_key, "its key, PEM, readable by its owner only");
  command.option("--driver", arguments->driver.driver,
                 "HOST:PORT of the job's driver: the page Cluster can evict hosts");
  command.option("--operator-cert", arguments->driver.credentials,
                 "directory with the credentials of an operator, for --driver");
  command.flag("--insecure", arguments->driver.insecure,
               "the driver is asked without TLS and rights");
  command.does([arguments] { return serve(*arguments); });
}

}  // namespace megascale::cli
