#ifndef MEGASCALE_CLI_DRIVER_ARGUMENTS_H_
#define MEGASCALE_CLI_DRIVER_ARGUMENTS_H_

#include <filesystem>
#include <string>
#include <string_view>

#include "megascale/cli/command.h"
#include "megascale/control/remote/driver_client.h"

namespace megascale::cli {

// The arguments --driver, --credentials and --insecure of the commands that speak with a driver.
struct DriverArguments {
  std::string driver;
  std::filesystem::path credentials;
  bool insecure = false;
  void add_to(Command& command);
  // Throws the errors of control::read_driver_address(). Warns if the connection is insecure.
  [[nodiscard]] control::DriverAddress address(secure::Role role) const;
  // Calls a verb as an operator and returns its reply. Throws the errors of control::DriverClient::call().
  [[nodiscard]] std::string call(const char* verb, std::string_view request) const;
};

}  // namespace megascale::cli

#endif  // MEGASCALE_CLI_DRIVER_ARGUMENTS_H_
