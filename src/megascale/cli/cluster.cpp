// `megascale cluster`: makes a cluster's authority and join tokens, and lists, revokes and renews
// certificates (docs/cluster.md).
#include <fmt/format.h>

#include <memory>

#include "megascale/base/value_of.h"
#include "megascale/cli/command.h"
#include "megascale/control/secure/authority.h"
#include "megascale/control/secure/host_port.h"

namespace megascale::cli {
namespace {

using secure::Authority;

struct ClusterArguments {
  std::filesystem::path directory;
  std::string name, host, role = "executor", valid = "1h", address;
  std::int64_t uses = 1;
  bool all = false;
};

nlohmann::ordered_json to_json(const secure::Member& member) {
  nlohmann::ordered_json json{{"role", secure::to_string(member.role)},
                              {"name", member.name},
                              {"serial", member.serial},
                              {"valid_from", member.validity.from},
                              {"valid_to", member.validity.to}};
  if (member.revoked) json["revoked"] = *member.revoked;
  return json;
}

Outcome init(const ClusterArguments& arguments) {
  const Authority authority = Authority::create(arguments.directory, arguments.name);
  const std::string directory = arguments.directory.string();
  fmt::print(
      "cluster {} ({}): authority, driver and operator are in {}\n"
      "Keep {}/authority.key: who has it rules the cluster.\n"
      "Next, for each host that joins:\n"
      "  here:       megascale cluster serve {} --listen ADDRESS:PORT\n"
      "  here:       megascale cluster token {} --address ADDRESS:PORT\n"
      "  that host:  megascale cluster join ADDRESS:PORT TOKEN DIR\n",
      authority.certificate().cluster_name, authority.certificate().cluster, directory, directory,
      directory, directory);
  return {.json = {{"directory", directory},
                   {"name", authority.certificate().cluster_name},
                   {"cluster", authority.certificate().cluster}}};
}

Outcome token(const ClusterArguments& arguments) {
  if (!arguments.address.empty()) (void)value_of(secure::parse_host_port(arguments.address));
  const secure::JoinToken made =
      Authority::open(arguments.directory)
          .make_token({.role = value_of(secure::parse_role(arguments.role)),
                       .host = arguments.host,
                       .uses = arguments.uses},
                      value_of(secure::parse_duration(arguments.valid)), arguments.address);
  const std::string text = to_text(made);
  say(fmt::format("valid to {}, {} use(s); the token is a secret", secure::to_utc(made.expires),
                  arguments.uses));
  fmt::print("{}\n", text);
  return {.json = {{"token", text}, {"expires", made.expires}, {"uses", arguments.uses}}};
}

Outcome list(const ClusterArguments& arguments) {
  Outcome outcome{.json = {{"members", nlohmann::ordered_json::array()}}};
  fmt::print("{:<9} {:<20} {:<32} {:<23} state\n", "role", "name", "serial", "valid to");
  for (const secure::Member& member : Authority::open(arguments.directory).members()) {
    const bool expired = member.validity.to < secure::trusted_now();
    fmt::print("{:<9} {:<20} {:<32} {:<23} {}\n", secure::to_string(member.role), member.name,
               member.serial, secure::to_utc(member.validity.to),
               member.revoked ? "revoked"
               : expired      ? "expired"
                              : "valid");
    outcome.json["members"].push_back(to_json(member));
  }
  return outcome;
}

Outcome revoke(const ClusterArguments& arguments) {
  Outcome outcome{.json = {{"revoked", nlohmann::ordered_json::array()}}};
  const auto role = value_of(secure::parse_role(arguments.role));
  for (const secure::Member& member :
       Authority::open(arguments.directory).revoke(role, arguments.name)) {
    fmt::print("revoked {} {} (serial {})\n", secure::to_string(member.role), member.name,
               member.serial);
    outcome.json["revoked"].push_back(to_json(member));
  }
  return outcome;
}

Outcome renew(const ClusterArguments& arguments) {
  Outcome outcome{.json = {{"renewed", nlohmann::ordered_json::array()}}};
  for (const auto& member : Authority::open(arguments.directory).renew_own(arguments.all)) {
    fmt::print("renewed {}, valid to {}\n", to_string(member.identity),
               secure::to_utc(member.validity.to));
    outcome.json["renewed"].push_back(to_string(member.identity));
  }
  if (outcome.json["renewed"].empty()) fmt::print("no certificate is due\n");
  return outcome;
}

}  // namespace

void add_cluster(Command& app) {
  Command command = app.subcommand("cluster", "makes a cluster of hosts that trust each other");
  command.needs_subcommand();
  const auto add = [&](const char* name, const char* what,
                       Outcome (*action)(const ClusterArguments&), const auto& add_options) {
    const auto arguments = std::make_shared<ClusterArguments>();
    Command one = command.subcommand(name, what);
    add_options(one, *arguments);
    one.does([arguments, action] { return action(*arguments); });
  };
  const auto directory = [](Command& one, ClusterArguments& to) {
    one.option("DIR", to.directory, "directory of the authority").required();
  };
  const auto role = [](Command& one, ClusterArguments& to) {
    one.option("--role", to.role, "executor or operator").shows_default();
  };
  add("init", "makes an authority, and credentials for driver and operator", init,
      [&](Command& one, ClusterArguments& to) {
        directory(one, to);
        to.name = "megascale";
        one.option("--name", to.name, "name of the cluster, for people").shows_default();
      });
  add("token", "prints a join token", token, [&](Command& one, ClusterArguments& to) {
    directory(one, to);
    role(one, to);
    one.option("--valid", to.valid, "how long, such as 90m, 1h or 2d").shows_default();
    one.option("--uses", to.uses, "how many hosts may join with it").positive().shows_default();
    one.option("--host", to.host, "the only name that may join; replaces its older certificates");
    one.option("--address", to.address, "HOST:PORT of cluster serve, for messages");
  });
  add_cluster_joining(command);
  add("list", "lists all certificates", list, directory);
  add("revoke", "revokes the certificates of a member", revoke,
      [&](Command& one, ClusterArguments& to) {
        directory(one, to);
        one.option("NAME", to.name, "name of the member, or a serial number").required();
        role(one, to);
      });
  add("renew", "renews the certificates of the directory that are due", renew,
      [&](Command& one, ClusterArguments& to) {
        directory(one, to);
        one.flag("--all", to.all, "also those that are not due");
      });
}

}  // namespace megascale::cli
