#ifndef MEGASCALE_CONTROL_SECURE_CONNECTION_GATE_H_
#define MEGASCALE_CONTROL_SECURE_CONNECTION_GATE_H_

#include <functional>
#include <map>
#include <mutex>
#include <thread>

#include "megascale/comm/store/poll_set.h"
#include "megascale/control/secure/connection_table.h"
#include "megascale/control/secure/limited_log.h"

namespace megascale::secure {

// Accepts the connections of a server and hands them to whoever speaks with the peers. It keeps the
// limits of a ConnectionTable by shutting connections down, whatever the peer or the owner of the
// socket does. One thread.
class ConnectionGate {
 public:
  // Gets the socket of each new connection and owns it, on the gate's thread. It must not throw.
  using HandOver = std::function<void(int socket)>;
  ConnectionGate(FileHandle listener, const ConnectionLimits& limits, LimitedLog& log,
                 HandOver hand_over);
  ConnectionGate(const ConnectionGate&) = delete;
  ConnectionGate& operator=(const ConnectionGate&) = delete;
  ~ConnectionGate() = default;
  // The peer has proven who it is: its connection is no longer pending. Any thread.
  void admit(const HostPort& peer);
  [[nodiscard]] const FileHandle& listener() const noexcept { return listener_; }
  // Connections that are open now. Any thread.
  [[nodiscard]] std::size_t size() const;

 private:
  void run(const std::stop_token& stop) noexcept;
  void turn();
  void accept_all();
  void close(ConnectionTable::Id id, const char* why);

  FileHandle listener_;
  LimitedLog& log_;
  HandOver hand_over_;
  comm::PollSet poll_;
  mutable std::mutex mutex_;  // for table_
  ConnectionTable table_;
  struct Watched {
    FileHandle socket;  // the gate's own descriptor, to watch the connection and to end it
    HostPort peer;
  };
  std::map<ConnectionTable::Id, Watched> watched_;  // of the gate's thread
  ConnectionTable::Id last_id_ = 0;
  std::jthread thread_;
};

}  // namespace megascale::secure

#endif  // MEGASCALE_CONTROL_SECURE_CONNECTION_GATE_H_
