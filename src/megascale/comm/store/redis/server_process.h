#ifndef MEGASCALE_COMM_STORE_REDIS_SERVER_PROCESS_H_
#define MEGASCALE_COMM_STORE_REDIS_SERVER_PROCESS_H_

#include <sys/types.h>

#include <filesystem>

#include "megascale/comm/store/address.h"
#include "megascale/comm/store/secret.h"

namespace megascale::comm {

// A Redis server as a child process on a free port of the loopback address, for benchmarks and
// tests. It requires the secret and keeps nothing on disk. It ends when this object is destroyed or
// when the thread that started it ends.
class RedisServerProcess {
 public:
  // Returns once the server listens. Throws Error: unsupported if no redis-server is installed,
  // failed if it does not start.
  RedisServerProcess(const JobSecret& secret, std::size_t max_clients);
  RedisServerProcess(const RedisServerProcess&) = delete;
  RedisServerProcess& operator=(const RedisServerProcess&) = delete;
  ~RedisServerProcess();
  [[nodiscard]] const StoreAddress& address() const noexcept { return address_; }
  [[nodiscard]] pid_t id() const noexcept { return pid_; }
  // Returns the processor time that the server has used so far.
  [[nodiscard]] double cpu_seconds() const;
  // Returns the path of redis-server in PATH, or an empty path if none is installed.
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
