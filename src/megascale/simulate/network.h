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

// The transfers between islands. What it does before a horizon depends on what members joined up to
// one latency before that, so it runs ahead of the islands by that much.
class Network {
 public:
  explicit Network(const Job& job);

  void join(const RemoteJoin& join);
  // `deliver(rank, event)` with the rank of the job and NetworkEvent::rank left to the caller; in
  // the order of the events' times.
  using Deliver = std::function<void(std::uint32_t rank, const NetworkEvent&)>;
  void run(double horizon, const Deliver& deliver);
  [[nodiscard]] double next() const noexcept;

 private:
  // Equal times: starts before ends, then by group.
  struct Event {
    enum class Kind : std::uint8_t { bytes_flow, transfer_done };
    double time = 0;
    Kind kind{};
    std::uint32_t group = 0;
    std::uint32_t version = 0;  // of an end: an older version was overtaken by a change of rates
    friend bool operator>(const Event& a, const Event& b) noexcept {
      return std::tie(a.time, a.kind, a.group) > std::tie(b.time, b.kind, b.group);
    }
  };
  struct Group {
    double joined = 0;  // when its last member so far came
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
