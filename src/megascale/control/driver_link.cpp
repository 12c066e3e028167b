// The driver is this program with the subcommand `driver`; it inherits one end of a socket pair.
#include "megascale/control/driver_link.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>

#include "megascale/base/error.h"
#include "megascale/control/message_text.h"
#include "megascale/control/packet_socket.h"
#include "megascale/launch/spawn.h"

namespace megascale::control {
namespace {

constexpr std::int64_t kSecondNs = 1'000'000'000;
// After so many drivers that have ended without an answer, a job without ranks is given up. Ranks
// that run go on, and a driver is started once a second.
constexpr int kMostMuteEnds = 5;

std::string how_ended(int status) {
  return WIFSIGNALED(status) ? fmt::format("was ended by signal {}", WTERMSIG(status))
                             : fmt::format("ended with exit code {}", WEXITSTATUS(status));
}

}  // namespace

DriverLink::DriverLink(Options options) : options_(std::move(options)) {}

DriverLink::~DriverLink() {
  if (process_ < 0) return;
  // A driver whose connection is closed stores its last state and ends; it needs no signal.
  socket_ = FileHandle();
  for (int i = 0; i < 200; ++i) {
    if (::waitpid(process_, nullptr, WNOHANG) == process_) return;
    pollfd ended{pidfd_.get(), POLLIN, 0};
    (void)::poll(&ended, 1, 10);
  }
  (void)::kill(process_, SIGKILL);
  (void)::waitpid(process_, nullptr, 0);
}

void DriverLink::service(std::int64_t now_ns) {
  if (process_ >= 0) take_end(now_ns);
  if (process_ < 0 && now_ns >= next_start_ns_) start(now_ns);
  if (process_ < 0 || sent_ns_ == 0) return;
  if (static_cast<double>(now_ns - sent_ns_) * 1e-9 < options_.answer_seconds) return;
  options_.on_message(
      fmt::format("the driver (process {}) does not answer for {} s; it is killed "
                  "and started again, the ranks go on",
                  process_, options_.answer_seconds));
  (void)::kill(process_, SIGKILL);
  sent_ns_ = now_ns;
}

void DriverLink::start(std::int64_t now_ns) {
  auto [own, other] = make_packet_sockets();
  const std::vector<std::string> arguments{"megascale", "driver", options_.run_dir, "--link",
                                           std::to_string(other.get())};
  process_ = launch::spawn({.arguments = arguments,
                            .blocked = options_.blocked,
                            .kept = other.get(),
                            .leads_group = true});
  pidfd_ = launch::watch_process(process_);
  socket_ = std::move(own);
  sent_ns_ = 0;
  next_start_ns_ = now_ns + kSecondNs;
}

void DriverLink::take_end(std::int64_t now_ns) {
  int status = 0;
  if (::waitpid(process_, &status, WNOHANG) != process_) return;
  last_end_ = how_ended(status);
  if (!hopeless()) {
    options_.on_message(fmt::format(
        "the driver (process {}) {}; it is started again, the ranks go on", process_, last_end_));
  }
  process_ = -1;
  pidfd_ = FileHandle();
  socket_ = FileHandle();
  sent_ns_ = 0;
  ++mute_ends_;
  if (mute_ends_ == 1) next_start_ns_ = now_ns;  // the first time at once, then once a second
}

bool DriverLink::ready() const { return process_ >= 0 && sent_ns_ == 0; }

void DriverLink::send(const Heartbeat& heartbeat, std::int64_t now_ns) {
  // If the driver has just ended, service() notices it; the next heartbeat says everything again.
  (void)send_packet(socket_, to_text(heartbeat));
  sent_ns_ = now_ns;
}

std::optional<Reply> DriverLink::receive() {
  std::string message;
  if (process_ < 0 || receive_packet(socket_, message) != Received::message) return std::nullopt;
  sent_ns_ = 0;
  mute_ends_ = 0;
  try {
    return parse_reply(message);
  } catch (const Error& error) {
    options_.on_message(error.message());
    return std::nullopt;
  }
}

void DriverLink::add_to(std::vector<pollfd>& descriptors) const {
  if (process_ < 0) return;
  descriptors.push_back({pidfd_.get(), POLLIN, 0});
  descriptors.push_back({socket_.get(), POLLIN, 0});
}

std::optional<std::string> DriverLink::hopeless() const {
  if (mute_ends_ < kMostMuteEnds) return std::nullopt;
  return fmt::format(
      "the driver has ended {} times without an answer, the last one {}; its errors "
      "are above",
      mute_ends_, last_end_);
}

}  // namespace megascale::control
