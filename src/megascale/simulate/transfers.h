#ifndef MEGASCALE_SIMULATE_TRANSFERS_H_
#define MEGASCALE_SIMULATE_TRANSFERS_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "megascale/simulate/job.h"

namespace megascale::simulate {

// Work that proceeds at a rate which changes only at events. Times are seconds.
struct Progress {
  double left = 0;  // seconds of work at rate 1 that were left at `since`
  double rate = 0;
  double since = 0;  // time of the last change

  void set_rate(double new_rate, double now) noexcept {
    left -= (now - since) * rate;
    if (left < 0) left = 0;
    since = now;
    rate = new_rate;
  }
  // Returns when the work ends if the rate stays as it is.
  [[nodiscard]] double end() const noexcept { return since + left / rate; }
};

// The transfers under way in a set of groups, and the links that they share. Each of n transfers on
// a link of a rank gets 1/n of it. A transfer that needs a processor is slowed by the speed of its
// rank's processor. A transfer is as fast as its slowest member. The members of a group take part
// in one transfer at a time, in four calls: join() by each member; begin() once all have joined and
// the latency is over; finish() at end_of(); take_parts(). One thread at a time.
class Transfers {
 public:
  // A rank's part of a transfer.
  struct Part {
    std::uint32_t rank = 0, lane = 0;  // numbered by the caller
    const OpCost* cost = nullptr;
  };

  // `members` is the number of members of each group.
  Transfers(std::size_t ranks, std::vector<std::uint32_t> members);

  // Adds a member to the group's next transfer. Returns whether it was the last one.
  [[nodiscard]] bool join(std::uint32_t group, const Part& part);
  [[nodiscard]] std::span<const Part> parts(std::uint32_t group) const noexcept {
    return groups_[group].parts;
  }
  [[nodiscard]] double latency_seconds(std::uint32_t group) const noexcept;
  [[nodiscard]] double end_of(std::uint32_t group) const noexcept {
    return groups_[group].flow.end();
  }

  // Returns the seconds in which the bytes of the group's transfer flow if nothing shares their links.
  [[nodiscard]] double seconds(std::uint32_t group) const noexcept;

  // `seconds` of the group's transfer begin to flow, or have all arrived. Both return the groups
  // whose end_of() has changed; the list is valid until the next call.
  std::span<const std::uint32_t> begin(std::uint32_t group, double seconds, double now);
  std::span<const std::uint32_t> finish(std::uint32_t group, double now);
  // Sets the speed of a rank's processor, which is 1 at first. Returns groups as begin() does.
  std::span<const std::uint32_t> set_speed(std::uint32_t rank, double speed, double now);
  // Lets the transfer, whose bytes flow, last at least `seconds` more at its present rate.
  void lengthen(std::uint32_t group, double seconds, double now) noexcept {
    Progress& flow = groups_[group].flow;
    flow.set_rate(flow.rate, now);
    flow.left = std::max(flow.left, seconds);
  }
  // Ends the transfer: the members may join the next one. Returns their parts, valid until the next
  // call of this function.
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
  // For each link of a rank: the groups whose transfers load it.
  using Flows = std::array<std::vector<std::uint32_t>, kLinkCount>;

  template <class Change>
  void change_load(std::uint32_t group, Change change);
  // Computes the rate of a group's transfer. Returns false if it has not changed.
  bool set_rate(std::uint32_t group, double now) noexcept;

  std::vector<Group> groups_;
  std::vector<Flows> flows_;             // for each rank
  std::vector<double> speed_;            // for each rank
  std::vector<std::uint32_t> affected_;  // result of begin(), finish() and set_speed()
  std::vector<Part> taken_;              // result of take_parts()
};

}  // namespace megascale::simulate

#endif  // MEGASCALE_SIMULATE_TRANSFERS_H_
