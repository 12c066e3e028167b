// gRPC has no limit for connections and no time limit for a peer that makes a TLS handshake and then
// says nothing. So the gate accepts in its place and keeps a second descriptor of every socket. With
// it, it sees the end of the connection (both directions shut down), and ends it when it must.
#include "megascale/control/secure/connection_gate.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>

#include "megascale/comm/store/open_files.h"

namespace megascale::secure {
namespace {

constexpr std::chrono::milliseconds kTurn{50};  // stops and time limits are seen so late
constexpr std::uint64_t kListenerToken = 0;     // connections are numbered from 1 on
constexpr std::uint64_t kReservedFiles = 256;   // of the rest of the process

}  // namespace

ConnectionGate::ConnectionGate(FileHandle listener, const ConnectionLimits& limits, LimitedLog& log,
                               HandOver hand_over)
    : listener_(std::move(listener)), log_(log), hand_over_(std::move(hand_over)), table_(limits) {
  const std::uint64_t files = 2 * limits.in_total + kReservedFiles;
  comm::allow_open_files(files, files);
  poll_.add(listener_.get(), kListenerToken, true, false);
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

void ConnectionGate::run(const std::stop_token& stop) noexcept {
  while (!stop.stop_requested()) {
    try {
      turn();
    } catch (const std::exception& error) {
      log_(fmt::format("connections: {}", error.what()));
      std::this_thread::sleep_for(kTurn);
    }
  }
}

void ConnectionGate::turn() {
  for (const auto& ready : poll_.wait(kTurn)) {
    if (ready.token == kListenerToken) {
      accept_all();
    } else {
      close(ready.token, "ended before it had proven who it is");
    }
  }
  std::vector<ConnectionTable::Id> overdue;
  {
    const std::lock_guard lock(mutex_);
    overdue = table_.overdue(std::chrono::steady_clock::now());
  }
  for (const auto id : overdue) close(id, "has not proven who it is in time");
}

void ConnectionGate::accept_all() {
  for (;;) {
    Accepted accepted = accept_from(listener_);
    if (accepted.socket.get() < 0) return;
    const int second = ::fcntl(accepted.socket.get(), F_DUPFD_CLOEXEC, 0);
    if (second < 0) return;
    const ConnectionTable::Id id = ++last_id_;
    poll_.add(accepted.socket.get(), id, false, false);  // only its end is of interest
    watched_.emplace(id, Watched{.socket = std::move(accepted.socket), .peer = accepted.peer});
    std::vector<ConnectionTable::Id> crowded_out;
    {
      const std::lock_guard lock(mutex_);
      crowded_out = table_.add(id, accepted.peer, std::chrono::steady_clock::now());
    }
    hand_over_(second);
    for (const auto other : crowded_out) close(other, "gave way: too many connections");
  }
}

void ConnectionGate::close(ConnectionTable::Id id, const char* why) {
  const auto found = watched_.find(id);
  if (found == watched_.end()) return;
  bool was_pending = false;
  {
    const std::lock_guard lock(mutex_);
    const std::size_t before = table_.pending();
    table_.remove(id);
    was_pending = table_.pending() < before;
  }
  if (was_pending) log_(fmt::format("a connection from {} {}", to_string(found->second.peer), why));
  (void)::shutdown(found->second.socket.get(), SHUT_RDWR);
  poll_.remove(found->second.socket.get());
  watched_.erase(found);
}

void ConnectionGate::admit(const HostPort& peer) {
  const std::lock_guard lock(mutex_);
  table_.admit(peer);
}

std::size_t ConnectionGate::size() const {
  const std::lock_guard lock(mutex_);
  return table_.size();
}

}  // namespace megascale::secure
