#ifndef MEGASCALE_CONTROL_REMOTE_DRIVER_SERVER_H_
#define MEGASCALE_CONTROL_REMOTE_DRIVER_SERVER_H_

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "megascale/control/secure/credentials.h"
#include "megascale/control/secure/host_port.h"

namespace megascale::control {

struct DriverServerOptions {
  std::filesystem::path run_dir;
  secure::HostPort listen;
  std::optional<std::filesystem::path> credentials;  // the directory; without it, `insecure` is set
  bool insecure = false;
  bool takes_over = false;  // also a job whose driver ran on another host, which is lost
  std::string session_key;  // it goes on with sessions of this key only; empty: with all
  std::function<void(const std::string&)> on_message;  // any thread
};

struct DriverEnd {
  std::int32_t exit_code = 0;
  std::string error;      // empty: none
  bool has_ended = true;  // the job; false: this driver was told to end before it
};

// The driver of a job on several hosts: serves the verbs of control_messages.h at one port, and keeps
// the job's record in the run directory. One at a time can serve a run directory. If the record holds
// a job that has not ended and this host has served it since its last boot, it goes on with that job;
// otherwise it waits for a submission. With `takes_over` it also goes on with the job of a driver on
// another host. If that driver still lives, it ends as soon as it sees it, and has no effect any more.
class DriverServer {
 public:
  // Serves from now on. Throws Error: failed if another driver serves the run directory; bad_usage
  // without credentials; io if it cannot listen.
  explicit DriverServer(DriverServerOptions options);
  DriverServer(const DriverServer&) = delete;
  DriverServer& operator=(const DriverServer&) = delete;
  ~DriverServer();
  [[nodiscard]] secure::HostPort address() const;
  // Decides as time passes. Returns when the job has ended and its executors know, when another driver
  // has taken the job over, or when `stop` is set; then the ranks go on, and the driver may be started
  // again. Throws Error (io) if the record
  // cannot be written.
  [[nodiscard]] DriverEnd run(const std::atomic<bool>& stop);

 private:
  class Service;
  std::unique_ptr<Service> service_;
};

}  // namespace megascale::control

#endif  // MEGASCALE_CONTROL_REMOTE_DRIVER_SERVER_H_
