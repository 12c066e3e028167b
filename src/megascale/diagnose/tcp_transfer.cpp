// One thread sends and one receives. Sockets do not block: every wait is a poll() with a limit, so
// a firewall that drops packets costs seconds, not minutes.
#include "megascale/diagnose/tcp_transfer.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <system_error>
#include <thread>
#include <tuple>

#include "megascale/base/clock.h"
#include "megascale/base/philox.h"

namespace megascale::diagnose {
namespace {

constexpr int kWaitMs = 3000;
constexpr std::size_t kBlockNbytes = std::size_t{256} << 10U;

Error call_error(std::string_view call) {
  return {ErrorCode::io, fmt::format("{}: {}", call, std::generic_category().message(errno))};
}

const sockaddr* as_sockaddr(const comm::SocketAddress& address) {
  return reinterpret_cast<const sockaddr*>(&address.storage);
}
sockaddr* as_sockaddr(comm::SocketAddress& address) {
  return reinterpret_cast<sockaddr*>(&address.storage);
}

// Waits until a descriptor is ready. Returns false when the time is over.
bool wait_ready(int descriptor, short events) {
  pollfd one{descriptor, events, 0};
  return ::poll(&one, 1, kWaitMs) == 1;
}

// Returns a socket that is bound to an address of this host, with a free port.
Result<FileHandle> bound_socket(const comm::SocketAddress& address) {
  auto socket = comm::make_socket(address);
  if (!socket) return socket;
  if (::bind(socket->get(), as_sockaddr(address), address.nbytes) != 0)
    return tl::unexpected(call_error("bind"));
  return socket;
}

// Two connected sockets: the one that sends, and the one that receives.
struct SocketPair {
  FileHandle sender, receiver;
};
Result<SocketPair> connect_pair(const InterfaceAddress& from, const InterfaceAddress& to) {
  auto listener = bound_socket(to.address);
  if (!listener) return tl::unexpected(listener.error());
  if (::listen(listener->get(), 1) != 0) return tl::unexpected(call_error("listen"));
  comm::SocketAddress target{.nbytes = sizeof target.storage};
  if (::getsockname(listener->get(), as_sockaddr(target), &target.nbytes) != 0)
    return tl::unexpected(call_error("getsockname"));
  auto sender = bound_socket(from.address);
  if (!sender) return tl::unexpected(sender.error());
  if (::connect(sender->get(), as_sockaddr(target), target.nbytes) != 0 && errno != EINPROGRESS)
    return tl::unexpected(call_error("connect"));
  int error = 0;
  socklen_t length = sizeof error;
  if (!wait_ready(sender->get(), POLLOUT))
    return tl::unexpected(
        Error(ErrorCode::io, fmt::format("no connection within {} s", kWaitMs / 1000)));
  (void)::getsockopt(sender->get(), SOL_SOCKET, SO_ERROR, &error, &length);
  errno = error;
  if (error != 0) return tl::unexpected(call_error("connect"));
  if (!wait_ready(listener->get(), POLLIN))
    return tl::unexpected(Error(ErrorCode::io, "the connection does not arrive"));
  FileHandle receiver(::accept4(listener->get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (receiver.get() < 0) return tl::unexpected(call_error("accept"));
  return SocketPair{std::move(*sender), std::move(receiver)};
}

// Sends the block again and again, `nbytes` in all, then closes the direction.
void send_bytes(int socket, std::span<const std::byte> block, std::size_t nbytes) {
  for (std::size_t sent = 0; sent < nbytes;) {
    const std::size_t at = sent % block.size();
    const std::size_t count = std::min(block.size() - at, nbytes - sent);
    const ssize_t done = ::send(socket, block.data() + at, count, MSG_NOSIGNAL);
    if (done > 0) {
      sent += static_cast<std::size_t>(done);
    } else if ((errno != EAGAIN && errno != EINTR) || !wait_ready(socket, POLLOUT)) {
      break;  // the receiver notices
    }
  }
  (void)::shutdown(socket, SHUT_WR);
}

// Receives until the sender has closed. Returns whether `nbytes` bytes of the repeated block came.
Result<bool> receive_bytes(int socket, std::span<const std::byte> block, std::size_t nbytes) {
  std::vector<std::byte> received(block.size());
  std::size_t got = 0;
  for (;;) {
    const std::size_t at = got % block.size();
    const ssize_t count = ::recv(socket, received.data() + at, block.size() - at, 0);
    if (count == 0) return got == nbytes;
    if (count < 0) {
      if (errno != EAGAIN && errno != EINTR) return tl::unexpected(call_error("recv"));
      if (wait_ready(socket, POLLIN)) continue;
      return tl::unexpected(
          Error(ErrorCode::io, fmt::format("nothing came for {} s", kWaitMs / 1000)));
    }
    if (std::memcmp(received.data() + at, block.data() + at, static_cast<std::size_t>(count)) != 0)
      return false;
    got += static_cast<std::size_t>(count);
  }
}

bool is_usable(const ifaddrs& one) {
  if (one.ifa_addr == nullptr || (one.ifa_flags & IFF_UP) == 0) return false;
  if (one.ifa_addr->sa_family == AF_INET) return true;
  if (one.ifa_addr->sa_family != AF_INET6) return false;
  const auto& address = reinterpret_cast<const sockaddr_in6*>(one.ifa_addr)->sin6_addr;
  return !IN6_IS_ADDR_LINKLOCAL(&address);
}

InterfaceAddress to_interface_address(const ifaddrs& one) {
  InterfaceAddress result{.interface = one.ifa_name, .text = {}, .address = {}};
  const bool v4 = one.ifa_addr->sa_family == AF_INET;
  result.address.nbytes = v4 ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
  std::memcpy(&result.address.storage, one.ifa_addr, result.address.nbytes);
  std::array<char, INET6_ADDRSTRLEN> text{};
  const void* const bytes =
      v4 ? static_cast<const void*>(&reinterpret_cast<const sockaddr_in*>(one.ifa_addr)->sin_addr)
         : &reinterpret_cast<const sockaddr_in6*>(one.ifa_addr)->sin6_addr;
  (void)::inet_ntop(one.ifa_addr->sa_family, bytes, text.data(), text.size());
  result.text = text.data();
  return result;
}

}  // namespace

std::vector<InterfaceAddress> interface_addresses() {
  ifaddrs* first = nullptr;
  if (::getifaddrs(&first) != 0) throw Error(call_error("getifaddrs"));
  const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> list(first, ::freeifaddrs);
  std::vector<InterfaceAddress> addresses;
  for (const ifaddrs* one = first; one != nullptr; one = one->ifa_next)
    if (is_usable(*one)) addresses.push_back(to_interface_address(*one));
  std::sort(addresses.begin(), addresses.end(), [](const auto& a, const auto& b) {
    return std::tie(a.interface, a.text) < std::tie(b.interface, b.text);
  });
  return addresses;
}

Result<double> transfer_rate(const InterfaceAddress& from, const InterfaceAddress& to,
                             std::size_t nbytes) {
  auto sockets = connect_pair(from, to);
  if (!sockets) return tl::unexpected(sockets.error());
  std::vector<std::uint64_t> words(kBlockNbytes / sizeof(std::uint64_t));
  const PhiloxStream random(/*seed=*/22, "tcp");
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = random.bits(i);
  const auto block = std::as_bytes(std::span(words));
  const std::int64_t begin_ns = monotonic_ns();
  std::thread sender([&] { send_bytes(sockets->sender.get(), block, nbytes); });
  const auto received = receive_bytes(sockets->receiver.get(), block, nbytes);
  const std::int64_t passed_ns = std::max<std::int64_t>(monotonic_ns() - begin_ns, 1);
  if (!received || !*received) (void)::shutdown(sockets->sender.get(), SHUT_RDWR);
  sender.join();
  if (!received) return tl::unexpected(received.error());
  if (!*received)
    return tl::unexpected(Error(ErrorCode::corrupt_data, "other bytes arrived than were sent"));
  return static_cast<double>(nbytes) / (static_cast<double>(passed_ns) * 1e-9);
}

}  // namespace megascale::diagnose
