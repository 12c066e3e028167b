// Chooses UCX's transports and network device for a job. The device is the one whose address the
// kernel would use to reach the store. connect() on a datagram socket sends nothing, but makes the
// kernel look up the route and choose this address.
#include "megascale/comm/process/network.h"

#include <fmt/format.h>
#include <ifaddrs.h>
#include <netinet/in.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <system_error>

namespace megascale::comm {
namespace {

bool same_host_address(const sockaddr* a, const sockaddr* b) {
  if (a == nullptr || b == nullptr || a->sa_family != b->sa_family) return false;
  if (a->sa_family == AF_INET) {
    const auto *x = reinterpret_cast<const sockaddr_in*>(a),
               *y = reinterpret_cast<const sockaddr_in*>(b);
    return x->sin_addr.s_addr == y->sin_addr.s_addr;
  }
  if (a->sa_family != AF_INET6) return false;
  const auto *x = reinterpret_cast<const sockaddr_in6*>(a),
             *y = reinterpret_cast<const sockaddr_in6*>(b);
  return std::memcmp(&x->sin6_addr, &y->sin6_addr, sizeof x->sin6_addr) == 0;
}

// Returns the name of the network device that leads to the store.
std::string device_towards(const StoreAddress& store) {
  if (!store.path.empty()) return "lo";  // a Unix socket on this host
  const auto own_address = own_address_towards(store);
  if (!own_address) throw Error(own_address.error());
  const SocketAddress& own = *own_address;
  ifaddrs* first = nullptr;
  if (::getifaddrs(&first) != 0)
    throw Error(ErrorCode::io, fmt::format("cannot list network devices: {}",
                                           std::generic_category().message(errno)));
  const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> devices(first, ::freeifaddrs);
  for (const ifaddrs* one = first; one != nullptr; one = one->ifa_next) {
    if (same_host_address(one->ifa_addr, reinterpret_cast<const sockaddr*>(&own.storage)))
      return one->ifa_name;
  }
  throw Error(ErrorCode::io, fmt::format("no network device has the address from which the store "
                                         "at {} is reached; set UCX_NET_DEVICES",
                                         to_string(store)));
}

}  // namespace

Network choose_network(const LaunchEnvironment& environment, const Lookup& lookup) {
  const auto given = [&](const char* name) -> std::string {
    const char* value = lookup(name);
    return value == nullptr ? "" : value;
  };
  const bool one_host = environment.local_world_size == environment.world_size;
  Network network{.transports = given("UCX_TLS"), .devices = given("UCX_NET_DEVICES")};
  if (network.transports.empty()) network.transports = one_host ? "posix,self" : "posix,self,tcp";
  if (network.devices.empty())
    network.devices = one_host ? "lo" : device_towards(environment.store);
  return network;
}

}  // namespace megascale::comm
