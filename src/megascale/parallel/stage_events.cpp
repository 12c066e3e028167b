#include "megascale/parallel/stage_events.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <tuple>

namespace megascale::parallel {
namespace {

using Kind = StageEvent::Kind;

// Where the output of an item goes; `produced` is left to the caller. Nothing when it stays.
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

struct Due {
  StageEvent event;
  bool is_send;
};

// The items of a stage with its transfers `due` between them.
std::vector<StageEvent> merge(const Schedule& schedule, const std::vector<ScheduleItem>& items,
                              const std::vector<Due>& due) {
  const auto index = [&](const ScheduleItem& item) {
    const std::size_t work = item.work == Work::forward ? 0 : 1;
    return (work * schedule.chunks + item.chunk) * schedule.micro_batches + item.micro_batch;
  };
  // How many of `due` an item needs before it, and brings with it.
  const std::size_t count = 2 * std::size_t{schedule.chunks} * schedule.micro_batches;
  std::vector<std::uint32_t> before(count, 0), with(count, 0);
  for (std::uint32_t i = 0; i < due.size(); ++i) {
    (due[i].is_send ? with : before)[index(due[i].event.item)] = i + 1;
  }
  std::vector<StageEvent> merged;
  std::uint32_t next = 0;
  const auto put_until = [&](std::uint32_t end) {
    for (; next < end; ++next) merged.push_back(due[next].event);
  };
  for (const ScheduleItem& item : items) {
    if (item.work != Work::weight_gradient) put_until(before[index(item)]);
    merged.push_back({Kind::work, item});
    if (item.work != Work::weight_gradient) put_until(with[index(item)]);
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
  std::sort(all.begin(), all.end(), [](const Transfer& a, const Transfer& b) {
    return std::tie(a.produced, a.from) < std::tie(b.produced, b.from);
  });
  return all;
}

std::string to_string(const StageEvent& event) {
  constexpr std::array<std::string_view, 5> kNames{"", "send_forward ", "receive_forward ",
                                                   "send_backward ", "receive_backward "};
  return fmt::format("{}{}", kNames[static_cast<std::size_t>(event.kind)], to_string(event.item));
}

std::vector<std::vector<StageEvent>> events(const Schedule& schedule) {
  std::vector<std::vector<Due>> due(schedule.stages);  // transfers, in the total order
  for (const Transfer& transfer : transfers(schedule)) {
    due[transfer.from].push_back({{send_kind(transfer), transfer.producer}, /*is_send=*/true});
    due[transfer.to].push_back({{receive_kind(transfer), transfer.consumer}, /*is_send=*/false});
  }
  std::vector<std::vector<StageEvent>> result;
  for (std::uint32_t stage = 0; stage < schedule.stages; ++stage) {
    result.push_back(merge(schedule, schedule.items[stage], due[stage]));
  }
  return result;
}

}  // namespace megascale::parallel
