#ifndef MEGASCALE_CONTROL_LISTENING_PORTS_H_
#define MEGASCALE_CONTROL_LISTENING_PORTS_H_

#include <sys/types.h>

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "megascale/control/json_fields.h"

// The ports at which a process can be reached: its TCP sockets that listen, and its UDP sockets
// without a fixed peer. They are found as the kernel shows them in /proc, so that no library can open
// one without being seen.
namespace megascale::control {

struct ListeningPort {
  std::string purpose;     // "control", "store", "data"
  std::int64_t rank = -1;  // -1: not of a rank
  std::int64_t process = 0;
  std::string protocol;  // "tcp" or "udp"
  std::string address;   // as a number
  std::uint16_t port = 0;
  std::string interface;  // the network interface with the address; "all" for 0.0.0.0 and ::
  bool operator==(const ListeningPort&) const = default;
};

// The numbers of a process's sockets; empty if it has ended or belongs to somebody else.
[[nodiscard]] std::set<std::uint64_t> sockets_of(pid_t process);

// Returns the ports of the sockets that are the process's, in the order of protocol, address and
// port. `purpose` and `rank` are those of the process. Empty if it has ended.
[[nodiscard]] std::vector<ListeningPort> listening_ports(pid_t process,
                                                         const std::set<std::uint64_t>& sockets,
                                                         const std::string& purpose,
                                                         std::int64_t rank);

[[nodiscard]] Json to_json(const ListeningPort& port);

}  // namespace megascale::control

#endif  // MEGASCALE_CONTROL_LISTENING_PORTS_H_
