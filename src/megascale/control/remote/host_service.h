#ifndef MEGASCALE_CONTROL_REMOTE_HOST_SERVICE_H_
#define MEGASCALE_CONTROL_REMOTE_HOST_SERVICE_H_

#include <chrono>
#include <functional>
#include <string>

#include "megascale/control/executor.h"
#include "megascale/control/remote/driver_client.h"

namespace megascale::control {

struct HostOptions {
  DriverAddress driver;
  std::string name;     // of this host; empty: that of the certificate, else the host's own
  std::string address;  // where other hosts reach this one; empty: found by the route to the driver
  bool stays = false;   // serves one job after the other
  bool replaces = false;  // takes the place of an executor of this host that serves the job
  const char* program = "/proc/self/exe";       // of the ranks
  std::chrono::milliseconds call_limit{5'000};  // then a call of the driver is given up
  std::function<void(const std::string&)> on_message;
};

// The executor of a host in a job on several hosts: waits for a driver that has a job, serves the job
// until the driver releases this host, and returns the job's end. It waits for ever; SIGINT, SIGTERM
// and SIGHUP end it at once while it has no ranks, and stop the job otherwise. Call it before the
// process has other threads. Throws Error: bad_usage if the driver refuses the credentials or if the
// name is not that of the certificate; failed, also if another executor of the host serves the job and is
// not silent, unless options.replaces.
[[nodiscard]] ExecutorEnd serve_host(const HostOptions& options);

}  // namespace megascale::control

#endif  // MEGASCALE_CONTROL_REMOTE_HOST_SERVICE_H_
