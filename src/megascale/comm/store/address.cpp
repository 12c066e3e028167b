// Parsing of store addresses, name resolution, and creation of sockets for them.
#include "megascale/comm/store/address.h"

#include <fmt/format.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <sys/un.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>
#include <system_error>

namespace megascale::comm {
namespace {

Error malformed_address(std::string_view text) {
  return {
      ErrorCode::bad_usage,
      fmt::format("store address '{}': expected host:port, tcp://host:port, redis://host:port or "
                  "redis+unix:///path",
                  text)};
}

Result<SocketAddress> local_socket(const std::string& path) {
  sockaddr_un local{};
  local.sun_family = AF_UNIX;
  if (path.size() >= sizeof local.sun_path) {
    return tl::unexpected(
        Error(ErrorCode::bad_usage,
              fmt::format("store address {}: expected a socket path of fewer than {} bytes", path,
                          sizeof local.sun_path)));
  }
  std::memcpy(local.sun_path, path.data(), path.size());
  SocketAddress result;
  std::memcpy(&result.storage, &local, sizeof local);
  result.nbytes = sizeof local;
  return result;
}

}  // namespace

StoreAddress parse_store_address(std::string_view text) {
  StoreAddress address;
  std::string_view rest = text;
  const auto take = [&](std::string_view scheme) {
    if (!rest.starts_with(scheme)) return false;
    rest.remove_prefix(scheme.size());
    return true;
  };
  if (take("redis+unix://")) {
    if (!rest.starts_with('/')) throw malformed_address(text);
    return {.kind = StoreKind::redis, .host = "", .path = std::string(rest)};
  }
  if (take("redis://")) {
    address.kind = StoreKind::redis;
  } else {
    take("tcp://");
  }
  const std::size_t colon = rest.rfind(':');
  if (colon == std::string_view::npos || colon == 0) throw malformed_address(text);
  std::string_view host = rest.substr(0, colon), port = rest.substr(colon + 1);
  if (host.starts_with('[') && host.ends_with(']')) {
    host = host.substr(1, host.size() - 2);
  } else if (host.find_first_of(":/[] ") != std::string_view::npos) {
    throw malformed_address(text);
  }
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), address.port);
  if (host.empty() || error != std::errc() || end != port.data() + port.size())
    throw malformed_address(text);
  address.host = host;
  return address;
}

std::string to_string(const StoreAddress& address) {
  if (!address.path.empty()) return "redis+unix://" + address.path;
  const bool numeric6 = address.host.find(':') != std::string::npos;
  return fmt::format("{}{}{}{}:{}", address.kind == StoreKind::redis ? "redis://" : "tcp://",
                     numeric6 ? "[" : "", address.host, numeric6 ? "]" : "", address.port);
}

Result<SocketAddress> resolve(const StoreAddress& address) {
  if (!address.path.empty()) return local_socket(address.path);
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const std::string port = std::to_string(address.port);
  const int error = ::getaddrinfo(address.host.c_str(), port.c_str(), &hints, &found);
  if (error != 0) {
    return tl::unexpected(Error(
        ErrorCode::io,
        fmt::format("{}: host name not resolved: {}", to_string(address), ::gai_strerror(error))));
  }
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(found, &::freeaddrinfo);
  SocketAddress result;
  std::memcpy(&result.storage, found->ai_addr, found->ai_addrlen);
  result.nbytes = found->ai_addrlen;
  return result;
}

Result<FileHandle> make_socket(const SocketAddress& address) {
  const int family = address.storage.ss_family;
  FileHandle socket(::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (socket.get() < 0) {
    return tl::unexpected(
        Error(ErrorCode::io, fmt::format("no socket: {} (ulimit -n bounds open files)",
                                         std::generic_category().message(errno))));
  }
  if (family != AF_UNIX) {
    const int on = 1;
    ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  }
  return socket;
}

Result<SocketAddress> own_address_towards(const StoreAddress& address) {
  const auto to = resolve(address);
  if (!to) return tl::unexpected(to.error());
  const FileHandle socket(::socket(to->storage.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  SocketAddress own{.nbytes = sizeof own.storage};
  if (socket.get() < 0 ||
      ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&to->storage), to->nbytes) != 0 ||
      ::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&own.storage), &own.nbytes) != 0) {
    return tl::unexpected(
        Error(ErrorCode::io, fmt::format("no route to {}: {}", to_string(address),
                                         std::generic_category().message(errno))));
  }
  return own;
}

}  // namespace megascale::comm
