#include "megascale/parallel/stage_events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include "random_schedule.h"

namespace megascale::parallel {
namespace {

using ::testing::ElementsAre;
using Kind = StageEvent::Kind;

// Returns, for instance, "send_forward F3/1".
std::string describe(const StageEvent& event) {
  constexpr std::array<const char*, 5> kNames{"", "send_forward ", "receive_forward ",
                                              "send_backward ", "receive_backward "};
  return kNames[static_cast<std::size_t>(event.kind)] + to_string(event.item);
}
bool is_send(const StageEvent& event) {
  return event.kind == Kind::send_forward || event.kind == Kind::send_backward;
}
bool is_receive(const StageEvent& event) {
  return event.kind == Kind::receive_forward || event.kind == Kind::receive_backward;
}
std::uint32_t peer(const Schedule& schedule, std::uint32_t stage, Kind kind) {
  const bool next = kind == Kind::send_forward || kind == Kind::receive_backward;
  return (stage + (next ? 1 : schedule.stages - 1)) % schedule.stages;
}

// What both ends of a transfer agree on: direction, the global chunk that produces, micro-batch.
using Name = std::tuple<bool, std::uint32_t, std::uint32_t>;
Name name(const Schedule& schedule, std::uint32_t stage, const StageEvent& event) {
  const bool forward = event.kind == Kind::send_forward || event.kind == Kind::receive_forward;
  std::uint32_t chunk = schedule.global_chunk(stage, event.item.chunk);
  if (is_receive(event)) forward ? --chunk : ++chunk;
  return {forward, chunk, event.item.micro_batch};
}

// The items of every stage are the schedule's, and every input that crosses stages has exactly one
// send and one receive.
void expect_complete(const Schedule& schedule, const std::vector<std::vector<StageEvent>>& lists) {
  ASSERT_EQ(lists.size(), schedule.stages);
  std::map<Name, int> sends, receives, needed;
  for (std::uint32_t stage = 0; stage < schedule.stages; ++stage) {
    std::vector<ScheduleItem> items;
    for (const StageEvent& event : lists[stage]) {
      if (event.kind == Kind::work) items.push_back(event.item);
      if (is_send(event)) ++sends[name(schedule, stage, event)];
      if (is_receive(event)) ++receives[name(schedule, stage, event)];
    }
    EXPECT_EQ(items, schedule.items[stage]);
  }
  for (std::uint32_t g = 0; schedule.stages > 1 && g + 1 < schedule.global_chunks(); ++g) {
    for (std::uint32_t k = 0; k < schedule.micro_batches; ++k) {
      needed[{true, g, k}] = 1;
      needed[{false, g + 1, k}] = 1;
    }
  }
  EXPECT_EQ(sends, needed);
  EXPECT_EQ(receives, needed);
}

void expect_sends_after_producers_and_receives_before_consumers(
    const std::vector<std::vector<StageEvent>>& lists, bool receives_late) {
  for (const auto& list : lists) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (list[i].kind == Kind::work) continue;
      const StageEvent work{Kind::work, list[i].item};
      const auto at =
          static_cast<std::size_t>(std::find(list.begin(), list.end(), work) - list.begin());
      ASSERT_LT(at, list.size());
      if (is_send(list[i])) {
        EXPECT_LT(at, i) << describe(list[i]);
        // Nothing but receives in between: a send is not held back.
        for (std::size_t between = at + 1; between < i; ++between) {
          EXPECT_TRUE(is_receive(list[between])) << describe(list[between]);
        }
      } else {
        EXPECT_GT(at, i) << describe(list[i]);
        // As late as the order allows: the next event is the consumer, or a transfer in its turn.
        EXPECT_TRUE(!receives_late || i + 1 == at ||
                    (i + 1 < list.size() && list[i + 1].kind != Kind::work))
            << describe(list[i]);
      }
    }
  }
}

void expect_pairs_agree(const Schedule& schedule,
                        const std::vector<std::vector<StageEvent>>& lists) {
  const auto shared = [&](std::uint32_t stage, std::uint32_t with) {
    std::vector<Name> names;
    for (const StageEvent& event : lists[stage]) {
      if (event.kind != Kind::work && peer(schedule, stage, event.kind) == with) {
        names.push_back(name(schedule, stage, event));
      }
    }
    return names;
  };
  for (std::uint32_t a = 0; a < schedule.stages; ++a) {
    for (std::uint32_t b = 0; b < a; ++b) EXPECT_EQ(shared(a, b), shared(b, a)) << a << " " << b;
  }
}

// Stages that block on every event, with sends that wait for their receive, still complete.
void expect_completes_when_everything_blocks(const Schedule& schedule,
                                             const std::vector<std::vector<StageEvent>>& lists) {
  std::vector<std::size_t> next(schedule.stages, 0);
  const auto head = [&](std::uint32_t stage) {
    return next[stage] < lists[stage].size() ? &lists[stage][next[stage]] : nullptr;
  };
  for (bool moved = true; moved;) {
    moved = false;
    for (std::uint32_t stage = 0; stage < schedule.stages; ++stage) {
      while (head(stage) != nullptr) {
        const StageEvent& event = *head(stage);
        if (event.kind != Kind::work) {
          const std::uint32_t other = peer(schedule, stage, event.kind);
          const StageEvent* partner = head(other);
          if (partner == nullptr || partner->kind == Kind::work ||
              is_send(*partner) == is_send(event) ||
              name(schedule, other, *partner) != name(schedule, stage, event)) {
            break;
          }
          ++next[other];
        }
        ++next[stage];
        moved = true;
      }
    }
  }
  for (std::uint32_t stage = 0; stage < schedule.stages; ++stage) {
    EXPECT_EQ(next[stage], lists[stage].size())
        << "stage " << stage << " stops at " << describe(lists[stage][next[stage]]);
  }
}

void expect_good(const Schedule& schedule) {
  const auto lists = events(schedule);
  expect_complete(schedule, lists);
  expect_sends_after_producers_and_receives_before_consumers(lists, /*receives_late=*/true);
  expect_pairs_agree(schedule, lists);
  expect_completes_when_everything_blocks(schedule, lists);
  const auto joined = events(schedule, Exchanges::joined);
  expect_complete(schedule, joined);
  expect_pairs_agree(schedule, joined);
  expect_completes_when_everything_blocks(schedule, joined);
  const auto prompt = events(schedule, Exchanges::prompt);
  expect_complete(schedule, prompt);
  expect_sends_after_producers_and_receives_before_consumers(prompt, /*receives_late=*/false);
  expect_pairs_agree(schedule, prompt);
  expect_completes_when_everything_blocks(schedule, prompt);
}

TEST(Events, OfTwoStages) {
  const auto lists = events(one_forward_one_backward(2, 2));
  const auto texts = [&](std::size_t stage) {
    std::vector<std::string> result;
    for (const StageEvent& event : lists[stage]) result.push_back(describe(event));
    return result;
  };
  EXPECT_THAT(texts(0),
              ElementsAre("F0/0", "send_forward F0/0", "F1/0", "send_forward F1/0",
                          "receive_backward B0/0", "B0/0", "receive_backward B1/0", "B1/0"));
  EXPECT_THAT(texts(1), ElementsAre("receive_forward F0/0", "F0/0", "B0/0",
                                    // F1 was produced before B0: its transfer comes first.
                                    "receive_forward F1/0", "send_backward B0/0", "F1/0", "B1/0",
                                    "send_backward B1/0"));
}

TEST(Events, ChunksGoAroundTheEnd) {
  for (const Transfer& transfer : transfers(interleaved(3, 2, 3))) {
    const bool forward = transfer.producer.work == Work::forward;
    EXPECT_EQ(transfer.to, (transfer.from + (forward ? 1 : 2)) % 3);
    EXPECT_EQ(transfer.producer.work, transfer.consumer.work);
    EXPECT_EQ(transfer.producer.micro_batch, transfer.consumer.micro_batch);
    const bool wraps = transfer.from == (forward ? 2U : 0U);
    EXPECT_EQ(transfer.consumer.chunk - transfer.producer.chunk, wraps ? (forward ? 1 : -1) : 0);
  }
}

TEST(Events, TransfersAreInTheOrderOfTheirProduction) {
  const auto all = transfers(interleaved(4, 3, 8));
  ASSERT_EQ(all.size(), 2U * (4 * 3 - 1) * 8);
  for (std::size_t i = 1; i < all.size(); ++i) {
    EXPECT_LT(std::tie(all[i - 1].produced, all[i - 1].from),
              std::tie(all[i].produced, all[i].from));
  }
}

// Joined: in the steady phase nothing stands inside a pair, and what stands between two pairs is
// what the first made and what the second needs.
TEST(Events, JoinedExchangesStandBetweenPairs) {
  const Schedule schedule = interleaved(4, 2, 8);
  const auto lists = events(schedule, Exchanges::joined);
  int pairs = 0;
  for (const std::vector<StageEvent>& list : lists) {
    for (std::size_t i = 0; i + 1 < list.size(); ++i) {
      if (list[i].kind != Kind::work || list[i].item.work != Work::forward) continue;
      std::size_t next = i + 1;
      while (next < list.size() && list[next].kind != Kind::work) ++next;
      if (next == list.size() || list[next].item.work != Work::backward) continue;
      ++pairs;
      EXPECT_EQ(next, i + 1) << describe(list[i]);
    }
  }
  EXPECT_GT(pairs, 4);
}

// Prompt: the stage before takes a gradient between two of its other items, so that the stage that
// made it goes on with its weight gradient.
TEST(Events, PromptReceivesStandWhereTheTensorIsMade) {
  const auto position = [](Exchanges exchanges) {
    const auto lists = events(zero_bubble_h1(3, 6), exchanges);
    const auto& list = lists[1];
    const auto receive = std::find_if(list.begin(), list.end(), [](const StageEvent& event) {
      return event.kind == Kind::receive_backward && event.item.micro_batch == 3;
    });
    const StageEvent consumer{Kind::work, receive->item};
    return std::count_if(receive, std::find(receive, list.end(), consumer),
                         [](const StageEvent& event) { return event.kind == Kind::work; });
  };
  EXPECT_EQ(position(Exchanges::apart), 0);
  EXPECT_EQ(position(Exchanges::prompt), 1) << "a forward stands in between";
}

TEST(Events, OneStageHasNoTransfers) {
  EXPECT_TRUE(transfers(interleaved(1, 3, 4)).empty());
  EXPECT_EQ(events(interleaved(1, 3, 4))[0].size(), 2U * 3 * 4);
}

TEST(Events, OfBuiltInSchedules) {
  for (std::uint32_t p = 1; p <= 8; ++p) {
    for (const std::uint32_t m : {1U, 2U, 3U, 7U, 8U, 16U}) {
      SCOPED_TRACE(::testing::Message() << "p=" << p << " m=" << m);
      expect_good(gpipe(p, m));
      expect_good(one_forward_one_backward(p, m));
      expect_good(zero_bubble_h1(p, m));
      for (std::uint32_t v = 2; v <= 4; ++v) expect_good(interleaved(p, v, p * (m % 4 + 1)));
    }
  }
}

TEST(Events, OfRandomSchedules) {
  for (std::uint32_t seed = 0; seed < 500; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    expect_good(random_schedule(random));
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace megascale::parallel
