// One loop: wait for a heartbeat or a tick, let the driver decide, answer.
#include "megascale/control/driver_service.h"

#include <poll.h>

#include "megascale/base/error.h"
#include "megascale/control/job_driver.h"
#include "megascale/control/message_text.h"
#include "megascale/control/packet_socket.h"

namespace megascale::control {
namespace {

constexpr int kTickMilliseconds = 100;

// Answers what has come over the link, or ticks. Returns false once the link is closed.
bool take_next(JobDriver& driver, const FileHandle& link, const JobDriver::Say& say) {
  pollfd waits{link.get(), POLLIN, 0};
  (void)::poll(&waits, 1, kTickMilliseconds);
  std::string message;
  const Received received = receive_packet(link, message);
  if (received == Received::closed) return false;
  if (received == Received::nothing) {
    driver.tick();
    return true;
  }
  try {
    const Reply reply = driver.heartbeat(parse_heartbeat(message));
    (void)send_packet(link, to_text(reply));  // a lost reply is given again
  } catch (const Error& error) {
    if (error.code() != ErrorCode::bad_input) throw;
    say(error.message());
  }
  return true;
}

}  // namespace

void serve_driver(const RunDirectory& run, const FileHandle& link,
                  const std::function<void(const std::string&)>& on_message) {
  JobRecord record(run.job_record(), Database::Access::write);
  JobDriver driver(run, record, on_message);
  while (take_next(driver, link, on_message)) {
  }
  driver.leave();
}

}  // namespace megascale::control
