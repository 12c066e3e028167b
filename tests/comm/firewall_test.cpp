// Who may reach the TCP ports of UCX. Addresses of 127.0.0.0/8 stand for different hosts.
#include "megascale/comm/ucx/firewall.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>

#include "megascale/base/files.h"
#include "megascale/comm/ucx/ucx_worker.h"

namespace megascale::comm {
namespace {

IpAddress ip(const char* text) {
  in_addr address{};
  ::inet_pton(AF_INET, text, &address);
  return {reinterpret_cast<const char*>(&address), sizeof address};
}

sockaddr_in endpoint(const char* host, std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  ::inet_pton(AF_INET, host, &address.sin_addr);
  return address;
}

std::uint16_t port_of(int socket) {
  sockaddr_in address{};
  socklen_t nbytes = sizeof address;
  ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &nbytes);
  return ntohs(address.sin_port);
}

FileHandle listener_on(const char* host) {
  FileHandle socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const sockaddr_in address = endpoint(host, 0);
  EXPECT_EQ(::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  EXPECT_EQ(::listen(socket.get(), 16), 0);
  return socket;
}

// A connection from `host` to the port; without one after a moment if the port does not answer.
FileHandle connect_from(const char* host, std::uint16_t port) {
  FileHandle socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const sockaddr_in from = endpoint(host, 0), to = endpoint("127.0.0.1", port);
  EXPECT_EQ(::bind(socket.get(), reinterpret_cast<const sockaddr*>(&from), sizeof from), 0);
  (void)::connect(socket.get(), reinterpret_cast<const sockaddr*>(&to), sizeof to);
  ::pollfd sign{.fd = socket.get(), .events = POLLOUT, .revents = 0};
  constexpr int kMomentMs = 300;
  if (::poll(&sign, 1, kMomentMs) != 1 || (sign.revents & (POLLERR | POLLHUP)) != 0) return {};
  return socket;
}

bool reaches(const char* host, std::uint16_t port) { return connect_from(host, port).get() >= 0; }

TEST(FirewallTest, OnlyAllowedHostsConnect) {
  const FileHandle listener = listener_on("127.0.0.1"), other = listener_on("127.0.0.1");
  const int socket = listener.get();
  const std::uint16_t port = port_of(socket);
  EXPECT_TRUE(reaches("127.0.0.2", port)) << "before";
  std::vector<IpAddress> allowed{ip("127.0.0.3"), IpAddress(16, '\7'), ip("127.0.0.4")};
  EXPECT_TRUE(accept_only(std::span(&socket, 1), allowed));
  EXPECT_FALSE(reaches("127.0.0.2", port));
  EXPECT_TRUE(reaches("127.0.0.3", port));
  EXPECT_TRUE(reaches("127.0.0.4", port));
  EXPECT_TRUE(reaches("127.0.0.2", port_of(other.get()))) << "another port of the process";
  allowed = {ip("127.0.0.2")};
  EXPECT_TRUE(accept_only(std::span(&socket, 1), allowed));
  EXPECT_TRUE(reaches("127.0.0.2", port));
  EXPECT_FALSE(reaches("127.0.0.3", port));
}

// A stranger who has connected before the peers were known cannot send any more.
TEST(FirewallTest, EarlierConnectionsAreCutOff) {
  const FileHandle listener = listener_on("127.0.0.1");
  const int socket = listener.get();
  const FileHandle stranger = connect_from("127.0.0.2", port_of(socket)),
                   peer = connect_from("127.0.0.3", port_of(socket));
  ASSERT_GE(stranger.get(), 0);
  const FileHandle from_stranger(::accept4(socket, nullptr, nullptr, SOCK_CLOEXEC)),
      from_peer(::accept4(socket, nullptr, nullptr, SOCK_CLOEXEC));
  const std::vector<IpAddress> allowed{ip("127.0.0.3")};
  EXPECT_TRUE(accept_only(std::span(&socket, 1), allowed));
  EXPECT_EQ(::send(stranger.get(), "13 wrong bytes", 13, 0), 13);
  EXPECT_EQ(::send(peer.get(), "right", 5, 0), 5);
  ::pollfd sign{.fd = from_peer.get(), .events = POLLIN, .revents = 0};
  EXPECT_EQ(::poll(&sign, 1, 10'000), 1);
  sign.fd = from_stranger.get();
  EXPECT_EQ(::poll(&sign, 1, 100), 0);
}

TEST(FirewallTest, MoreHostsThanAFilterHoldsAreAllAllowed) {
  const FileHandle listener = listener_on("127.0.0.1");
  const int socket = listener.get();
  std::vector<IpAddress> allowed;
  for (int i = 0; i < 2000; ++i)
    allowed.push_back({'\12', '\0', static_cast<char>(i / 250), static_cast<char>(i % 250)});
  EXPECT_TRUE(accept_only(std::span(&socket, 1), allowed));
  EXPECT_FALSE(reaches("127.0.0.2", port_of(socket)));
  for (int i = 0; i < 100; ++i) allowed.push_back({'\12', '\1', '\0', static_cast<char>(i)});
  EXPECT_FALSE(accept_only(std::span(&socket, 1), allowed));
  EXPECT_TRUE(reaches("127.0.0.2", port_of(socket)));
}

TEST(FirewallTest, OwnAddressesContainLoopback) {
  const auto own = own_ip_addresses();
  EXPECT_NE(std::find(own.begin(), own.end(), ip("127.0.0.1")), own.end());
  EXPECT_TRUE(is_loopback(ip("127.0.0.1")));
  EXPECT_FALSE(is_loopback(ip("10.0.0.1")));
}

// The bytes that end a process with UCX 1.13 by an assertion.
TEST(FirewallTest, AWorkerIsReachedByItsPeersOnly) {
  if (!ucx_is_available()) GTEST_SKIP() << "built without UCX";
  Wakeup wakeup;
  const auto before = listening_sockets();
  UcxWorker worker(wakeup, {.transports = "tcp,self", .devices = "lo", .shared_memory = false});
  auto ports = listening_sockets();
  std::erase_if(ports, [&](int socket) {
    return std::find(before.begin(), before.end(), socket) != before.end();
  });
  ASSERT_FALSE(ports.empty());
  const std::vector<IpAddress> peers{ip("127.0.0.3")};
  worker.accept_only(peers);
  for (const int socket : ports) {
    EXPECT_FALSE(reaches("127.0.0.2", port_of(socket)));
    EXPECT_TRUE(reaches("127.0.0.3", port_of(socket)));
  }
  for (int look = 0; look < 100; ++look) worker.progress();
}

}  // namespace
}  // namespace megascale::comm
