#ifndef MEGASCALE_COMM_PROCESS_NETWORK_H_
#define MEGASCALE_COMM_PROCESS_NETWORK_H_

#include <string>

#include "megascale/comm/bootstrap/launch_environment.h"

namespace megascale::comm {

// UCX's names (UcxOptions) of what a job talks over.
struct Network {
  std::string transports, devices;
  bool operator==(const Network&) const = default;
};

// Shared memory alone where all ranks are on this host: no port is opened. Else TCP too, on the
// device that leads to the store, which whoever gave its address wants to be used. UCX_TLS and
// UCX_NET_DEVICES win where they are set ("rc" for RDMA). Throws Error (io) where no device leads
// there.
[[nodiscard]] Network choose_network(const LaunchEnvironment& environment, const Lookup& lookup);

}  // namespace megascale::comm

#endif  // MEGASCALE_COMM_PROCESS_NETWORK_H_
