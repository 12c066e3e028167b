// Fused pairs in an island (plan/fused_pairs.h): a transfer and the tasks of the compute lane that one
// kernel computes with it, the pair's unit. Each of the two works on n tiles. The second begins when the
// first has finished a tile, and ends no sooner than one tile of its own after the first has ended.
// While both have all they need, each goes on at the rate that it has alone. So a pair that shares
// nothing takes max(a, b) + min(a, b) / n.
//
// The multiprocessors of the transfer (OpCost::processor_share) are taken while its bytes flow or its
// unit runs, since the kernel divides them between the two when it starts.
//
// Tasks of the unit other than the product move rows while the product reads or writes them. A unit of
// several tasks takes the time of the longest and one n-th of the others.
#include <algorithm>

#include "megascale/simulate/island.h"

namespace megascale::simulate {

// Returns the pair of a task if it runs as one kernel on this rank; null otherwise.
const RankProgram::Pair* Island::fused_pair(const Rank& rank,
                                            const RankProgram::Task& task) const noexcept {
  if (task.pair == RankProgram::kNoPair) return nullptr;
  const RankProgram::Pair& pair = rank.program->pairs[task.pair];
  return transfer_cost(rank, pair).is_fused ? &pair : nullptr;
}

const OpCost& Island::transfer_cost(const Rank& rank,
                                    const RankProgram::Pair& pair) const noexcept {
  return (*rank.job->costs)[rank.program->lanes[pair.transfer_lane].tasks[pair.transfer].op];
}

// Returns whether this task is the head of its lane and runs.
bool Island::is_head(const Rank& rank, std::uint32_t l, std::uint32_t task,
                     std::uint32_t step) const noexcept {
  const Lane& lane = lanes_[rank.first_lane + l];
  return lane.running && lane.step == step && lane.done[step % 2] == task;
}

// Returns whether a wait of lane `l` is for the other part of its pair, which has begun.
bool Island::has_begun(const Rank& rank, const RankProgram::Pair& pair, std::uint32_t l,
                       const RankProgram::Wait& wait) const noexcept {
  const std::uint32_t step = lanes_[rank.first_lane + l].step;
  if (l == pair.unit_lane) {
    return pair.transfer_first && wait.lane == pair.transfer_lane &&
           wait.count == pair.transfer + 1 && is_head(rank, wait.lane, pair.transfer, step) &&
           lanes_[rank.first_lane + wait.lane].flows;
  }
  return !pair.transfer_first && wait.lane == pair.unit_lane && wait.count > pair.unit &&
         wait.count <= pair.unit + pair.unit_size && is_head(rank, wait.lane, pair.unit, step);
}

void Island::start_unit(std::uint32_t r, std::uint32_t l, const RankProgram::Pair& pair) {
  Rank& rank = ranks_[r];
  const Lane& lane = lanes_[rank.first_lane + l];
  const OpCost& transfer = transfer_cost(rank, pair);
  double sum = 0, longest = 0, tiles = pair.transfer_first ? transfer.tiles : 1;
  for (std::uint32_t t = pair.unit; t < pair.unit + pair.unit_size; ++t) {
    const OpCost& cost = (*rank.job->costs)[rank.program->lanes[l].tasks[t].op];
    sum += cost.seconds;
    longest = std::max(longest, cost.seconds);
    tiles = std::max(tiles, cost.tiles);
  }
  double seconds = longest + (sum - longest) / tiles;
  if (!jitter_.empty()) seconds *= jitter_of_head(r, l);
  rank.unit = {.pair = &pair, .start = now_, .tile_seconds = seconds / tiles, .tiles = tiles};
  double until_first_tile = 0;
  if (!pair.transfer_first) {
    rank.unit.held = processor_parts(transfer);
    if (rank.unit.held != 0) take_processor(rank, rank.unit.held);
  } else if (is_head(rank, pair.transfer_lane, pair.transfer, lane.step)) {
    rank.unit.follows = true;
    const double flow_start = lanes_[rank.first_lane + pair.transfer_lane].flow_start;
    until_first_tile = std::max(0.0, flow_start + transfer.seconds / tiles - now_);
  }
  const double rate = compute_rate(rank);
  rank.compute = {.left = seconds + until_first_tile * rate, .rate = rate, .since = now_};
  ends_[lane.slot] = rank.compute.end();
}

// The compute lane has done its work. Returns whether its task is over: a unit that follows a transfer
// waits for its last tile.
bool Island::end_unit(std::uint32_t r) {
  Rank& rank = ranks_[r];
  Unit& unit = rank.unit;
  if (unit.pair == nullptr) return true;
  if (unit.follows) return false;
  if (unit.held != 0) {
    take_processor(rank, -unit.held);
    // That has set the end of the work anew, although it is over.
    ends_[lanes_[rank.first_lane + rank.compute_lane].slot] = kNever;
  }
  unit.held = 0;
  end_feeding(rank);
  return true;
}

// A transfer of a pair joins its group. If its unit runs, the unit feeds it.
void Island::feed(std::uint32_t r, std::uint32_t group, const RankProgram::Pair& pair) {
  const Rank& rank = ranks_[r];
  if (pair.transfer_first || rank.unit.pair != &pair) return;
  Feed& of_group = feeds_[group];
  ++of_group.members;
  of_group.first_tile =
      std::max(of_group.first_tile, rank.unit.start + rank.unit.tile_seconds / compute_rate(rank));
}

// A unit ends: the transfer that it feeds, if there is one, still has to bring the last tile.
void Island::end_feeding(const Rank& rank) {
  const RankProgram::Pair& pair = *rank.unit.pair;
  const std::uint32_t step = lanes_[rank.first_lane + pair.unit_lane].step;
  if (pair.transfer_first || !is_head(rank, pair.transfer_lane, pair.transfer, step)) return;
  const RankProgram::Task& task = rank.program->lanes[pair.transfer_lane].tasks[pair.transfer];
  const std::uint32_t group = rank.groups[task.communicator];
  Feed& of_group = feeds_[group];
  --of_group.members;
  if (!lanes_[rank.first_lane + pair.transfer_lane].flows) return;
  const double tile = transfer_cost(rank, pair).seconds / rank.unit.tiles;
  if (!of_group.is_starved) {
    transfers_.lengthen(group, tile, now_);
    ends_[first_group_slot_ + group] = transfers_.end_of(group);
  } else if (of_group.members == 0) {
    of_group.is_starved = false;
    set_ends(transfers_.begin(group, tile, now_));
  }
}

// The bytes of a transfer have arrived. Returns whether members still compute some of them: then the
// transfer leaves its links and goes on when they are ready.
bool Island::starve(std::uint32_t group) {
  Feed& of_group = feeds_[group];
  if (of_group.members == 0) return false;
  of_group.is_starved = true;
  slots_[first_group_slot_ + group].kind = Slot::Kind::transfer_done;
  return true;
}

// Called when the bytes of a transfer begin to flow, and when they have arrived. Returns true if its
// share of the processor passes between it and the unit of its pair, and nothing is to be taken or
// given back.
bool Island::keeps_share(Rank& rank, const Transfers::Part& part) {
  Unit& unit = rank.unit;
  if (unit.pair == nullptr || unit.pair->transfer_lane != part.lane) return false;
  const Lane& lane = lanes_[rank.first_lane + part.lane];
  if (lane.done[lane.step % 2] != unit.pair->transfer) return false;
  if (unit.pair->transfer_first) {
    if (!unit.follows) return false;
    unit.held = processor_parts(*part.cost);
  } else {
    unit.held = 0;
  }
  return true;
}

// The transfer that feeds the rank's unit is over: the unit still has to compute the last tile.
void Island::release_unit(Rank& rank) {
  Unit& unit = rank.unit;
  unit.follows = false;
  rank.compute.set_rate(compute_rate(rank), now_);
  rank.compute.left = std::max(rank.compute.left, unit.tile_seconds);
  ends_[lanes_[rank.first_lane + rank.compute_lane].slot] = rank.compute.end();
}

// Fills in the records of a unit's tasks. The product has the time of the kernel. Tasks that move rows
// inside it have none of their own: they stand at its begin or at its end.
void Island::record_unit(const Rank& rank) {
  if (record_of(rank, rank.compute_lane) == nullptr) return;
  const RankProgram::Pair& pair = *rank.unit.pair;
  const std::vector<std::uint32_t>& ids = rank.program->lanes[rank.compute_lane].ids;
  const std::int64_t start = island_nanoseconds(rank.unit.start), end = island_nanoseconds(now_);
  const std::uint32_t product = pair.transfer_first ? pair.unit + pair.unit_size - 1 : pair.unit;
  for (std::uint32_t t = pair.unit; t < pair.unit + pair.unit_size; ++t) {
    TaskRecord& record = (*rank.records)[ids[t]];
    const std::int64_t at = t <= product ? start : end;
    if (t != pair.unit) record = {.head_ns = at, .start_ns = at, .matched_ns = at};
    record.done_ns = t == product ? end : at;
  }
}

}  // namespace megascale::simulate
