// Builds the known pipeline schedules. 1F1B is the base: a warm-up of forwards, whose number
// depends on the stage, then forwards and backwards in turn. Interleaving changes the warm-up and
// the order of chunks; ZB-H1 inserts weight gradients into 1F1B.
#include "megascale/parallel/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "megascale/base/error.h"

namespace megascale::parallel {
namespace {

constexpr std::uint64_t kLargestSize = 1U << 16U;  // items store chunk and micro-batch in 16 bits

// Returns a schedule with checked sizes and without items.
Schedule sized(std::string name, std::uint32_t stages, std::uint32_t chunks,
               std::uint32_t micro_batches) {
  const std::string problem = size_problem(stages, chunks, micro_batches);
  if (!problem.empty()) {
    throw Error(ErrorCode::bad_usage, fmt::format("pipeline schedule {}: {}", name, problem));
  }
  Schedule schedule{std::move(name), stages, chunks, micro_batches, false, {}};
  schedule.items.resize(stages);
  return schedule;
}

ScheduleItem item(Work work, std::uint32_t micro_batch, std::uint32_t chunk = 0) {
  return {work, static_cast<std::uint16_t>(chunk), static_cast<std::uint16_t>(micro_batch)};
}

// Returns the k-th forward or backward of a stage in interleaved order: a group of `stages`
// micro-batches passes through one chunk, then the same group through the next chunk. Backwards
// pass through the chunks from last to first.
ScheduleItem interleaved_item(const Schedule& schedule, Work work, std::uint32_t k) {
  const std::uint32_t group = schedule.stages * schedule.chunks;
  const std::uint32_t step = k % group / schedule.stages;
  const std::uint32_t chunk = work == Work::forward ? step : schedule.chunks - 1 - step;
  return item(work, k / group * schedule.stages + k % schedule.stages, chunk);
}

}  // namespace

std::string to_string(const ScheduleItem& item) {
  constexpr std::string_view kLetters = "FBW";
  return fmt::format("{}{}/{}", kLetters[static_cast<std::size_t>(item.work)], item.micro_batch,
                     item.chunk);
}

std::string size_problem(std::uint64_t stages, std::uint64_t chunks, std::uint64_t micro_batches) {
  if (stages == 0 || chunks == 0 || micro_batches == 0) {
    return fmt::format(
        "expected at least 1 stage, chunk and micro-batch, found {} stages, {} chunks, {} "
        "micro-batches",
        stages, chunks, micro_batches);
  }
  if (stages > kLargestSize || chunks > kLargestSize || micro_batches > kLargestSize) {
    return fmt::format("expected at most {} stages, chunks and micro-batches, found {}, {} and {}",
                       kLargestSize, stages, chunks, micro_batches);
  }
  if (stages * chunks * micro_batches > kLargestSchedule) {
    return fmt::format("expected stages x chunks x micro-batches of at most {}, found {} x {} x {}",
                       kLargestSchedule, stages, chunks, micro_batches);
  }
  return "";
}

Schedule gpipe(std::uint32_t stages, std::uint32_t micro_batches) {
  Schedule schedule = sized("gpipe", stages, 1, micro_batches);
  for (auto& items : schedule.items) {
    for (const Work work : {Work::forward, Work::backward}) {
      for (std::uint32_t k = 0; k < micro_batches; ++k) items.push_back(item(work, k));
    }
  }
  return schedule;
}

Schedule one_forward_one_backward(std::uint32_t stages, std::uint32_t micro_batches) {
  Schedule schedule = sized("1f1b", stages, 1, micro_batches);
  for (std::uint32_t stage = 0; stage < stages; ++stage) {
    auto& items = schedule.items[stage];
    const std::uint32_t warmup = std::min(micro_batches, stages - 1 - stage);
    for (std::uint32_t k = 0; k < warmup; ++k) items.push_back(item(Work::forward, k));
    for (std::uint32_t k = 0; k < micro_batches; ++k) {
      if (warmup + k < micro_batches) items.push_back(item(Work::forward, warmup + k));
      items.push_back(item(Work::backward, k));
    }
  }
  return schedule;
}

Schedule interleaved(std::uint32_t stages, std::uint32_t chunks, std::uint32_t micro_batches) {
  if (chunks == 1) {
    Schedule schedule = one_forward_one_backward(stages, micro_batches);
    schedule.name = "interleaved";
    return schedule;
  }
  Schedule schedule = sized("interleaved", stages, chunks, micro_batches);
  if (micro_batches % stages != 0) {
    throw Error(
        ErrorCode::bad_usage,
        fmt::format("pipeline schedule interleaved: expected a number of micro-batches that "
                    "is a multiple of the {} stages, found {}",
                    stages, micro_batches));
  }
  const std::uint32_t count = chunks * micro_batches;
  for (std::uint32_t stage = 0; stage < stages; ++stage) {
    auto& items = schedule.items[stage];
    const std::uint32_t warmup = std::min(count, 2 * (stages - 1 - stage) + (chunks - 1) * stages);
    for (std::uint32_t k = 0; k < warmup; ++k) {
      items.push_back(interleaved_item(schedule, Work::forward, k));
    }
    for (std::uint32_t k = 0; k < count; ++k) {
      if (warmup + k < count) {
        items.push_back(interleaved_item(schedule, Work::forward, warmup + k));
      }
      items.push_back(interleaved_item(schedule, Work::backward, k));
    }
  }
  return schedule;
}

Schedule zero_bubble_h1(std::uint32_t stages, std::uint32_t micro_batches) {
  Schedule schedule = one_forward_one_backward(stages, micro_batches);
  schedule.name = "zb-h1";
  schedule.splits_weight_gradients = true;
  for (std::uint32_t stage = 0; stage < stages; ++stage) {
    std::vector<ScheduleItem> items;
    for (const ScheduleItem& each : schedule.items[stage]) {
      items.push_back(each);
      // Stage i runs p-1-i forwards in its warm-up and delays i weight gradients. With the current
      // micro-batch, p are in flight on every stage.
      if (each.work == Work::backward && each.micro_batch >= stage) {
        items.push_back(item(Work::weight_gradient, each.micro_batch - stage));
      }
    }
    for (std::uint32_t k = micro_batches - std::min(micro_batches, stage); k < micro_batches; ++k) {
      items.push_back(item(Work::weight_gradient, k));
    }
    schedule.items[stage] = std::move(items);
  }
  return schedule;
}

}  // namespace megascale::parallel
