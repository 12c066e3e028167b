#ifndef MEGASCALE_PLAN_ACCESS_HISTORY_H_
#define MEGASCALE_PLAN_ACCESS_HISTORY_H_

#include <array>
#include <cstdint>
#include <map>

#include "megascale/graph/op.h"
#include "megascale/plan/step_plan.h"

namespace megascale::plan {

// For every byte of the arena: the last task that wrote it and, per lane, the last tasks that read
// it since. Enough to find every unordered conflict when tasks are visited in issue order: what
// came before the last write is ordered by it.
class AccessHistory {
 public:
  struct Access {
    std::uint32_t task = kNone;  // id
    std::uint32_t count = 0;     // the task's place in its lane, from 1
    graph::Lane lane{};
    static constexpr std::uint32_t kNone = ~0U;
  };

  // Calls conflict(earlier access) for every earlier access that must be ordered before this one
  // (write after read, write after write, read after write; an accumulate counts as a write), then
  // records the access.
  template <class Conflict>
  void visit(ByteRange range, bool writes, const Access& access, Conflict&& conflict) {
    if (range.begin == range.end) return;
    split(range.begin);
    split(range.end);
    auto entry = entries_.lower_bound(range.begin);
    if (writes) {
      while (entry != entries_.end() && entry->first < range.end) {
        report_all(entry->second, conflict);
        entry = entries_.erase(entry);
      }
      entries_.emplace(range.begin, Entry{.end = range.end, .write = access});
      return;
    }
    // Bytes that nobody touched yet: a read of what an earlier step, or the host, left there.
    std::uint64_t position = range.begin;
    while (position < range.end) {
      if (entry == entries_.end() || entry->first > position) {
        const std::uint64_t gap_end =
            entry == entries_.end() ? range.end : std::min(entry->first, range.end);
        entry = entries_.emplace_hint(entry, position, Entry{.end = gap_end});
      } else if (entry->second.write.task != Access::kNone) {
        conflict(entry->second.write);
      }
      entry->second.reads[static_cast<std::size_t>(access.lane)] = access;
      position = entry->second.end;
      ++entry;
    }
  }

 private:
  struct Entry {
    std::uint64_t end = 0;
    Access write;
    std::array<Access, graph::kLaneCount> reads;
  };

  template <class Conflict>
  static void report_all(const Entry& entry, Conflict&& conflict) {
    if (entry.write.task != Access::kNone) conflict(entry.write);
    for (const Access& read : entry.reads) {
      if (read.task != Access::kNone) conflict(read);
    }
  }

  void split(std::uint64_t position) {
    auto entry = entries_.upper_bound(position);
    if (entry == entries_.begin()) return;
    --entry;
    if (entry->first == position || entry->second.end <= position) return;
    Entry tail = entry->second;
    entry->second.end = position;
    entries_.emplace(position, tail);
  }

  std::map<std::uint64_t, Entry> entries_;  // by first byte; disjoint
};

}  // namespace megascale::plan

#endif  // MEGASCALE_PLAN_ACCESS_HISTORY_H_
