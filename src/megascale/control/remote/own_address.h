#ifndef MEGASCALE_CONTROL_REMOTE_OWN_ADDRESS_H_
#define MEGASCALE_CONTROL_REMOTE_OWN_ADDRESS_H_

#include <string>

#include "megascale/control/secure/host_port.h"

namespace megascale::control {

// Returns the address of this host, as a number, from which it reaches `other`: other hosts of that
// network reach this one there. Nothing is sent. Error: io if the name is unknown or there is no
// route.
[[nodiscard]] Result<std::string> own_address_towards(const secure::HostPort& other);

}  // namespace megascale::control

#endif  // MEGASCALE_CONTROL_REMOTE_OWN_ADDRESS_H_
