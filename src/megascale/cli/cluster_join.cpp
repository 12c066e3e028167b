// `megascale cluster serve` and `megascale cluster join`: the two sides of joining (docs/cluster.md).
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <iostream>
#include <memory>
#include <thread>

#include "megascale/base/value_of.h"
#include "megascale/cli/command.h"
#include "megascale/cli/stop_signals.h"
#include "megascale/control/secure/join_client.h"
#include "megascale/control/secure/join_server.h"

namespace megascale::cli {
namespace {

struct ServeArguments {
  std::filesystem::path directory;
  std::string listen = "127.0.0.1:29400", duration = "1h";
};

struct JoinArguments {
  std::string address, token, name;
  std::filesystem::path directory;
};

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

Outcome join(const JoinArguments& arguments) {
  std::string text = arguments.token;
  if (text == "-") std::getline(std::cin, text);
  const auto credentials =
      secure::join_cluster({.address = value_of(secure::parse_host_port(arguments.address)),
                            .token = value_of(secure::parse_join_token(text)),
                            .name = arguments.name.empty() ? host_name() : arguments.name,
                            .directory = arguments.directory});
  const secure::Identity& identity = credentials.own.identity;
  fmt::print("{} has joined cluster {} ({}), valid to {}; the credentials are in {}\n",
             to_string(identity), credentials.authority.cluster_name, identity.cluster,
             secure::to_utc(credentials.own.validity.to), arguments.directory.string());
  return {.json = {{"directory", arguments.directory.string()},
                   {"cluster", identity.cluster},
                   {"role", secure::to_string(identity.role)},
                   {"name", identity.name},
                   {"serial", credentials.own.serial},
                   {"valid_to", credentials.own.validity.to}}};
}

Outcome serve(const ServeArguments& arguments) {
  const auto listen = value_of(secure::parse_host_port(arguments.listen));
  const auto end =
      std::chrono::steady_clock::now() + value_of(secure::parse_duration(arguments.duration));
  StopSignals signals([](const char*) { say("stopping"); });
  const secure::JoinServer server({.directory = arguments.directory,
                                   .listen = listen,
                                   .log = [](const std::string& line) { say(line); }});
  const std::string address = to_string(server.address());
  say(fmt::format("joining: listening at {} for {}; Ctrl-C ends it", address, arguments.duration));
  signals.begin_to_stop();
  while (!signals.requested().load() && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  return {.json = {{"address", address}}};
}

}  // namespace

void add_cluster_joining(Command& cluster) {
  const auto serving = std::make_shared<ServeArguments>();
  Command command = cluster.subcommand("serve", "lets hosts join that have a token");
  command.option("DIR", serving->directory, "directory of the authority").required();
  command.option("--listen", serving->listen, "address of one interface, and port").shows_default();
  command.option("--for", serving->duration, "how long, such as 90m, 1h or 2d").shows_default();
  command.does([serving] { return serve(*serving); });

  const auto joining = std::make_shared<JoinArguments>();
  command = cluster.subcommand("join", "gets a certificate for this host");
  command.option("HOST:PORT", joining->address, "where cluster serve listens").required();
  command.option("TOKEN", joining->token, "the join token; -: read it from stdin").required();
  command.option("DIR", joining->directory, "directory for the credentials").required();
  command.option("--name", joining->name, "name of this member (default: the host's name)");
  command.does([joining] { return join(*joining); });
}

}  // namespace megascale::cli
