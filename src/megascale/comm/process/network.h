#ifndef MEGASCALE_COMM_PROCESS_NETWORK_H_
#define MEGASCALE_COMM_PROCESS_NETWORK_H_

#include <string>

#include "megascale/comm/bootstrap/launch_environment.h"

namespace megascale::comm {

// The transports and network devices of a job, by their names in UCX (UcxOptions).
struct Network {
  std::string transports, devices;
  bool operator==(const Network&) const = default;
};

// Chooses the network of this process. If all ranks are on this host, they use shared memory only,
// and no port is opened. Otherwise they also use TCP, on the network device that leads to the
// store: the user who gave the store's address has chosen that network. The environment variable
// UCX_TLS (for instance with "rc" for RDMA) overrides the transports, UCX_NET_DEVICES the devices.
// Throws Error (io) if the host name of the store is unknown or no device leads to the store.
[[nodiscard]] Network choose_network(const LaunchEnvironment& environment, const Lookup& lookup);

}  // namespace megascale::comm

#endif  // MEGASCALE_COMM_PROCESS_NETWORK_H_
