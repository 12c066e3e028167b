#ifndef MEGASCALE_DIAGNOSE_INTERFACE_CHECK_H_
#define MEGASCALE_DIAGNOSE_INTERFACE_CHECK_H_

#include <span>

#include "megascale/diagnose/check.h"
#include "megascale/diagnose/tcp_transfer.h"

namespace megascale::diagnose {

// Sends data over TCP from every address of the host to every one of the same family (at most 16
// addresses). The kernel does not put these bytes on a wire: the check finds wrong addresses,
// routes and firewall rules, and a slow network stack. Throws Error.
void check_interfaces(std::span<const InterfaceAddress> addresses, CheckReport& report);

}  // namespace megascale::diagnose

#endif  // MEGASCALE_DIAGNOSE_INTERFACE_CHECK_H_
