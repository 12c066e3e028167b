#ifndef MEGASCALE_CONTROL_INTERFACE_COUNTERS_H_
#define MEGASCALE_CONTROL_INTERFACE_COUNTERS_H_

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace megascale::control {

// Bytes that a network interface of a host, or a port of an RDMA device, has moved since the host
// started.
struct InterfaceCounters {
  std::string name;  // "eth0", "mlx5_0/1"
  std::int64_t received = 0, sent = 0;
  bool operator==(const InterfaceCounters&) const = default;
};
// Reads the counters of this host; what cannot be read is left out. The system counts RDMA in words
// of four bytes.
[[nodiscard]] std::vector<InterfaceCounters> read_interface_counters(
    const std::filesystem::path& net_dev = "/proc/net/dev",
    const std::filesystem::path& rdma = "/sys/class/infiniband");

}  // namespace megascale::control

#endif  // MEGASCALE_CONTROL_INTERFACE_COUNTERS_H_
