#include "megascale/control/remote/driver_client.h"

#include <fmt/format.h>

#include <sstream>

#include "megascale/base/value_of.h"
#include "megascale/control/secure/renewal.h"

namespace megascale::control {
namespace {

constexpr std::chrono::minutes kBetweenRenewals{10};

bool is_unreachable(ErrorCode code) {
  return code == ErrorCode::peer_lost || code == ErrorCode::timeout || code == ErrorCode::io;
}

}  // namespace

DriverAddress read_driver_address(const std::string& hosts,
                                  const std::filesystem::path& credentials, bool insecure,
                                  secure::Role role) {
  DriverAddress address{.hosts = {}, .credentials = {}, .insecure = insecure};
  std::istringstream words(hosts);
  for (std::string word; std::getline(words, word, ',');)
    address.hosts.push_back(value_of(secure::parse_host_port(word)));
  if (address.hosts.empty())
    throw Error(ErrorCode::bad_usage, "--driver: expected HOST:PORT, found nothing");
  if (credentials.empty() != insecure) {
    throw Error(ErrorCode::bad_usage,
                insecure ? "expected --credentials or --insecure, found both"
                         : "expected --credentials DIR, with what `megascale cluster join` has "
                           "written there, or --insecure for a connection without any protection");
  }
  if (insecure) return address;
  const auto directory = std::filesystem::absolute(credentials);
  if (!std::filesystem::exists(secure::CredentialPaths(directory, role).certificate)) {
    throw Error(
        ErrorCode::bad_usage,
        fmt::format("{}: expected the credentials of the role {}, found those of {}; join "
                    "the cluster with a token for that role (megascale cluster join)",
                    directory.string(), to_string(role), to_string(secure::role_of(directory))));
  }
  address.credentials = secure::load_credentials(directory, role);
  return address;
}

DriverClient::DriverClient(DriverAddress address)
    : address_(std::move(address)), clients_(address_.hosts.size()) {}

Result<std::string> DriverClient::call(const std::string& verb, std::string_view request,
                                       std::chrono::milliseconds limit) try {
  auto& client = clients_[next_];
  if (!client) {
    client =
        std::make_unique<secure::Client>(secure::ClientOptions{.server = address_.hosts[next_],
                                                               .credentials = address_.credentials,
                                                               .insecure = address_.insecure});
  }
  auto reply = client->call(verb, request, limit);
  if (!reply && is_unreachable(reply.error().code())) try_the_next();
  return reply;
} catch (const Error& error) {  // a name that cannot be resolved now may be later
  if (!is_unreachable(error.code())) throw;
  try_the_next();
  return tl::unexpected(error);
}

void DriverClient::try_the_next() noexcept { next_ = (next_ + 1) % address_.hosts.size(); }

std::optional<std::string> DriverClient::renew_if_due(std::chrono::milliseconds limit) {
  const auto now = std::chrono::steady_clock::now();
  if (!address_.credentials || !clients_[next_] || now < renewal_not_before_) return std::nullopt;
  renewal_not_before_ = now + kBetweenRenewals;
  const auto renewed = secure::renew_if_due(*clients_[next_], *address_.credentials, limit);
  if (!renewed)
    return fmt::format("the certificate cannot be renewed: {}", renewed.error().message());
  if (!*renewed) return std::nullopt;
  return fmt::format("the certificate was renewed, valid to {}",
                     secure::to_utc(address_.credentials->own.validity.to));
}

}  // namespace megascale::control
