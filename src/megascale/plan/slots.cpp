// Simulates which slots are held while the events of a stage run in order. The first walk has no
// limit and finds the largest number of slots in use at once. The second walk has that number, plus
// one for each kind of transfer, and takes the slot that has been free for the longest time.
#include "megascale/plan/slots.h"

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <utility>

namespace megascale::plan {
namespace {

using parallel::StageEvent;
using parallel::Work;
using Kind = StageEvent::Kind;
using Unit = std::pair<std::uint16_t, std::uint16_t>;  // chunk, micro-batch

std::size_t at(SlotUse use) noexcept { return static_cast<std::size_t>(use); }

// Hands out the slots of one use. The slot that has been free for the longest time comes first.
class Pool {
 public:
  // If all slots are taken, the pool grows; count() then says how large it became.
  explicit Pool(std::uint32_t count = 0) : count_(count) {
    for (std::uint32_t i = 0; i < count; ++i) free_.push_back(static_cast<std::uint16_t>(i));
  }
  std::uint16_t take() {
    if (free_.empty()) free_.push_back(static_cast<std::uint16_t>(count_++));
    const std::uint16_t slot = free_.front();
    free_.pop_front();
    return slot;
  }
  void give_back(std::uint16_t slot) { free_.push_back(slot); }
  [[nodiscard]] std::uint32_t count() const noexcept { return count_; }

 private:
  std::uint32_t count_;
  std::deque<std::uint16_t> free_;
};

class Walk {
 public:
  Walk(std::span<const StageEvent> events, const SlotRules& rules)
      : events_(events), rules_(rules) {
    for (const StageEvent& event : events) {
      if (event.kind == Kind::send_forward) sends_forward_.insert(unit(event));
      if (event.kind == Kind::send_backward) sends_backward_.insert(unit(event));
      if (event.kind == Kind::receive_forward) receives_forward_.insert(unit(event));
    }
  }

  SlotAssignment run(const std::array<std::uint32_t, kTaskSlots>& counts) {
    for (std::size_t use = 0; use < kTaskSlots; ++use) pools_[use] = Pool(counts[use]);
    SlotAssignment result;
    for (const StageEvent& event : events_) {
      begin(event);
      result.by_event.push_back(held_[unit(event)]);
      end(event);
    }
    for (std::size_t use = 0; use < kTaskSlots; ++use) result.counts[use] = pools_[use].count();
    return result;
  }

 private:
  static Unit unit(const StageEvent& event) { return {event.item.chunk, event.item.micro_batch}; }

  void take(const StageEvent& event, SlotUse use) {
    held_[unit(event)][at(use)] = pools_[at(use)].take();
    taken_.insert({unit(event), use});
  }
  void give_back(const StageEvent& event, SlotUse use) {
    if (taken_.erase({unit(event), use}) != 0) {
      pools_[at(use)].give_back(held_[unit(event)][at(use)]);
    }
  }

  void begin(const StageEvent& event) {
    if (event.kind == Kind::receive_forward) take(event, SlotUse::receive_forward);
    if (event.kind == Kind::receive_backward) take(event, SlotUse::receive_backward);
    if (event.kind != Kind::work) return;
    if (event.item.work == Work::forward) {
      take(event, SlotUse::retained);
      if (rules_.inputs_as_received && !receives_forward_.contains(unit(event))) {
        take(event, SlotUse::receive_forward);
      }
      if (sends_forward_.contains(unit(event))) take(event, SlotUse::send_forward);
    }
    if (event.item.work == Work::backward && sends_backward_.contains(unit(event))) {
      take(event, SlotUse::send_backward);
    }
  }

  void end(const StageEvent& event) {
    if (event.kind == Kind::send_forward) give_back(event, SlotUse::send_forward);
    if (event.kind == Kind::send_backward) give_back(event, SlotUse::send_backward);
    if (event.kind != Kind::work) return;
    const Work last = rules_.forward_only              ? Work::forward
                      : rules_.splits_weight_gradients ? Work::weight_gradient
                                                       : Work::backward;
    if (event.item.work != last) return;
    for (const SlotUse use :
         {SlotUse::retained, SlotUse::receive_forward, SlotUse::receive_backward}) {
      give_back(event, use);
    }
  }

  std::span<const StageEvent> events_;
  const SlotRules& rules_;
  std::set<Unit> sends_forward_, sends_backward_, receives_forward_;
  std::array<Pool, kTaskSlots> pools_;
  std::map<Unit, SlotNumbers> held_;
  std::set<std::pair<Unit, SlotUse>> taken_;
};

}  // namespace

SlotAssignment assign_slots(std::span<const StageEvent> events, const SlotRules& rules) {
  auto counts = Walk(events, rules).run({}).counts;
  for (std::size_t use = 0; use < kTaskSlots; ++use) {
    if (static_cast<SlotUse>(use) != SlotUse::retained && counts[use] > 0) ++counts[use];
  }
  return Walk(events, rules).run(counts);
}

}  // namespace megascale::plan
