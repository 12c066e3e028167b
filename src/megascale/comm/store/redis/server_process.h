#ifndef MEGASCALE_COMM_STORE_REDIS_SERVER_PROCESS_H_
#define MEGASCALE_COMM_STORE_REDIS_SERVER_PROCESS_H_

#include <sys/types.h>

#include <filesystem>

#include "megascale/comm/store/address.h"
#include "megascale/comm/store/secret.h"

namespace megascale::comm {

// A Redis server of our own on a free port of the loopback address, for benchmarks and tests: it
// demands the secret, keeps nothing on disk, and ends with this object or this thread.
class RedisServerProcess {
 public:
  // Throws Error (unsupported) where no redis-server is installed, (failed) when it does not start.
  RedisServerProcess(const JobSecret& secret, std::size_t max_clients);
  RedisServerProcess(const RedisServerProcess&) = delete;
  RedisServerProcess& operator=(const RedisServerProcess&) = delete;
  ~RedisServerProcess();
  [[nodiscard]] const StoreAddress& address() const noexcept { return address_; }
  [[nodiscard]] pid_t id() const noexcept { return pid_; }
  // Processor time it has used so far.
  [[nodiscard]] double cpu_seconds() const;
  // The program, or an empty path where none is installed.
  static std::filesystem::path find();

 private:
  void spawn(const std::filesystem::path& program, const std::string& configuration);
  [[nodiscard]] bool wait_until_listening() const;
  void stop() noexcept;
  StoreAddress address_{.kind = StoreKind::redis};
  pid_t pid_ = -1;
};

}  // namespace megascale::comm

#endif  // MEGASCALE_COMM_STORE_REDIS_SERVER_PROCESS_H_
