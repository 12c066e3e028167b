// Tasks are done nearly in the order of their numbers, so the borders between done and not done are
// few, although a plan may have ten thousands of tasks.
#include "megascale/base/rank_position.h"

#include <algorithm>

namespace megascale {
namespace {

bool ascends_below(const std::vector<std::uint32_t>& numbers, std::uint32_t end) {
  const auto not_less = [](std::uint32_t a, std::uint32_t b) { return a >= b; };
  return std::adjacent_find(numbers.begin(), numbers.end(), not_less) == numbers.end() &&
         (numbers.empty() || numbers.back() < end);
}

}  // namespace

void set_records(RankPosition& position, std::span<const TaskRecord> records) {
  position.tasks = static_cast<std::uint32_t>(records.size());
  bool done = false;
  for (std::uint32_t task = 0; task < position.tasks; ++task) {
    const TaskRecord& record = records[task];
    if ((record.done_ns != 0) != done) {
      position.done.push_back(task);
      done = !done;
    }
    if (done || record.start_ns == 0) continue;
    position.started.push_back(task);
    if (record.matched_ns != 0) position.matched.push_back(task);
  }
}

std::optional<std::vector<TaskRecord>> records_of(const RankPosition& position) {
  if (!ascends_below(position.done, position.tasks) ||
      !ascends_below(position.started, position.tasks) ||
      !ascends_below(position.matched, position.tasks))
    return std::nullopt;
  std::vector<TaskRecord> records(position.tasks);
  for (std::size_t i = 0; i < position.done.size(); i += 2) {
    const auto end = i + 1 < position.done.size() ? position.done[i + 1] : position.tasks;
    for (auto task = position.done[i]; task < end; ++task)
      records[task] = {.head_ns = 1, .start_ns = 1, .matched_ns = 1, .done_ns = 1};
  }
  for (const std::uint32_t task : position.started) records[task].start_ns = 1;
  for (const std::uint32_t task : position.matched) records[task].matched_ns = 1;
  return records;
}

}  // namespace megascale
