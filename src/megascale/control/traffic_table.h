#ifndef MEGASCALE_CONTROL_TRAFFIC_TABLE_H_
#define MEGASCALE_CONTROL_TRAFFIC_TABLE_H_

#include <cstdint>
#include <deque>
#include <map>
#include <string>

#include "megascale/control/messages.h"

namespace megascale::control {

// How many bytes the interfaces of the hosts move for each step of an attempt. Steps are periodic,
// so the traffic of a step should repeat. One thread.
class TrafficTable {
 public:
  static constexpr std::size_t kSamples = 24;                 // that are kept of each interface
  using Samples = std::map<std::string, std::deque<double>>;  // bytes a step, by interface

  // Another attempt begins.
  void clear() { hosts_.clear(); }
  // Takes a heartbeat of the attempt: its traffic since the one before, if steps were done meanwhile.
  void take(const Heartbeat& heartbeat);
  // By host.
  [[nodiscard]] const Samples& of(const std::string& host) const;

 private:
  struct Host {
    std::int64_t steps_done = -1;
    std::map<std::string, std::int64_t> bytes;  // received and sent, by interface
    Samples samples;
  };
  std::map<std::string, Host> hosts_;
};

}  // namespace megascale::control

#endif  // MEGASCALE_CONTROL_TRAFFIC_TABLE_H_
