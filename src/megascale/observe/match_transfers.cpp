// Finds out when the last member of a group started a transfer. A rank on a device with NCCL sees
// only the start and the end of its own part, since NCCL's kernels wait for each other inside. The
// records of all members together tell more: bytes cannot move before the last member has started.
#include "megascale/observe/match_transfers.h"

#include <algorithm>
#include <map>
#include <vector>

#include "megascale/observe/rank_transfers.h"

namespace megascale::observe {
namespace {

// The starts of one transfer, taken together from the records of the members of its group.
struct Start {
  std::int64_t last_ns = 0;  // the latest start, on the clock of the members
  std::size_t members = 0;   // members that have a record
  std::string_view clock;    // of the first member
  bool one_clock = true;     // all members have the clock of the first
};
using Starts = std::vector<Start>;  // by the number of the transfer in its group

bool is_unmatched(const TaskRecord& record) noexcept {
  return record.done_ns != 0 && record.matched_ns == 0;
}

void add(Start& start, const RankRecords& rank, const TaskRecord& record) {
  if (record.done_ns == 0) return;
  const std::int64_t ns = record.start_ns + rank.clock_offset_ns;
  if (start.members == 0) start = {.last_ns = ns, .members = 0, .clock = rank.clock};
  start.last_ns = std::max(start.last_ns, ns);
  start.one_clock = start.one_clock && start.clock == rank.clock;
  ++start.members;
}

}  // namespace

bool has_unmatched(const plan::StepPlan& plan, std::span<const TaskRecord> records) {
  bool found = false;
  for_each_transfer(plan, [&](std::size_t task, std::size_t, std::size_t) {
    found = found || is_unmatched(records[task]);
  });
  return found;
}

void match_transfers(std::span<const RankRecords> ranks) {
  std::map<std::string_view, Starts> groups;  // by key
  for (const RankRecords& rank : ranks) {
    for_each_transfer(*rank.plan, [&](std::size_t task, std::size_t group, std::size_t number) {
      Starts& starts = groups[rank.binding->communicators[group].key];
      if (starts.size() <= number) starts.resize(number + 1);
      add(starts[number], rank, rank.records[task]);
    });
  }
  for (const RankRecords& rank : ranks) {
    for_each_transfer(*rank.plan, [&](std::size_t task, std::size_t group, std::size_t number) {
      const plan::CommunicatorBinding& binding = rank.binding->communicators[group];
      const Start& start = groups[binding.key][number];
      TaskRecord& record = rank.records[task];
      if (!is_unmatched(record) || start.members != binding.members.size() || !start.one_clock)
        return;
      record.matched_ns =
          std::clamp(start.last_ns - rank.clock_offset_ns, record.start_ns, record.done_ns);
    });
  }
}

}  // namespace megascale::observe
