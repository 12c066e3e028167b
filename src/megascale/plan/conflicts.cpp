#include "megascale/plan/conflicts.h"

#include <algorithm>
#include <bit>
#include <unordered_map>

namespace megascale::plan {
namespace {

constexpr std::uint32_t kUnseen = ~0U;

// Which copy of the operand's buffer the task means.
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
  std::vector<ByteRange> ranges;
  find_sites(ranges);
  cut(ranges);
  mark(carried);
  find_reaches();
  for (const std::uint32_t id : carried) {
    const Task& task = plan.tasks()[id];
    const PlanOp& op = plan.op(task);
    for (std::size_t i = 0; i < op.operands.size(); ++i) {
      if (op.operands[i].buffer == kNoBuffer) continue;
      touch(carried_column(op.lane), 1, sites_[site_number(task, i)],
            op.operands[i].access != graph::Access::read);
    }
  }
}

std::size_t Conflicts::site_number(const Task& task, std::size_t operand) const {
  const Operand& o = plan_->op(task).operands[operand];
  return first_site_[first_operand_[index(task.op)] + operand] +
         slot_of(task, plan_->buffer(o.buffer).slot_use);
}

// Every (operand, slot) that tasks use, and its bytes: at each place where they differ.
void Conflicts::find_sites(std::vector<ByteRange>& ranges) {
  const std::span<const PlanOp> ops = plan_->ops();
  std::array<std::uint32_t, kTaskSlots + 1> slots{};  // by use, as many as tasks name
  for (const Task& task : plan_->tasks()) {
    for (std::size_t use = 0; use < slots.size(); ++use) {
      slots[use] = std::max(slots[use], slot_of(task, static_cast<SlotUse>(use)) + 1);
    }
  }
  std::uint32_t sites = 0;
  for (const PlanOp& op : ops) {
    first_operand_.push_back(static_cast<std::uint32_t>(first_site_.size()));
    for (const Operand& operand : op.operands) {
      first_site_.push_back(sites);
      if (operand.buffer == kNoBuffer) continue;
      const SlotUse use = plan_->buffer(operand.buffer).slot_use;
      sites += use == SlotUse::none ? 1 : slots[static_cast<std::size_t>(use)];
    }
  }
  sites_.assign(sites, {.first_range = kUnseen});
  for (const Task& task : plan_->tasks()) {
    const PlanOp& op = plan_->op(task);
    for (std::size_t i = 0; i < op.operands.size(); ++i) {
      if (op.operands[i].buffer == kNoBuffer) continue;
      Site& site = sites_[site_number(task, i)];
      if (site.first_range != kUnseen) continue;
      site.first_range = static_cast<std::uint32_t>(ranges.size());
      site.varies = cover_->places.size() > 1 && cover_->varies(op.operands[i]);
      for (const Coordinates& place : cover_->places) {
        ranges.push_back(cover_->range(*plan_, task, op.operands[i], place));
        if (!site.varies) break;
      }
    }
  }
}

void Conflicts::cut(const std::vector<ByteRange>& ranges) {
  // Many operands have the same borders.
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

std::span<const Conflicts::Site> Conflicts::sites_of(std::size_t operand) const {
  const std::size_t begin = first_site_[operand];
  const std::size_t end =
      operand + 1 < first_site_.size() ? first_site_[operand + 1] : sites_.size();
  return std::span(sites_).subspan(begin, end - begin);
}

bool Conflicts::reaches(const Site& site) const {
  if (site.first_range == kUnseen) return false;
  const std::size_t count = site.varies ? cover_->places.size() : 1;
  const auto ranges = std::span(ranges_).subspan(site.first_range, count);
  return std::any_of(ranges.begin(), ranges.end(),
                     [](const Cells& cells) { return cells.begin != cells.end; });
}

void Conflicts::find_reaches() {
  for (std::size_t o = 0; o < first_operand_.size(); ++o) {
    first_reach_.push_back(static_cast<std::uint32_t>(reaches_.size()));
    const PlanOp& op = plan_->ops()[o];
    for (std::size_t i = 0; i < op.operands.size(); ++i) {
      const std::size_t operand = first_operand_[o] + i;
      const std::span<const Site> sites = sites_of(operand);
      if (std::none_of(sites.begin(), sites.end(), [&](const Site& site) { return reaches(site); }))
        continue;
      reaches_.push_back({.first_site = first_site_[operand],
                          .slot_use = plan_->buffer(op.operands[i].buffer).slot_use,
                          .writes = op.operands[i].access != graph::Access::read});
    }
  }
  first_reach_.push_back(static_cast<std::uint32_t>(reaches_.size()));
}

// Who touches each cell; keeps those that can be in conflict.
void Conflicts::mark(std::span<const std::uint32_t> carried) {
  struct Users {
    std::uint32_t columns = 0;  // one bit each
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
  for (std::size_t o = 0; o < first_operand_.size(); ++o) {
    const PlanOp& op = plan_->ops()[o];
    for (std::size_t i = 0; i < op.operands.size(); ++i) {
      for (const Site& site : sites_of(first_operand_[o] + i)) {
        if (site.first_range == kUnseen) continue;
        use(site, static_cast<std::uint32_t>(op.lane),
            op.operands[i].access != graph::Access::read);
      }
    }
  }
  for (const std::uint32_t id : carried) {
    const Task& task = plan_->tasks()[id];
    const PlanOp& op = plan_->op(task);
    for (std::size_t i = 0; i < op.operands.size(); ++i) {
      if (op.operands[i].buffer == kNoBuffer) continue;
      use(sites_[site_number(task, i)], carried_column(op.lane),
          op.operands[i].access != graph::Access::read);
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
    const std::size_t places = users[c].varies ? cover_->places.size() : 1;
    for (std::size_t p = 0; p < places; ++p) {
      for (std::uint32_t column = 0; column < kColumns; ++column) {
        if ((users[c].columns >> column & 1U) != 0) entries_.push_back({.column = column});
      }
    }
  }
  kept.back() = static_cast<std::uint32_t>(cells.size());
  for (Cells& range : ranges_) range = {kept[range.begin], kept[range.end]};
  cells_ = std::move(cells);
}

void Conflicts::visit(const Cell& cell, std::size_t place, std::size_t places, std::uint32_t column,
                      std::uint32_t count, bool writes) {
  const std::span<Entry> entries =
      std::span(entries_).subspan(cell.first_entry + place * cell.width, places * cell.width);
  for (Entry& entry : entries) {
    if (entry.column == column) {
      entry.accessed = count;
      if (writes) entry.written = count;
    } else {
      std::uint32_t& latest = found_[entry.column];
      latest = std::max(latest, writes ? entry.accessed : entry.written);
    }
  }
}

void Conflicts::touch(std::uint32_t column, std::uint32_t count, const Site& site, bool writes) {
  const std::size_t places = cover_->places.size();
  if (!site.varies) {
    const Cells& range = ranges_[site.first_range];
    for (std::uint32_t c = range.begin; c < range.end; ++c) {
      visit(cells_[c], 0, cells_[c].varies ? places : 1, column, count, writes);
    }
    return;
  }
  for (std::size_t place = 0; place < places; ++place) {
    const Cells& range = ranges_[site.first_range + place];
    for (std::uint32_t c = range.begin; c < range.end; ++c) {
      visit(cells_[c], place, 1, column, count, writes);
    }
  }
}

Conflicts::Latest Conflicts::next() {
  found_ = {};
  const Task& task = plan_->tasks()[next_task_++];
  const auto column = static_cast<std::uint32_t>(plan_->op(task).lane);
  const std::uint32_t count = ++issued_[column];
  const auto reaches =
      std::span(reaches_).subspan(first_reach_[index(task.op)],
                                  first_reach_[index(task.op) + 1] - first_reach_[index(task.op)]);
  for (const Reach& reach : reaches) {
    touch(column, count, sites_[reach.first_site + slot_of(task, reach.slot_use)], reach.writes);
  }
  Latest latest;
  const auto carried = found_.begin() + graph::kLaneCount;
  std::copy(found_.begin(), carried, latest.of_step.begin());
  std::copy(carried, found_.end(), latest.carried.begin());
  return latest;
}

}  // namespace megascale::plan
