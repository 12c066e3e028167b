#ifndef MEGASCALE_CONTROL_SECURE_CONNECTION_TABLE_H_
#define MEGASCALE_CONTROL_SECURE_CONNECTION_TABLE_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "megascale/control/secure/host_port.h"

namespace megascale::secure {

// How many connections a server keeps. A connection is pending until its peer has proven who it is.
struct ConnectionLimits {
  std::size_t in_total = 4096;
  std::size_t per_address = 1024;  // from one host
  std::size_t pending = 256;       // in total
  std::size_t pending_per_address = 64;
  std::chrono::milliseconds pending_for{10'000};  // then it is closed
};

// The open connections of a server, and which of them must give way. When there are too many pending
// ones, the oldest of the address with the most is closed, not the newest: a proper client proves its
// identity within milliseconds, so clients that only hold connections open cannot keep it out. A
// member's connection never gives way to a pending one. Not thread safe.
class ConnectionTable {
 public:
  using Id = std::uint64_t;
  using Time = std::chrono::steady_clock::time_point;
  explicit ConnectionTable(const ConnectionLimits& limits) : limits_(limits) {}

  // Adds a connection with an id larger than all before. Returns the connections to close, which may
  // include the new one. The caller removes them.
  [[nodiscard]] std::vector<Id> add(Id id, const HostPort& peer, Time now);
  // The peer has proven who it is.
  void admit(const HostPort& peer);
  void remove(Id id);
  // Returns the connections that have been pending for too long.
  [[nodiscard]] std::vector<Id> overdue(Time now) const;
  [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }
  [[nodiscard]] std::size_t pending() const noexcept { return pending_; }

 private:
  struct Entry {
    HostPort peer;
    Time since;
    bool pending = true;
  };
  struct Address {
    std::map<std::uint16_t, Id> ports;
    std::set<Id> pending;  // oldest first
  };
  [[nodiscard]] Address& busiest();
  ConnectionLimits limits_;
  std::map<Id, Entry> entries_;
  std::map<std::string, Address> addresses_;
  std::size_t pending_ = 0;
};

}  // namespace megascale::secure

#endif  // MEGASCALE_CONTROL_SECURE_CONNECTION_TABLE_H_
