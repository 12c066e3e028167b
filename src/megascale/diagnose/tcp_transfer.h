#ifndef MEGASCALE_DIAGNOSE_TCP_TRANSFER_H_
#define MEGASCALE_DIAGNOSE_TCP_TRANSFER_H_

#include <cstddef>
#include <string>
#include <vector>

#include "megascale/base/error.h"
#include "megascale/comm/store/address.h"

// TCP between two addresses of this host.
namespace megascale::diagnose {

// An address of an interface of this host that is up. Link-local IPv6 addresses are left out.
struct InterfaceAddress {
  std::string interface, text;  // "eth0", "10.0.0.1"
  comm::SocketAddress address;  // port 0
};
// Returns them by interface and address, sorted. Throws Error (io).
[[nodiscard]] std::vector<InterfaceAddress> interface_addresses();

// Sends `nbytes` bytes from one address to the other, both of this host, and compares their digests.
// Returns bytes per second. Error: io if they cannot be connected within a few seconds; corrupt_data
// if other bytes arrive than were sent.
[[nodiscard]] Result<double> transfer_rate(const InterfaceAddress& from, const InterfaceAddress& to,
                                           std::size_t nbytes);

}  // namespace megascale::diagnose

#endif  // MEGASCALE_DIAGNOSE_TCP_TRANSFER_H_
