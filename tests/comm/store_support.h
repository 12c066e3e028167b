#ifndef MEGASCALE_TESTS_COMM_STORE_SUPPORT_H_
#define MEGASCALE_TESTS_COMM_STORE_SUPPORT_H_

#include <memory>
#include <string>

#include "megascale/comm/store/embedded/server.h"
#include "megascale/comm/store/redis/client.h"
#include "megascale/comm/store/redis/server_process.h"
#include "megascale/comm/store/store.h"

namespace megascale::testing {

// A running store of either kind, with a secret of its own.
class RunningStore {
 public:
  static bool can_run(comm::StoreKind kind) {
    return kind == comm::StoreKind::embedded ||
           (comm::has_redis() && !comm::RedisServerProcess::find().empty());
  }
  explicit RunningStore(comm::StoreKind kind) { start(kind); }

  [[nodiscard]] comm::StoreOptions options() const {
    return {.address = address_,
            .secret = secret_,
            .job = "test",
            .connect_timeout = std::chrono::seconds(20),
            .response_timeout = std::chrono::seconds(20)};
  }
  [[nodiscard]] const comm::JobSecret& secret() const { return secret_; }
  [[nodiscard]] const comm::StoreServer& embedded() const { return *embedded_; }
  [[nodiscard]] const comm::RedisServerProcess& redis() const { return *redis_; }
  void stop() {
    embedded_.reset();
    redis_.reset();
  }

 private:
  void start(comm::StoreKind kind) {
    if (kind == comm::StoreKind::redis) {
      redis_ = std::make_unique<comm::RedisServerProcess>(secret_, 1000);
      address_ = redis_->address();
      return;
    }
    embedded_ = std::make_unique<comm::StoreServer>(
        comm::StoreServerOptions{.address = {}, .secret = secret_, .job = "test"});
    embedded_->start();
    address_ = embedded_->address();
  }
  comm::JobSecret secret_ = comm::JobSecret::random();
  comm::StoreAddress address_;
  std::unique_ptr<comm::StoreServer> embedded_;
  std::unique_ptr<comm::RedisServerProcess> redis_;
};

}  // namespace megascale::testing

#endif  // MEGASCALE_TESTS_COMM_STORE_SUPPORT_H_
