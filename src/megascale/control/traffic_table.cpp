#include "megascale/control/traffic_table.h"

#include <algorithm>

namespace megascale::control {

void TrafficTable::take(const Heartbeat& heartbeat) {
  std::int64_t steps_done = -1;
  for (const RankReport& rank : heartbeat.ranks) steps_done = std::max(steps_done, rank.steps_done);
  Host& host = hosts_[heartbeat.host];
  if (steps_done <= host.steps_done) return;  // the traffic counts to the next step that ends
  const bool begins = host.steps_done < 0;
  const auto steps = static_cast<double>(steps_done - host.steps_done);
  host.steps_done = steps_done;
  for (const InterfaceCounters& one : heartbeat.interfaces) {
    const std::int64_t bytes = one.received + one.sent;
    const auto [before, is_new] = host.bytes.try_emplace(one.name, bytes);
    const std::int64_t moved = bytes - before->second;
    before->second = bytes;
    if (begins || is_new || moved < 0) continue;  // a counter that was reset
    auto& samples = host.samples[one.name];
    samples.push_back(static_cast<double>(moved) / steps);
    if (samples.size() > kSamples) samples.pop_front();
  }
}

const TrafficTable::Samples& TrafficTable::of(const std::string& host) const {
  static const Samples kNone;
  const auto found = hosts_.find(host);
  return found == hosts_.end() ? kNone : found->second.samples;
}

}  // namespace megascale::control
