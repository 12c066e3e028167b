#ifndef MEGASCALE_COMM_UCX_FIREWALL_H_
#define MEGASCALE_COMM_UCX_FIREWALL_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

// Keeps strangers away from the TCP ports of UCX. Internal to comm.
//
// Problem  UCX listens for its peers on a port that anybody can reach, and a few wrong bytes end
//          the process (an assertion of UCX 1.13).
// Idea     Each listening socket gets a socket filter, which the kernel runs on every packet that
//          arrives: packets from other hosts than those of the peers are dropped, the first one
//          included. No privilege is needed.
// Limits   A program on a peer's host can still connect, and so can a host that fakes its address.
namespace megascale::comm {

// An IP address as its bytes: 4 for IPv4, 16 for IPv6.
using IpAddress = std::string;

// Returns the addresses of all network interfaces of this host that are up. Throws Error (io).
[[nodiscard]] std::vector<IpAddress> own_ip_addresses();
[[nodiscard]] bool is_loopback(const IpAddress& address) noexcept;

// Returns the descriptors of this process's listening TCP sockets, ascending.
[[nodiscard]] std::vector<int> listening_sockets();

// From now on, the listening sockets and the connections that they have accepted take packets from
// `allowed` only. A later call replaces the addresses. Returns false, and allows all addresses, if
// there are more than a filter can hold (about 2,000). Throws Error (io) if the kernel refuses.
bool accept_only(std::span<const int> listeners, std::span<const IpAddress> allowed);

}  // namespace megascale::comm

#endif  // MEGASCALE_COMM_UCX_FIREWALL_H_
