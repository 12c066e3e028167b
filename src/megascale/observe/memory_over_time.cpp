// The uses of every copy of a buffer, in the order of time, are cut into lifetimes. Each lifetime adds its
// bytes at its begin and takes them away at its end.
#include "megascale/observe/memory_over_time.h"

#include <algorithm>
#include <map>
#include <utility>

namespace megascale::observe {
namespace {

using plan::Category;

bool outlives_steps(Category category) noexcept {
  switch (category) {
    case Category::parameters:
    case Category::masters:
    case Category::main_gradients:
    case Category::optimizer_state:
    case Category::caches:
      return true;
    default:
      return false;
  }
}

struct Use {
  std::int64_t start_ns = 0, done_ns = 0;
  bool overwrites = false;
};
using Copy = std::pair<plan::BufferId, std::uint32_t>;  // buffer, number of the slot

plan::BufferId owner_of(const plan::StepPlan& plan, plan::BufferId id) {
  while (plan.buffer(id).view_of != plan::kNoBuffer) id = plan.buffer(id).view_of;
  return id;
}

std::uint32_t slot_of(const plan::Task& task, plan::SlotUse use) {
  if (use == plan::SlotUse::none) return 0;
  if (use == plan::SlotUse::micro_batch) return task.micro_batch;
  return task.slots[static_cast<std::size_t>(use)];
}

std::map<Copy, std::vector<Use>> uses_of(const plan::StepPlan& plan,
                                         std::span<const TaskRecord> records) {
  std::map<Copy, std::vector<Use>> uses;
  for (std::size_t id = 0; id < records.size(); ++id) {
    if (records[id].done_ns == 0) continue;
    const plan::Task& task = plan.tasks()[id];
    for (const plan::Operand& operand : plan.op(task).operands) {
      if (operand.buffer == plan::kNoBuffer) continue;
      const plan::BufferId owner = owner_of(plan, operand.buffer);
      if (outlives_steps(plan.buffer(owner).category)) continue;
      uses[{owner, slot_of(task, plan.buffer(owner).slot_use)}].push_back(
          {.start_ns = records[id].start_ns,
           .done_ns = records[id].done_ns,
           .overwrites = plan::StepPlan::access(task, operand) == graph::Access::write});
    }
  }
  return uses;
}

// Bytes that are added (or taken away) at a time, by category.
using Changes = std::map<std::int64_t, std::array<std::int64_t, plan::kCategoryCount>>;

void add_lifetimes(std::vector<Use>& uses, Category category, std::uint64_t nbytes,
                   Changes& changes) {
  std::ranges::sort(uses, {}, &Use::start_ns);
  const auto c = static_cast<std::size_t>(category);
  const auto close = [&](std::int64_t begin, std::int64_t end) {
    changes[begin][c] += static_cast<std::int64_t>(nbytes);
    changes[end][c] -= static_cast<std::int64_t>(nbytes);
  };
  std::int64_t begin = uses.front().start_ns, end = uses.front().done_ns;
  for (const Use& use : uses) {
    // Parts of one value are written one after the other: only a write after the last use begins
    // another value.
    if (use.overwrites && use.start_ns > end) {
      close(begin, end);
      begin = use.start_ns;
    }
    end = std::max(end, use.done_ns);
  }
  close(begin, end);
}

}  // namespace

MemoryOverTime memory_over_time(const plan::StepPlan& plan, std::span<const TaskRecord> records,
                                std::size_t most_points) {
  Changes changes;
  for (auto& [copy, uses] : uses_of(plan, records)) {
    const plan::Buffer& buffer = plan.buffer(copy.first);
    add_lifetimes(uses, buffer.category, buffer.nbytes, changes);
  }
  std::array<std::int64_t, plan::kCategoryCount> now{};
  for (const plan::Buffer& buffer : plan.buffers()) {
    if (buffer.view_of == plan::kNoBuffer && outlives_steps(buffer.category))
      now[static_cast<std::size_t>(buffer.category)] +=
          static_cast<std::int64_t>(buffer.nbytes * buffer.slot_count);
  }
  const std::size_t each = changes.size() / std::max<std::size_t>(most_points, 1) + 1;
  MemoryOverTime memory;
  std::size_t number = 0;
  for (const auto& [time, change] : changes) {
    const bool is_new = number++ % each == 0;
    if (is_new) memory.times_ns.push_back(time);
    for (std::size_t c = 0; c < now.size(); ++c) {
      now[c] += change[c];
      const auto nbytes = static_cast<std::uint64_t>(now[c]);
      if (is_new) {
        memory.nbytes[c].push_back(nbytes);
      } else {
        memory.nbytes[c].back() = std::max(memory.nbytes[c].back(), nbytes);
      }
    }
  }
  return memory;
}

}  // namespace megascale::observe
