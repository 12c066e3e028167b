// Places sends and receives between the items of a schedule. If two stages issued the transfers
// that they share in different orders, they could deadlock. So all transfers are sorted into one
// total order, and every stage issues its own in this order. The order is that in which a replay
// with the default Durations produces them. With the option `joined` the replay is repeated with
// pairs of items; a pair, or an item without a partner, takes one unit.
#include "megascale/parallel/stage_events.h"

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <tuple>

namespace megascale::parallel {
namespace {

using Kind = StageEvent::Kind;

// Returns the transfer of an item's output, with `produced` not yet set. Returns nothing if the
// output stays on its stage.
std::optional<Transfer> transfer_from(const Schedule& schedule, std::uint32_t stage,
                                      const ScheduleItem& item) {
  if (schedule.stages == 1 || item.work == Work::weight_gradient) return std::nullopt;
  const std::uint32_t chunk = schedule.global_chunk(stage, item.chunk);
  const bool forward = item.work == Work::forward;
  if (chunk == (forward ? schedule.global_chunks() - 1 : 0)) return std::nullopt;
  const std::uint32_t to_chunk = forward ? chunk + 1 : chunk - 1;
  ScheduleItem consumer = item;
  consumer.chunk = static_cast<std::uint16_t>(to_chunk / schedule.stages);
  return Transfer{stage, to_chunk % schedule.stages, item, consumer, 0};
}

Kind send_kind(const Transfer& transfer) {
  return transfer.producer.work == Work::forward ? Kind::send_forward : Kind::send_backward;
}
Kind receive_kind(const Transfer& transfer) {
  return transfer.producer.work == Work::forward ? Kind::receive_forward : Kind::receive_backward;
}

// A send or a receive of one stage, which merge() must place.
struct Due {
  StageEvent event;
  bool is_send;
  Ticks produced;
};

// Consecutive items of a stage without a transfer between them.
struct Round {
  std::size_t first = 0, count = 1;
};
using Rounds = std::vector<std::vector<Round>>;  // for each stage

Rounds single_rounds(const Schedule& schedule) {
  Rounds rounds(schedule.stages);
  for (std::uint32_t stage = 0; stage < schedule.stages; ++stage) {
    for (std::size_t i = 0; i < schedule.items[stage].size(); ++i)
      rounds[stage].push_back({.first = i});
  }
  return rounds;
}

Rounds paired_rounds(const Schedule& schedule) {
  Rounds rounds(schedule.stages);
  for (std::uint32_t stage = 0; stage < schedule.stages; ++stage) {
    const auto& items = schedule.items[stage];
    for (std::size_t i = 0; i < items.size();) {
      const bool pair = items[i].work == Work::forward && i + 1 < items.size() &&
                        items[i + 1].work == Work::backward;
      rounds[stage].push_back({.first = i, .count = pair ? 2U : 1U});
      i += rounds[stage].back().count;
    }
  }
  return rounds;
}

using ItemKey = std::tuple<std::uint32_t, Work, std::uint16_t, std::uint16_t>;
ItemKey key(std::uint32_t stage, const ScheduleItem& item) {
  return {stage, item.work, item.chunk, item.micro_batch};
}

// Sets the time when each transfer is produced if every round takes 1. Returns false if the rounds
// do not complete; `all` is then only partly set.
bool replay_rounds(const Schedule& schedule, const Rounds& rounds, std::vector<Transfer>& all) {
  std::map<ItemKey, std::vector<ItemKey>> inputs;
  for (const Transfer& transfer : all)
    inputs[key(transfer.to, transfer.consumer)].push_back(key(transfer.from, transfer.producer));
  std::map<ItemKey, Ticks> ends;
  std::vector<std::size_t> next(schedule.stages, 0);
  std::vector<Ticks> now(schedule.stages, 0);
  // Returns when the next round of a stage can start; nothing if one of its inputs is not made yet.
  const auto start_of = [&](std::uint32_t stage) -> std::optional<Ticks> {
    Ticks start = now[stage];
    const Round& round = rounds[stage][next[stage]];
    for (std::size_t i = round.first; i < round.first + round.count; ++i) {
      const auto needed = inputs.find(key(stage, schedule.items[stage][i]));
      if (needed == inputs.end()) continue;
      for (const ItemKey& input : needed->second) {
        const auto made = ends.find(input);
        if (made == ends.end()) return std::nullopt;
        start = std::max(start, made->second);
      }
    }
    return start;
  };
  for (bool progress = true; progress;) {
    progress = false;
    for (std::uint32_t stage = 0; stage < schedule.stages; ++stage) {
      while (next[stage] < rounds[stage].size()) {
        const auto start = start_of(stage);
        if (!start) break;
        const Round& round = rounds[stage][next[stage]++];
        now[stage] = *start + 1;
        for (std::size_t i = round.first; i < round.first + round.count; ++i)
          ends[key(stage, schedule.items[stage][i])] = now[stage];
        progress = true;
      }
    }
  }
  for (Transfer& transfer : all) {
    const auto made = ends.find(key(transfer.from, transfer.producer));
    if (made == ends.end()) return false;
    transfer.produced = made->second;
  }
  return true;
}

// Sorts by the time of production, then by the producing stage. If a stage produces a pair at the
// same time, the transfer of the forward comes first.
void sort_by_production(std::vector<Transfer>& all) {
  std::sort(all.begin(), all.end(), [](const Transfer& a, const Transfer& b) {
    return std::tie(a.produced, a.from, a.producer.work) <
           std::tie(b.produced, b.from, b.producer.work);
  });
}

// Places the transfers `due` of one stage between its rounds. `times` are those of the items in the
// replay that ordered the transfers, if receives are prompt; else it is empty.
std::vector<StageEvent> merge(const Schedule& schedule, const std::vector<ScheduleItem>& items,
                              const std::vector<Round>& rounds, const std::vector<Due>& due,
                              std::span<const ItemTime> times) {
  const auto index = [&](const ScheduleItem& item) {
    const std::size_t work = item.work == Work::forward ? 0 : 1;
    return (work * schedule.chunks + item.chunk) * schedule.micro_batches + item.micro_batch;
  };
  // For each item: how many entries of `due` must stand before it (up to its receive), and how many
  // must have been placed once it is done (up to its send).
  const std::size_t count = 2 * std::size_t{schedule.chunks} * schedule.micro_batches;
  std::vector<std::uint32_t> before(count, 0), with(count, 0);
  for (std::uint32_t i = 0; i < due.size(); ++i) {
    (due[i].is_send ? with : before)[index(due[i].event.item)] = i + 1;
  }
  std::vector<StageEvent> merged;
  std::uint32_t next = 0;
  const auto put_until = [&](const std::vector<std::uint32_t>& end, const ScheduleItem& item) {
    if (item.work == Work::weight_gradient) return;
    for (; next < end[index(item)]; ++next) merged.push_back(due[next].event);
  };
  for (const Round& round : rounds) {
    const auto of_round = std::span(items).subspan(round.first, round.count);
    while (!times.empty() && next < due.size() && !due[next].is_send &&
           due[next].produced <= times[round.first].start) {
      merged.push_back(due[next++].event);
    }
    for (const ScheduleItem& item : of_round) put_until(before, item);
    for (const ScheduleItem& item : of_round) merged.push_back({Kind::work, item});
    for (const ScheduleItem& item : of_round) put_until(with, item);
  }
  return merged;
}

}  // namespace

std::vector<Transfer> transfers(const Schedule& schedule) {
  const Replay times = replay(schedule);
  std::vector<Transfer> all;
  for (std::uint32_t stage = 0; stage < schedule.stages; ++stage) {
    for (std::size_t i = 0; i < schedule.items[stage].size(); ++i) {
      auto transfer = transfer_from(schedule, stage, schedule.items[stage][i]);
      if (!transfer) continue;
      transfer->produced = times.times[stage][i].end;
      all.push_back(*transfer);
    }
  }
  sort_by_production(all);
  return all;
}

std::vector<std::vector<StageEvent>> events(const Schedule& schedule, Exchanges exchanges) {
  std::vector<Transfer> all = transfers(schedule);
  Rounds rounds = single_rounds(schedule);
  if (exchanges == Exchanges::joined) {
    std::vector<Transfer> joined = all;
    Rounds pairs = paired_rounds(schedule);
    if (replay_rounds(schedule, pairs, joined)) {
      sort_by_production(joined);
      all = std::move(joined);
      rounds = std::move(pairs);
    }
  }
  // For each stage: its transfers, in the total order.
  std::vector<std::vector<Due>> due(schedule.stages);
  for (const Transfer& transfer : all) {
    due[transfer.from].push_back(
        {{send_kind(transfer), transfer.producer}, /*is_send=*/true, transfer.produced});
    due[transfer.to].push_back(
        {{receive_kind(transfer), transfer.consumer}, /*is_send=*/false, transfer.produced});
  }
  std::vector<std::vector<ItemTime>> times(schedule.stages);
  if (exchanges == Exchanges::prompt) times = replay(schedule).times;
  std::vector<std::vector<StageEvent>> result;
  for (std::uint32_t stage = 0; stage < schedule.stages; ++stage) {
    result.push_back(
        merge(schedule, schedule.items[stage], rounds[stage], due[stage], times[stage]));
  }
  return result;
}

}  // namespace megascale::parallel
