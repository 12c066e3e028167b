#ifndef MEGASCALE_SIMULATE_TRANSFERS_H_
#define MEGASCALE_SIMULATE_TRANSFERS_H_

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "megascale/simulate/job.h"

namespace megascale::simulate {

// Work that goes on at a rate which changes at events.
struct Progress {
  double left = 0;  // seconds at rate 1
  double rate = 0;
  double since = 0;  // when `left` was true

  void set_rate(double new_rate, double now) noexcept {
    left -= (now - since) * rate;
    if (left < 0) left = 0;
    since = now;
    rate = new_rate;
  }
  [[nodiscard]] double end() const noexcept { return since + left / rate; }
};

// The transfers under way in some groups and the links that they share: n transfers on a link of a
// rank get 1/n of it each, those that want a processor go at the speed that the rank's has, and a
// transfer goes as fast as its slowest member. A group's members
// take part in one transfer at a time: join(), then begin() once all have and the latency is over,
// then finish() at end_of(), then take_parts().
class Transfers {
 public:
  // A rank's part of a transfer.
  struct Part {
    std::uint32_t rank = 0, lane = 0;  // as the caller numbers them
    const OpCost* cost = nullptr;
  };

  // `members`: by group, how many there are.
  Transfers(std::size_t ranks, std::vector<std::uint32_t> members);

  // True: it was the last member.
  [[nodiscard]] bool join(std::uint32_t group, const Part& part);
  [[nodiscard]] std::span<const Part> parts(std::uint32_t group) const noexcept {
    return groups_[group].parts;
  }
  [[nodiscard]] double latency_seconds(std::uint32_t group) const noexcept;
  [[nodiscard]] double end_of(std::uint32_t group) const noexcept {
    return groups_[group].flow.end();
  }

  // Bytes flow, or have arrived. Both give the groups whose end_of() is another one now, valid
  // until the next call.
  std::span<const std::uint32_t> begin(std::uint32_t group, double now);
  std::span<const std::uint32_t> finish(std::uint32_t group, double now);
  // The processor of `rank` has this speed from now on (1 before). As begin().
  std::span<const std::uint32_t> set_speed(std::uint32_t rank, double speed, double now);
  // The members are free for the next transfer. Valid until the next call of this.
  [[nodiscard]] std::span<const Part> take_parts(std::uint32_t group) noexcept {
    taken_.clear();
    taken_.swap(groups_[group].parts);
    return taken_;
  }

 private:
  struct Group {
    std::uint32_t members = 0;
    std::vector<Part> parts;
    Progress flow;
  };
  using Flows = std::array<std::vector<std::uint32_t>, kLinkCount>;  // groups that load the link

  template <class Change>
  void change_load(std::uint32_t group, Change change);
  // False: it goes on as before.
  bool set_rate(std::uint32_t group, double now) noexcept;

  std::vector<Group> groups_;
  std::vector<Flows> flows_;   // by rank
  std::vector<double> speed_;  // by rank
  std::vector<std::uint32_t> affected_;
  std::vector<Part> taken_;
};

}  // namespace megascale::simulate

#endif  // MEGASCALE_SIMULATE_TRANSFERS_H_
