#include "megascale/plan/slots.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>

namespace megascale::plan {
namespace {

using parallel::ScheduleItem;
using parallel::StageEvent;
using parallel::Work;
using EventKind = StageEvent::Kind;

std::size_t at(SlotUse use) { return static_cast<std::size_t>(use); }

// From the event that first needs a micro-batch's slot of a use to the one that last does.
struct Hold {
  std::size_t first = 0, last = 0;
  std::uint16_t slot = 0;
};
std::vector<Hold> holds(const std::vector<StageEvent>& events, const SlotAssignment& slots,
                        SlotUse use, Work last_work, bool inputs_as_received) {
  const auto is_received = [&](const ScheduleItem& item) {
    return std::any_of(events.begin(), events.end(), [&](const StageEvent& event) {
      return event.kind == EventKind::receive_forward && event.item.chunk == item.chunk &&
             event.item.micro_batch == item.micro_batch;
    });
  };
  const auto begins = [&](const StageEvent& event) {
    switch (use) {
      case SlotUse::receive_forward:
        return event.kind == EventKind::receive_forward ||
               (inputs_as_received && event.kind == EventKind::work &&
                event.item.work == Work::forward && !is_received(event.item));
      case SlotUse::receive_backward:
        return event.kind == EventKind::receive_backward;
      case SlotUse::send_backward:
        return event.kind == EventKind::work && event.item.work == Work::backward;
      default:
        return event.kind == EventKind::work && event.item.work == Work::forward;
    }
  };
  const auto ends = [&](const StageEvent& event) {
    if (use == SlotUse::send_forward) return event.kind == EventKind::send_forward;
    if (use == SlotUse::send_backward) return event.kind == EventKind::send_backward;
    return event.kind == EventKind::work && event.item.work == last_work;
  };
  std::vector<Hold> found;
  for (std::size_t last = 0; last < events.size(); ++last) {
    if (!ends(events[last])) continue;
    for (std::size_t first = 0; first <= last; ++first) {
      const ScheduleItem &a = events[first].item, &b = events[last].item;
      if (a.chunk != b.chunk || a.micro_batch != b.micro_batch) continue;
      if (!begins(events[first])) continue;
      found.push_back({first, last, slots.by_event[last][at(use)]});
      for (std::size_t i = first; i <= last; ++i) {  // all that use it name it
        const ScheduleItem& c = events[i].item;
        if (c.chunk == a.chunk && c.micro_batch == a.micro_batch) {
          EXPECT_EQ(slots.by_event[i][at(use)], found.back().slot);
        }
      }
      break;
    }
  }
  std::sort(found.begin(), found.end(),
            [](const Hold& a, const Hold& b) { return a.first < b.first; });
  return found;
}

void expect_right(const std::vector<StageEvent>& events, const SlotRules& rules) {
  const SlotAssignment slots = assign_slots(events, rules);
  ASSERT_EQ(slots.by_event.size(), events.size());
  const Work last = rules.forward_only              ? Work::forward
                    : rules.splits_weight_gradients ? Work::weight_gradient
                                                    : Work::backward;
  for (std::size_t u = 0; u < kTaskSlots; ++u) {
    const auto use = static_cast<SlotUse>(u);
    const auto found = holds(events, slots, use, last, rules.inputs_as_received);
    std::size_t most = 0;
    for (const Hold& a : found) {
      EXPECT_LT(a.slot, slots.counts[u]);
      std::size_t together = 0;
      for (const Hold& b : found) {
        if (a.first < b.first || b.last <= a.first) {
          if (&a != &b && a.first != b.first) continue;
        }
        ++together;
        EXPECT_TRUE(&a == &b || a.slot != b.slot) << "use " << u << " slot " << a.slot;
      }
      most = std::max(most, together);
    }
    const bool spare = use != SlotUse::retained && most > 0;
    EXPECT_EQ(slots.counts[u], most + (spare ? 1 : 0)) << "use " << u;
    // First in, first out: a hold takes the slot that was free for the longest time.
    std::deque<std::uint16_t> free;
    for (std::uint16_t s = 0; s < slots.counts[u]; ++s) free.push_back(s);
    for (std::size_t event = 0; event < events.size(); ++event) {
      for (const Hold& hold : found) {
        if (hold.first != event) continue;
        ASSERT_FALSE(free.empty());
        EXPECT_EQ(hold.slot, free.front()) << "use " << u << " event " << event;
        free.pop_front();
      }
      for (const Hold& hold : found) {
        if (hold.last == event) free.push_back(hold.slot);
      }
    }
  }
}

std::vector<StageEvent> forwards_of(const std::vector<StageEvent>& events) {
  std::vector<StageEvent> kept;
  for (const StageEvent& event : events) {
    const bool work = event.kind == EventKind::work && event.item.work == Work::forward;
    if (work || event.kind == EventKind::send_forward || event.kind == EventKind::receive_forward) {
      kept.push_back(event);
    }
  }
  return kept;
}

TEST(SlotsTest, NoTwoMicroBatchesAtOnceTakenInTurnAndTransfersHaveASpare) {
  int schedules = 0;
  for (const char* name : {"gpipe", "1f1b", "interleaved", "zb-h1"}) {
    for (const std::uint32_t stages : {1U, 2U, 3U, 4U}) {
      for (const std::uint32_t chunks : {1U, 2U, 3U}) {
        if (chunks > 1 && (stages == 1 || name != std::string("interleaved"))) continue;
        for (const std::uint32_t micro_batches : {stages, 2 * stages, 12U}) {
          const auto schedule = parallel::schedule_by_name(name, stages, chunks, micro_batches);
          for (const auto& events : parallel::events(schedule)) {
            SCOPED_TRACE(::testing::Message() << name << " stages " << stages << " chunks "
                                              << chunks << " micro-batches " << micro_batches);
            const bool splits = schedule.splits_weight_gradients;
            expect_right(events, {.splits_weight_gradients = splits});
            expect_right(events, {.splits_weight_gradients = splits, .inputs_as_received = true});
            expect_right(forwards_of(events),
                         {.splits_weight_gradients = splits, .forward_only = true});
            ++schedules;
          }
        }
      }
    }
  }
  EXPECT_GT(schedules, 100);
}

// The numbers of 1F1B by hand: stage i of p holds p - i micro-batches.
TEST(SlotsTest, OneForwardOneBackwardRetainsWhatIsInFlight) {
  const auto events = parallel::events(parallel::one_forward_one_backward(4, 8));
  for (std::uint32_t stage = 0; stage < 4; ++stage) {
    const SlotAssignment slots = assign_slots(events[stage], {});
    EXPECT_EQ(slots.counts[at(SlotUse::retained)], 4 - stage);
    // Held as long, and a stage in the middle has received the next one early; and the spare.
    const std::uint32_t early = stage == 3 ? 0 : 1;
    EXPECT_EQ(slots.counts[at(SlotUse::receive_forward)], stage == 0 ? 0U : 5 - stage + early);
    EXPECT_EQ(slots.counts[at(SlotUse::send_backward)], stage == 0 ? 0U : 2U);
    EXPECT_EQ(slots.counts[at(SlotUse::send_forward)], stage == 3 ? 0U : 2U);
  }
}

}  // namespace
}  // namespace megascale::plan
