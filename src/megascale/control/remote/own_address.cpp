#include "megascale/control/remote/own_address.h"

#include <fmt/format.h>
#include <netdb.h>

#include <array>

#include "megascale/comm/store/address.h"

namespace megascale::control {

Result<std::string> own_address_towards(const secure::HostPort& other) {
  const auto own = comm::own_address_towards({.host = other.host, .port = other.port, .path = ""});
  if (!own) return tl::unexpected(own.error());
  std::array<char, NI_MAXHOST> text{};
  const int code = ::getnameinfo(reinterpret_cast<const sockaddr*>(&own->storage), own->nbytes,
                                 text.data(), text.size(), nullptr, 0, NI_NUMERICHOST);
  if (code == 0) return std::string(text.data());
  return tl::unexpected(Error(ErrorCode::io, fmt::format("the own address on the way to {}: {}",
                                                         to_string(other), ::gai_strerror(code))));
}

}  // namespace megascale::control
