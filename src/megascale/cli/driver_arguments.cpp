#include "megascale/cli/driver_arguments.h"

#include <chrono>

#include "megascale/base/value_of.h"

namespace megascale::cli {
namespace {

constexpr std::chrono::milliseconds kLimit{10'000};

}  // namespace

void DriverArguments::add_to(Command& command) {
  command.option("--driver", driver,
                 "HOST:PORT of the driver; several, separated by commas, are tried in turn");
  command.option("--credentials", credentials, "directory with the credentials of this host");
  command.flag("--insecure", insecure, "no TLS and no rights: everybody can read and forge it");
}

control::DriverAddress DriverArguments::address(secure::Role role) const {
  if (insecure)
    say("megascale: WARNING: the connection to the driver has no protection (--insecure)");
  return control::read_driver_address(driver, credentials, insecure, role);
}

std::string DriverArguments::call(const char* verb, std::string_view request) const {
  control::DriverClient client(address(secure::Role::operator_));
  auto reply = client.call(verb, request, kLimit);
  for (std::size_t i = 1; !reply && i < client.address().hosts.size(); ++i)
    reply = client.call(verb, request, kLimit);
  return value_of(std::move(reply));
}

}  // namespace megascale::cli
