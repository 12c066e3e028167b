// Unix sockets of the type SOCK_SEQPACKET.
#include "megascale/control/packet_socket.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <system_error>

#include "megascale/base/error.h"

namespace megascale::control {
namespace {

// Linux lets an ordinary user have about this much. A heartbeat of 1,024 ranks has 260 kB.
constexpr int kBufferNbytes = 1 << 20;

}  // namespace

std::pair<FileHandle, FileHandle> make_packet_sockets() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    throw Error(ErrorCode::io,
                fmt::format("socketpair: {}", std::generic_category().message(errno)));
  }
  for (const int end : ends)
    (void)::setsockopt(end, SOL_SOCKET, SO_SNDBUF, &kBufferNbytes, sizeof kBufferNbytes);
  return {FileHandle(ends[0]), FileHandle(ends[1])};
}

Received receive_packet(const FileHandle& socket, std::string& message) {
  for (;;) {
    const ssize_t nbytes = ::recv(socket.get(), nullptr, 0, MSG_PEEK | MSG_TRUNC | MSG_DONTWAIT);
    if (nbytes < 0 && errno == EINTR) continue;
    if (nbytes < 0 && errno == EAGAIN) return Received::nothing;
    if (nbytes <= 0) return Received::closed;
    message.resize(static_cast<std::size_t>(nbytes));
    const ssize_t got = ::recv(socket.get(), message.data(), message.size(), MSG_DONTWAIT);
    return got == nbytes ? Received::message : Received::closed;
  }
}

bool send_packet(const FileHandle& socket, std::string_view message) {
  ssize_t sent = 0;
  do {
    sent = ::send(socket.get(), message.data(), message.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  } while (sent < 0 && errno == EINTR);
  return sent == static_cast<ssize_t>(message.size());
}

}  // namespace megascale::control
