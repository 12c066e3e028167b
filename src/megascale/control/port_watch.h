#ifndef MEGASCALE_CONTROL_PORT_WATCH_H_
#define MEGASCALE_CONTROL_PORT_WATCH_H_

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "megascale/control/listening_ports.h"

namespace megascale::control {

// A process of this host whose ports are watched.
struct WatchedProcess {
  pid_t process = 0;
  std::string purpose;     // of its ports
  std::int64_t rank = -1;  // -1: not a rank
};

// Keeps the list of a host's listening ports in the run directory (control/ports/NAME.json), where
// `megascale status --ports` finds it. The file goes with the object. One thread may use it.
class PortWatch {
 public:
  // `name` is that of the file, `host` that of the host.
  PortWatch(std::filesystem::path run_dir, std::string name, std::string host);
  PortWatch(const PortWatch&) = delete;
  PortWatch& operator=(const PortWatch&) = delete;
  ~PortWatch();
  // Looks at the processes once in two seconds, and writes the list if it has changed.
  void look(const std::vector<WatchedProcess>& processes, std::int64_t now_ns);

 private:
  void write(const std::vector<ListeningPort>& ports);
  std::filesystem::path path_;
  std::string host_;
  std::map<pid_t, std::set<std::uint64_t>> sockets_;  // as they were when the list was made
  std::vector<ListeningPort> ports_;
  std::int64_t look_not_before_ns_ = 0;
  bool is_written_ = false;
};

// The name of the driver's file; those of hosts are "host-NAME".
inline constexpr const char* kPortsOfDriver = "driver";
// Returns the ports of the driver and of these hosts, as their files tell: an array of objects with
// the members of ListeningPort and "host". A host that was lost may have left its file.
[[nodiscard]] Json read_ports(const std::filesystem::path& run_dir,
                              const std::set<std::string>& hosts);

}  // namespace megascale::control

#endif  // MEGASCALE_CONTROL_PORT_WATCH_H_
