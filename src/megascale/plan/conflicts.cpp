// Finds conflicts between tasks with a table of cells instead of a tree of byte intervals. The
// constructor lists the distinct byte ranges of the plan, cuts the arena at all their borders, and
// drops the cells in which no conflict is possible. Then each task costs one visit of the cells
// that it touches. The result is exact: no conflict is added and none is lost.
#include "megascale/plan/conflicts.h"

#include <algorithm>
#include <bit>
#include <unordered_map>

namespace megascale::plan {
namespace {

constexpr std::uint32_t kUnseen = ~0U;

// Returns the slot of the operand's buffer that the task uses.
std::uint32_t slot_of(const Task& task, SlotUse use) noexcept {
  if (use == SlotUse::none) return 0;
  if (use == SlotUse::micro_batch) return task.micro_batch;
  return task.slots[static_cast<std::size_t>(use)];
}

std::uint32_t carried_column(graph::Lane lane) noexcept {
  return static_cast<std::uint32_t>(graph::kLaneCount) + static_cast<std::uint32_t>(lane);
}

}  // namespace

Conflicts::Conflicts(const StepPlan& plan, const PlaceCover& cover,
                     std::span<const std::uint32_t> carried)
    : plan_(&plan), cover_(&cover) {
  list_operands();
  std::vector<ByteRange> ranges;
  find_sites(ranges);
  cut(ranges);
  mark(carried);
  find_reaching();
  for (const std::uint32_t id : carried) {
    const Task& task = plan.tasks()[id];
    for (const Sites& operand : operands_of(task.op)) {
      touch(carried_column(plan.op(task).lane), 1,
            sites_[operand.first + slot_of(task, operand.slot_use)], operand.writes);
    }
  }
}

std::span<const Conflicts::Sites> Conflicts::operands_of(OpIndex op) const {
  const std::uint32_t first = first_operand_[index(op)];
  return std::span(operands_).subspan(first, first_operand_[index(op) + 1] - first);
}

void Conflicts::list_operands() {
  std::array<std::uint32_t, kTaskSlots + 1> slots{};  // by use: largest slot number plus one
  for (const Task& task : plan_->tasks()) {
    for (std::size_t use = 0; use < slots.size(); ++use) {
      slots[use] = std::max(slots[use], slot_of(task, static_cast<SlotUse>(use)) + 1);
    }
  }
  std::uint32_t sites = 0;
  for (const PlanOp& op : plan_->ops()) {
    first_operand_.push_back(static_cast<std::uint32_t>(operands_.size()));
    for (const Operand& operand : op.operands) {
      if (operand.buffer == kNoBuffer) continue;
      const SlotUse use = plan_->buffer(operand.buffer).slot_use;
      const std::uint32_t count = use == SlotUse::none ? 1 : slots[static_cast<std::size_t>(use)];
      operands_.push_back({.operand = &operand,
                           .first = sites,
                           .count = count,
                           .slot_use = use,
                           .writes = operand.access != graph::Access::read});
      sites += count;
    }
  }
  first_operand_.push_back(static_cast<std::uint32_t>(operands_.size()));
  sites_.assign(sites, {.first_range = kUnseen});
}

// Fills the sites that tasks use, and lists their bytes: once, or for each place if they differ.
void Conflicts::find_sites(std::vector<ByteRange>& ranges) {
  for (const Task& task : plan_->tasks()) {
    for (const Sites& operand : operands_of(task.op)) {
      Site& site = sites_[operand.first + slot_of(task, operand.slot_use)];
      if (site.first_range != kUnseen) continue;
      site.first_range = static_cast<std::uint32_t>(ranges.size());
      site.varies = cover_->places.size() > 1 && cover_->varies(*operand.operand);
      for (const Coordinates& place : cover_->places) {
        ranges.push_back(cover_->range(*plan_, task, *operand.operand, place));
        if (!site.varies) break;
      }
    }
  }
}

void Conflicts::cut(const std::vector<ByteRange>& ranges) {
  // Many operands have the same borders, so each border is kept once.
  std::unordered_map<std::uint64_t, std::uint32_t> cell_from;
  for (const ByteRange& range : ranges) {
    cell_from.try_emplace(range.begin);
    cell_from.try_emplace(range.end);
  }
  std::vector<std::uint64_t> borders;
  for (const auto& [border, cell] : cell_from) borders.push_back(border);
  std::sort(borders.begin(), borders.end());
  for (std::uint32_t c = 0; c < borders.size(); ++c) cell_from[borders[c]] = c;
  ranges_.reserve(ranges.size());
  for (const ByteRange& range : ranges) {
    ranges_.push_back({cell_from.at(range.begin), cell_from.at(range.end)});
  }
  cells_.resize(borders.size());
}

bool Conflicts::reaches(const Site& site) const {
  if (site.first_range == kUnseen) return false;
  const std::size_t count = site.varies ? cover_->places.size() : 1;
  const auto ranges = std::span(ranges_).subspan(site.first_range, count);
  return std::any_of(ranges.begin(), ranges.end(),
                     [](const Cells& cells) { return cells.begin != cells.end; });
}

void Conflicts::find_reaching() {
  for (std::uint32_t op = 0; op < plan_->ops().size(); ++op) {
    first_reaching_.push_back(static_cast<std::uint32_t>(reaching_.size()));
    for (const Sites& operand : operands_of(OpIndex{op})) {
      const auto sites = std::span(sites_).subspan(operand.first, operand.count);
      if (std::any_of(sites.begin(), sites.end(), [&](const Site& s) { return reaches(s); })) {
        reaching_.push_back(operand);
      }
    }
  }
  first_reaching_.push_back(static_cast<std::uint32_t>(reaching_.size()));
}

void Conflicts::record(Entry& entry, std::uint32_t count, bool writes) {
  entry.accessed = count;
  if (writes) entry.written = count;
}

std::uint32_t Conflicts::in_conflict(const Entry& entry, bool writes) {
  return writes ? entry.accessed : entry.written;
}

// Finds the lanes that touch each cell, and keeps the cells in which a conflict is possible: two
// lanes touch them and one writes.
void Conflicts::mark(std::span<const std::uint32_t> carried) {
  struct Users {
    std::uint32_t columns = 0;  // one bit per column
    bool written = false, varies = false;
  };
  std::vector<Users> users(cells_.size());
  const auto use = [&](const Site& site, std::uint32_t column, bool writes) {
    const std::size_t ranges = site.varies ? cover_->places.size() : 1;
    for (std::size_t r = 0; r < ranges; ++r) {
      const Cells& cells = ranges_[site.first_range + r];
      for (std::uint32_t c = cells.begin; c < cells.end; ++c) {
        users[c].columns |= 1U << column;
        users[c].written = users[c].written || writes;
        users[c].varies = users[c].varies || site.varies;
      }
    }
  };
  for (std::uint32_t op = 0; op < plan_->ops().size(); ++op) {
    for (const Sites& operand : operands_of(OpIndex{op})) {
      for (const Site& site : std::span(sites_).subspan(operand.first, operand.count)) {
        if (site.first_range == kUnseen) continue;
        use(site, static_cast<std::uint32_t>(plan_->ops()[op].lane), operand.writes);
      }
    }
  }
  for (const std::uint32_t id : carried) {
    const Task& task = plan_->tasks()[id];
    for (const Sites& operand : operands_of(task.op)) {
      use(sites_[operand.first + slot_of(task, operand.slot_use)],
          carried_column(plan_->op(task).lane), operand.writes);
    }
  }
  std::vector<std::uint32_t> kept(cells_.size() + 1);
  std::vector<Cell> cells;
  for (std::size_t c = 0; c < users.size(); ++c) {
    kept[c] = static_cast<std::uint32_t>(cells.size());
    const auto width = static_cast<std::uint16_t>(std::popcount(users[c].columns));
    if (width < 2 || !users[c].written) continue;
    cells.push_back({.first_entry = static_cast<std::uint32_t>(entries_.size()),
                     .width = width,
                     .varies = users[c].varies});
    const std::size_t rows = users[c].varies ? 2 + cover_->places.size() : 1;
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::uint32_t column = 0; column < kColumns; ++column) {
        if ((users[c].columns >> column & 1U) != 0) entries_.push_back({.column = column});
      }
    }
  }
  kept.back() = static_cast<std::uint32_t>(cells.size());
  for (Cells& range : ranges_) range = {kept[range.begin], kept[range.end]};
  cells_ = std::move(cells);
}

void Conflicts::visit_all(const Cell& cell, std::uint32_t column, std::uint32_t count,
                          bool writes) {
  Entry* const some = &entries_[cell.first_entry];
  for (std::size_t i = 0; i < cell.width; ++i) {
    if (some[i].column == column) {
      record(some[i], count, writes);
      if (cell.varies) record(some[cell.width + i], count, writes);
    } else {
      std::uint32_t& found = found_[some[i].column];
      found = std::max(found, in_conflict(some[i], writes));
    }
  }
}

void Conflicts::visit_one(const Cell& cell, std::size_t place, std::uint32_t column,
                          std::uint32_t count, bool writes) {
  Entry* const some = &entries_[cell.first_entry];
  Entry* const all = some + cell.width;
  Entry* const here = all + (1 + place) * cell.width;
  for (std::size_t i = 0; i < cell.width; ++i) {
    if (some[i].column == column) {
      record(some[i], count, writes);
      record(here[i], count, writes);
    } else {
      std::uint32_t& found = found_[some[i].column];
      found = std::max({found, in_conflict(all[i], writes), in_conflict(here[i], writes)});
    }
  }
}

void Conflicts::touch(std::uint32_t column, std::uint32_t count, const Site& site, bool writes) {
  if (!site.varies) {
    const Cells& range = ranges_[site.first_range];
    for (std::uint32_t c = range.begin; c < range.end; ++c) {
      visit_all(cells_[c], column, count, writes);
    }
    return;
  }
  for (std::size_t place = 0; place < cover_->places.size(); ++place) {
    const Cells& range = ranges_[site.first_range + place];
    for (std::uint32_t c = range.begin; c < range.end; ++c) {
      visit_one(cells_[c], place, column, count, writes);
    }
  }
}

Conflicts::Latest Conflicts::next() {
  found_ = {};
  const Task& task = plan_->tasks()[next_task_++];
  const auto column = static_cast<std::uint32_t>(plan_->op(task).lane);
  const std::uint32_t count = ++issued_[column];
  const std::uint32_t first = first_reaching_[index(task.op)];
  const std::uint32_t end = first_reaching_[index(task.op) + 1];
  for (const Sites& operand : std::span(reaching_).subspan(first, end - first)) {
    touch(column, count, sites_[operand.first + slot_of(task, operand.slot_use)], operand.writes);
  }
  Latest latest;
  const auto carried = found_.begin() + graph::kLaneCount;
  std::copy(found_.begin(), carried, latest.of_step.begin());
  std::copy(carried, found_.end(), latest.carried.begin());
  return latest;
}

}  // namespace megascale::plan
