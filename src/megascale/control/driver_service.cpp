// One loop: wait for a heartbeat or a tick, let the state machine decide, store, say, answer.
#include "megascale/control/driver_service.h"

#include <poll.h>
#include <unistd.h>

#include "megascale/base/clock.h"
#include "megascale/base/error.h"
#include "megascale/control/driver.h"
#include "megascale/control/job_record.h"
#include "megascale/control/message_text.h"
#include "megascale/control/packet_socket.h"
#include "megascale/launch/process_state.h"

namespace megascale::control {
namespace {

constexpr int kTickMilliseconds = 100;
// How often progress without a decision is stored, for `megascale status`.
constexpr std::int64_t kStoreNs = 2'000'000'000;

class DriverService {
 public:
  DriverService(const std::filesystem::path& record, const FileHandle& link,
                const std::function<void(const std::string&)>& on_message)
      : record_(record, Database::Access::write), link_(link), on_message_(on_message) {}

  void run() {
    record_.set_driver(launch::own_host_name(), ::getpid());
    const JobRow job = record_.job();
    std::optional<DriverState> before;
    if (!job.state.empty()) before = parse_driver_state(job.state);
    driver_.emplace(job.name, job.session, parse_driver_settings(job.settings), std::move(before));
    settle(driver_->begin(monotonic_ns()));
    while (take_next()) {
    }
    settle(driver_->leave(monotonic_ns()));
  }

 private:
  // Returns false once the link is closed.
  bool take_next() {
    pollfd waits{link_.get(), POLLIN, 0};
    (void)::poll(&waits, 1, kTickMilliseconds);
    std::string message;
    const Received received = receive_packet(link_, message);
    if (received == Received::closed) return false;
    if (received == Received::nothing) {
      settle(driver_->tick(monotonic_ns()));
      return true;
    }
    try {
      const Heartbeat heartbeat = parse_heartbeat(message);
      const Reply reply = settle(driver_->heartbeat(heartbeat, monotonic_ns()));
      (void)send_packet(link_, to_text(reply));  // a lost reply is given again
    } catch (const Error& error) {
      if (error.code() != ErrorCode::bad_input) throw;
      on_message_(error.message());
    }
    return true;
  }

  // Stores what an event has changed, then says it, and returns the reply.
  Reply settle(Driver::Step step) {
    const std::int64_t now_ns = monotonic_ns();
    if (!step.change.empty() || now_ns - stored_ns_ >= kStoreNs) {
      record_.commit(step.change, to_text(driver_->state()), now_ns);
      stored_ns_ = now_ns;
    }
    for (const std::string& message : step.messages) on_message_(message);
    return std::move(step.reply);
  }

  JobRecord record_;
  const FileHandle& link_;
  const std::function<void(const std::string&)>& on_message_;
  std::optional<Driver> driver_;
  std::int64_t stored_ns_ = 0;
};

}  // namespace

void serve_driver(const std::filesystem::path& record, const FileHandle& link,
                  const std::function<void(const std::string&)>& on_message) {
  DriverService(record, link, on_message).run();
}

}  // namespace megascale::control
