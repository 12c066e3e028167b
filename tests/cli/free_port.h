#ifndef MEGASCALE_TESTS_CLI_FREE_PORT_H_
#define MEGASCALE_TESTS_CLI_FREE_PORT_H_

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>

namespace megascale::testing {

// The first port from `port` on that is free on all addresses; by default one below those that the
// kernel gives away. Nobody listens on it yet when this returns, so processes that run at the same
// time begin eight ports apart.
inline int free_port(int port = 20'000 + ::getpid() % 1'500 * 8) {
  for (;; ++port) {
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_ANY);
    const bool is_free =
        ::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
    ::close(fd);
    if (is_free) return port;
  }
}

}  // namespace megascale::testing

#endif  // MEGASCALE_TESTS_CLI_FREE_PORT_H_
