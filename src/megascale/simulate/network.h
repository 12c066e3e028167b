#ifndef MEGASCALE_SIMULATE_NETWORK_H_
#define MEGASCALE_SIMULATE_NETWORK_H_

#include <cstdint>
#include <functional>
#include <queue>
#include <span>
#include <tuple>
#include <vector>

#include "megascale/simulate/island.h"
#include "megascale/simulate/transfers.h"

namespace megascale::simulate {

// The transfers between islands (islands.h) in simulated time. A member that joins a transfer now
// affects others only after the transfer's latency. The network can therefore run ahead of the
// islands by the shortest latency. All times are seconds since the start. One thread at a time.
class Network {
 public:
  explicit Network(const Job& job);

  // A rank takes part in a transfer from join.time on.
  void join(const RemoteJoin& join);
  // Called with the rank of the job and an event for it, in the order of the events' times. The
  // caller sets NetworkEvent::rank, the rank's place in its island.
  using Deliver = std::function<void(std::uint32_t rank, const NetworkEvent&)>;
  // Runs all events before `horizon`.
  void run(double horizon, const Deliver& deliver);
  // Returns the time of the next event; infinite if there is none.
  [[nodiscard]] double next() const noexcept;

 private:
  // Events at equal times are ordered: starts before ends, then by group number.
  struct Event {
    enum class Kind : std::uint8_t { bytes_flow, transfer_done };
    double time = 0;
    Kind kind{};
    std::uint32_t group = 0;
    // For ends: the event is stale if the group's version has risen since, because rates changed.
    std::uint32_t version = 0;
    friend bool operator>(const Event& a, const Event& b) noexcept {
      return std::tie(a.time, a.kind, a.group) > std::tie(b.time, b.kind, b.group);
    }
  };
  struct Group {
    double joined = 0;  // when the latest member joined
    std::uint32_t version = 0;
  };

  void start_flow(std::uint32_t group, double now, const Deliver& deliver);
  void finish_transfer(std::uint32_t group, double now, const Deliver& deliver);
  void reschedule(std::span<const std::uint32_t> groups);
  void drop_overtaken() noexcept;

  std::vector<Group> groups_;
  Transfers transfers_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
};

}  // namespace megascale::simulate

#endif  // MEGASCALE_SIMULATE_NETWORK_H_
