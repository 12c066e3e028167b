// The filters are programs of the classic Berkeley Packet Filter: compare the source address of a
// packet with each allowed address. The kernel also runs the filter of a listening socket on the
// packets that ask for a connection, and an accepted socket inherits it. Sockets that were accepted
// before the filter was set get it by hand.
#include "megascale/comm/ucx/firewall.h"

#include <fmt/format.h>
#include <ifaddrs.h>
#include <linux/filter.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <memory>
#include <set>
#include <system_error>

#include "megascale/base/error.h"

namespace megascale::comm {
namespace {

// Offsets in a packet, from the begin of the IP header.
constexpr auto kHeader = static_cast<std::uint32_t>(SKF_NET_OFF);
constexpr std::uint32_t kSource4 = kHeader + 12, kSource6 = kHeader + 8;
constexpr std::uint32_t kTake = 0xffff'ffff, kDrop = 0;  // bytes of the packet to keep

[[noreturn]] void fail(const char* what) {
  throw Error(ErrorCode::io,
              fmt::format("cannot {}: {}", what, std::generic_category().message(errno)));
}

sock_filter statement(int code, std::uint32_t k) {
  return {.code = static_cast<std::uint16_t>(code), .jt = 0, .jf = 0, .k = k};
}
// Skips the next `otherwise` statements if the value is not k.
sock_filter unless_equal(std::uint32_t k, std::uint8_t otherwise) {
  return {.code = BPF_JMP | BPF_JEQ | BPF_K, .jt = 0, .jf = otherwise, .k = k};
}

std::uint32_t word(const IpAddress& address, std::size_t index) {
  std::uint32_t value = 0;
  std::memcpy(&value, address.data() + 4 * index, sizeof value);
  return ntohl(value);
}

std::vector<sock_filter> filter_of(std::span<const IpAddress> allowed) {
  std::vector<sock_filter> four{statement(BPF_LD | BPF_W | BPF_ABS, kSource4)}, six;
  for (const IpAddress& address : allowed) {
    if (address.size() == 4) {
      four.push_back(unless_equal(word(address, 0), 1));
      four.push_back(statement(BPF_RET | BPF_K, kTake));
      continue;
    }
    for (std::uint8_t i = 0; i < 4; ++i) {
      six.push_back(statement(BPF_LD | BPF_W | BPF_ABS, kSource6 + 4U * i));
      // Past the rest of this address: two statements per word, and the return.
      six.push_back(unless_equal(word(address, i), static_cast<std::uint8_t>(2 * (3 - i) + 1)));
    }
    six.push_back(statement(BPF_RET | BPF_K, kTake));
  }
  for (auto* part : {&four, &six}) part->push_back(statement(BPF_RET | BPF_K, kDrop));
  std::vector<sock_filter> filter{
      statement(BPF_LD | BPF_B | BPF_ABS, kHeader), statement(BPF_ALU | BPF_AND | BPF_K, 0xf0),
      unless_equal(0x60, 1),  // the version of IP
      statement(BPF_JMP | BPF_JA, static_cast<std::uint32_t>(four.size()))};
  filter.insert(filter.end(), four.begin(), four.end());
  filter.insert(filter.end(), six.begin(), six.end());
  return filter;
}

int option_of(int socket, int name) noexcept {
  int value = 0;
  socklen_t nbytes = sizeof value;
  return ::getsockopt(socket, SOL_SOCKET, name, &value, &nbytes) == 0 ? value : -1;
}

std::uint16_t local_port(int socket) noexcept {
  sockaddr_storage address{};
  socklen_t nbytes = sizeof address;
  if (::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &nbytes) != 0) return 0;
  if (address.ss_family == AF_INET) return reinterpret_cast<sockaddr_in&>(address).sin_port;
  if (address.ss_family == AF_INET6) return reinterpret_cast<sockaddr_in6&>(address).sin6_port;
  return 0;
}

// Returns the descriptors of this process's TCP sockets.
std::vector<int> tcp_sockets() {
  std::vector<int> sockets;
  std::error_code error;
  for (std::filesystem::directory_iterator entry("/proc/self/fd", error), end;
       !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    int fd = -1;
    std::from_chars(name.data(), name.data() + name.size(), fd);
    if (option_of(fd, SO_PROTOCOL) == IPPROTO_TCP) sockets.push_back(fd);
  }
  std::sort(sockets.begin(), sockets.end());
  return sockets;
}

}  // namespace

std::vector<IpAddress> own_ip_addresses() {
  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) != 0) fail("list the network interfaces");
  const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owner(list, ::freeifaddrs);
  std::set<IpAddress> addresses;
  for (const ifaddrs* one = list; one != nullptr; one = one->ifa_next) {
    if (one->ifa_addr == nullptr || (one->ifa_flags & IFF_UP) == 0) continue;
    if (one->ifa_addr->sa_family == AF_INET) {
      const auto* four = reinterpret_cast<const sockaddr_in*>(one->ifa_addr);
      addresses.emplace(reinterpret_cast<const char*>(&four->sin_addr), 4);
    } else if (one->ifa_addr->sa_family == AF_INET6) {
      const auto* six = reinterpret_cast<const sockaddr_in6*>(one->ifa_addr);
      addresses.emplace(reinterpret_cast<const char*>(&six->sin6_addr), 16);
    }
  }
  return {addresses.begin(), addresses.end()};
}

bool is_loopback(const IpAddress& address) noexcept {
  if (address.size() == 4) return static_cast<unsigned char>(address[0]) == 127;
  return address == IpAddress(15, '\0') + '\1';
}

std::vector<int> listening_sockets() {
  std::vector<int> sockets = tcp_sockets();
  std::erase_if(sockets, [](int socket) { return option_of(socket, SO_ACCEPTCONN) != 1; });
  return sockets;
}

bool accept_only(std::span<const int> listeners, std::span<const IpAddress> allowed) {
  std::vector<sock_filter> filter = filter_of(allowed);
  const bool fits = filter.size() <= BPF_MAXINSNS;
  if (!fits) filter = {statement(BPF_RET | BPF_K, kTake)};
  const sock_fprog program{.len = static_cast<std::uint16_t>(filter.size()),
                           .filter = filter.data()};
  std::set<std::uint16_t> ports;
  for (const int listener : listeners) ports.insert(local_port(listener));
  for (const int socket : tcp_sockets()) {
    if (!ports.contains(local_port(socket))) continue;
    if (::setsockopt(socket, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program) != 0)
      fail("set the filter of a TCP port of UCX");
  }
  return fits;
}

}  // namespace megascale::comm
