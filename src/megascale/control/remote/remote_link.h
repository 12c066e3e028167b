#ifndef MEGASCALE_CONTROL_REMOTE_REMOTE_LINK_H_
#define MEGASCALE_CONTROL_REMOTE_REMOTE_LINK_H_

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "megascale/base/files.h"
#include "megascale/control/link.h"
#include "megascale/control/remote/driver_client.h"

namespace megascale::control {

// The link to a driver on another host. A thread of its own makes the calls, so that the executor
// never waits for the network. A call without an answer is given up, and the next heartbeat says
// everything again. Replies of a driver that was replaced by another one have no effect: the next
// address is tried.
class RemoteLink final : public Link {
 public:
  struct Options {
    std::int64_t term = 0;                   // of the driver that has given the job
    std::chrono::milliseconds limit{5'000};  // of a call
    std::chrono::milliseconds pause{200};    // after a call that has failed
    // If no driver has answered for so long, an executor without ranks need not wait any more.
    double wait_seconds = 600;
    std::function<void(const std::string&)> on_message;  // on the thread of service()
  };
  // `client` must outlive the link, and nobody else may use it meanwhile.
  RemoteLink(DriverClient& client, Options options);
  RemoteLink(const RemoteLink&) = delete;
  RemoteLink& operator=(const RemoteLink&) = delete;
  ~RemoteLink() override;  // waits for the running call

  void service(std::int64_t now_ns) override;
  [[nodiscard]] bool ready() const override;
  void send(const Heartbeat& heartbeat, std::int64_t now_ns) override;
  [[nodiscard]] std::optional<Reply> receive() override;
  void add_to(std::vector<pollfd>& descriptors) const override;
  [[nodiscard]] std::optional<std::string> hopeless() const override;

 private:
  void work();
  void take(Result<std::string> answer);
  void take_refusal(std::string why);
  void wake() const noexcept;

  DriverClient& client_;
  Options options_;
  FileHandle event_;              // readable: there is something for service() or receive()
  std::int64_t answered_ns_ = 0;  // when the driver has last answered; of the executor's thread
  std::int64_t now_ns_ = 0;       // likewise
  mutable std::mutex mutex_;      // for what follows
  std::condition_variable work_comes_;
  std::optional<std::string> request_;  // to be sent
  bool busy_ = false;                   // a request is to be sent or on its way
  bool ending_ = false;
  bool is_lost_ = false;       // the last call has failed
  bool has_answered_ = false;  // since service() looked
  std::string last_error_;
  std::vector<Reply> replies_;
  std::vector<std::string> messages_;
  std::thread thread_;  // the last member: it starts when all others are there
};

}  // namespace megascale::control

#endif  // MEGASCALE_CONTROL_REMOTE_REMOTE_LINK_H_
