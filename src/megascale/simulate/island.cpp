// The discrete-event simulation of one island. Every lane that computes and every local group has a
// slot with the time at which its current activity ends; the next event is the smallest of them. An
// event finishes a task or a transfer, then advance() starts all tasks of the rank that have become
// ready. A change of load sets the rates of running work anew, and with them its ends.
#include "megascale/simulate/island.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "megascale/base/error.h"

namespace megascale::simulate {
namespace {

// Computation keeps at least this share of its speed, even if many transfers are under way.
constexpr double kLeastProcessorShare = 0.05;
constexpr auto kOneProcessor = static_cast<ProcessorParts>(kPartsPerProcessor);

}  // namespace

ProcessorParts processor_parts(const OpCost& cost) noexcept {
  return std::llround(cost.processor_share * kPartsPerProcessor);
}

Island::Island(const Job& job, const std::vector<bool>& is_remote,
               const std::vector<IslandRank>& ranks, std::uint32_t steps, const Jitter& jitter)
    : steps_(steps),
      transfers_(0, {}),
      ranks_at_work_(static_cast<std::uint32_t>(ranks.size())),
      step_ends_(steps, 0.0) {
  for (const IslandRank& made : ranks) {
    add_rank(job, made);
    if (jitter.sigma != 0) jitter_.emplace_back(jitter, made.rank);
  }
  first_group_slot_ = static_cast<std::uint32_t>(slots_.size());
  std::map<std::uint32_t, std::uint32_t> local;  // group of the job -> of the island
  std::vector<std::uint32_t> members;
  for (Rank& rank : ranks_) {
    for (const std::uint32_t group : rank.job->groups) {
      if (is_remote[group]) {
        rank.groups.push_back(kNone);
        continue;
      }
      const auto [place, is_new] = local.emplace(group, static_cast<std::uint32_t>(members.size()));
      if (is_new) {
        slots_.push_back({.kind = Slot::Kind::bytes_flow, .group = place->second});
        members.push_back(static_cast<std::uint32_t>(job.groups[group].size()));
      }
      rank.groups.push_back(place->second);
    }
  }
  feeds_.resize(members.size());
  transfers_ = Transfers(ranks_.size(), std::move(members));
  ends_.assign(slots_.size(), kNever);
}

void Island::add_rank(const Job& job, const IslandRank& made) {
  const auto r = static_cast<std::uint32_t>(ranks_.size());
  Rank rank{.job = &job.ranks[made.rank],
            .program = made.program,
            .records = made.records,
            .index = made.rank,
            .first_lane = static_cast<std::uint32_t>(lanes_.size()),
            .uncarried_left = made.program->uncarried,
            .groups = {}};
  for (std::uint32_t l = 0; l < made.program->lanes.size(); ++l) {
    const RankProgram::Lane& lane = made.program->lanes[l];
    lanes_.emplace_back();
    if (lane.is_compute) rank.compute_lane = l;
    const bool takes_time =
        std::any_of(lane.tasks.begin(), lane.tasks.end(), [&](const RankProgram::Task& task) {
          return task.communicator == RankProgram::kComputes &&
                 (*rank.job->costs)[task.op].seconds > 0;
        });
    if (!takes_time) continue;
    lanes_.back().slot = static_cast<std::uint32_t>(slots_.size());
    slots_.push_back({.kind = Slot::Kind::task_done, .rank = r, .lane = l});
  }
  if (rank.job->host != kOwnProcessor) {
    const auto known = std::find_if(hosts_.begin(), hosts_.end(), [&](const Host& host) {
      return ranks_[host.ranks.front()].job->host == rank.job->host;
    });
    rank.host = static_cast<std::uint32_t>(known - hosts_.begin());
    if (known == hosts_.end())
      hosts_.push_back({.processors = &job.hosts[rank.job->host], .ranks = {}});
    hosts_[rank.host].ranks.push_back(r);
  }
  ranks_.push_back(std::move(rank));
}

void Island::start(std::vector<RemoteJoin>& joins) {
  joins_ = &joins;
  for (std::uint32_t r = 0; r < ranks_.size(); ++r) advance(r);
  find_next();
}

void Island::receive(const NetworkEvent& event) {
  MEGASCALE_CHECK(event.time >= now_, "a network event must not precede the island's time");
  inbox_.push_back(event);
  next_ = std::min(next_, event.time);
}

void Island::run(double horizon, std::vector<RemoteJoin>& joins) {
  joins_ = &joins;
  find_next();
  for (std::size_t read = 0;;) {
    if (read < inbox_.size() && inbox_[read].time <= next_) {
      now_ = inbox_[read].time;
      take(inbox_[read++]);
    } else if (next_ < horizon) {
      now_ = next_;
      handle(next_slot_);
    } else {
      break;
    }
    find_next();
  }
  inbox_.clear();
}

void Island::find_next() noexcept {
  next_ = kNever;
  for (std::uint32_t s = 0; s < ends_.size(); ++s) {
    if (ends_[s] >= next_) continue;
    next_ = ends_[s];
    next_slot_ = s;
  }
}

void Island::handle(std::uint32_t s) {
  Slot& slot = slots_[s];
  ends_[s] = kNever;
  switch (slot.kind) {
    case Slot::Kind::task_done: {
      const Rank& rank = ranks_[slot.rank];
      if (slot.lane == rank.compute_lane && !end_unit(slot.rank)) return;
      finish(slot.rank, slot.lane);
      if (rank.host != kNone && slot.lane == rank.compute_lane) {
        --hosts_[rank.host].computing;
        change_demand(rank.host, -kOneProcessor);
      }
      return advance(slot.rank);
    }
    case Slot::Kind::bytes_flow:
      slot.kind = Slot::Kind::transfer_done;
      return start_flow(slot.group);
    case Slot::Kind::transfer_done:
      slot.kind = Slot::Kind::bytes_flow;
      return finish_transfer(slot.group);
  }
}

void Island::take(const NetworkEvent& event) {
  Rank& rank = ranks_[event.rank];
  if (event.taken != 0) take_processor(rank, event.taken);
  if (event.lane == NetworkEvent::kNoLane) return;
  if (TaskRecord* record = record_of(rank, event.lane))
    record->matched_ns = island_nanoseconds(event.matched);
  finish(event.rank, event.lane);
  advance(event.rank);
}

// Starts all tasks of the rank that can start. A task without a duration ends at once and may make
// others ready, so the loop repeats until nothing changes.
void Island::advance(std::uint32_t r) {
  Rank& rank = ranks_[r];
  const auto lanes = static_cast<std::uint32_t>(rank.program->lanes.size());
  for (bool moved = true; moved;) {
    moved = false;
    for (std::uint32_t lane = 0; lane < lanes; ++lane) moved |= start_head(r, lane);
    if (rank.uncarried_left == 0) moved |= next_step(r);
  }
}

// Starts the head of a lane. Returns false if it already runs, must wait, or does not exist.
bool Island::start_head(std::uint32_t r, std::uint32_t l) {
  Rank& rank = ranks_[r];
  const std::span<Lane> lanes = lanes_of(rank);
  Lane& lane = lanes[l];
  if (lane.running) return false;
  const std::vector<RankProgram::Task>& tasks = rank.program->lanes[l].tasks;
  const std::uint32_t parity = lane.step % 2, done = lane.done[parity];
  if (done == tasks.size()) {
    if (lane.step == rank.step) return false;
    ++lane.step;  // the carried tasks of the previous step are done
    return true;
  }
  const RankProgram::Task& task = tasks[done];
  const RankProgram::Pair* pair = fused_pair(rank, task);
  const bool is_unit = pair != nullptr && l == pair->unit_lane;
  const auto waits = is_unit ? rank.program->waits_of(*pair) : rank.program->waits_of(task);
  for (std::uint32_t w = 0; w < waits.size(); ++w) {
    if (lanes[waits[w].lane].done[parity] >= waits[w].count) continue;
    if (pair != nullptr && has_begun(rank, *pair, l, waits[w])) continue;
    if (w < task.wait_count) lane.last_wait = w;
    return false;
  }
  lane.running = true;
  if (TaskRecord* record = record_of(rank, l)) {
    *record = {.head_ns = island_nanoseconds(lane.head),
               .start_ns = island_nanoseconds(now_),
               .matched_ns = island_nanoseconds(now_),
               .last_wait = lane.last_wait};
  }
  if (is_unit) {
    start_unit(r, l, *pair);
  } else if (task.communicator == RankProgram::kComputes) {
    compute(r, l, (*rank.job->costs)[task.op]);
  } else {
    join(r, l, task);
  }
  return true;
}

// Starts a computation at the head of lane `l`. Only the compute lane has jitter and shares a
// processor.
void Island::compute(std::uint32_t r, std::uint32_t l, const OpCost& cost) {
  Rank& rank = ranks_[r];
  if (cost.seconds == 0) return finish(r, l);
  const std::uint32_t slot = lanes_[rank.first_lane + l].slot;
  if (l != rank.compute_lane) {
    ends_[slot] = now_ + cost.seconds;
    return;
  }
  double seconds = jitter_.empty() ? cost.seconds : cost.seconds * jitter_of_head(r, l);
  if (rank.host != kNone) {
    ++hosts_[rank.host].computing;
    change_demand(rank.host, kOneProcessor);
    const bool waited = lanes_[rank.first_lane + l].head < now_;
    seconds += seconds_of_turns(rank, seconds, waited);
  }
  rank.compute = {.left = seconds, .rate = compute_rate(rank), .since = now_};
  ends_[slot] = rank.compute.end();
}

// Returns the seconds that a task of `seconds` loses to time slicing, because more ranks compute
// than the host has processors. Each time slice that the task completes loses time. If the rank
// waited before the task, the slice that this wait ended loses wait_share of that time.
double Island::seconds_of_turns(Rank& rank, double seconds, bool waited) const noexcept {
  const Host& host = hosts_[rank.host];
  const HostProcessors& processors = *host.processors;
  const double slice = processors.slice_seconds;
  if (slice == 0) return 0;
  double turns = waited ? processors.wait_share : 0;
  rank.in_turn = seconds + (waited ? 0 : rank.in_turn);
  const double slices = std::floor(rank.in_turn / slice);
  rank.in_turn -= slices * slice;
  turns += slices;
  if (host.computing <= processors.count) return 0;
  const Curve& speed = processors.speed;
  return turns * slice * (speed.at(processors.count) / speed.at(host.computing) - 1);
}

double Island::jitter_of_head(std::uint32_t r, std::uint32_t l) const noexcept {
  const Rank& rank = ranks_[r];
  const Lane& lane = lanes_[rank.first_lane + l];
  return jitter_[r].factor(lane.step, rank.program->lanes[l].ids[lane.done[lane.step % 2]]);
}

double Island::compute_rate(const Rank& rank) const noexcept {
  if (rank.host != kNone) return rank.job->speed * hosts_[rank.host].speed;
  const double taken = static_cast<double>(rank.taken) / kPartsPerProcessor;
  return rank.job->speed * std::max(kLeastProcessorShare, 1.0 - taken);
}

void Island::set_compute_rate(Rank& rank) {
  if (rank.compute_lane == kNone) return;
  const Lane& lane = lanes_[rank.first_lane + rank.compute_lane];
  if (!lane.running) return;
  rank.compute.set_rate(compute_rate(rank), now_);
  ends_[lane.slot] = rank.compute.end();
}

void Island::take_processor(Rank& rank, ProcessorParts parts) {
  const ProcessorParts before = std::min(rank.taken, kOneProcessor);
  rank.taken += parts;
  if (rank.host == kNone) return set_compute_rate(rank);
  change_demand(rank.host, std::min(rank.taken, kOneProcessor) - before);
}

// Changes the number of processors wanted, and with it the speed of the host's ranks and transfers.
void Island::change_demand(std::uint32_t h, ProcessorParts more) {
  Host& host = hosts_[h];
  host.demand += more;
  const double demand = static_cast<double>(host.demand) / kPartsPerProcessor;
  const double count = host.processors->count, at_work = std::min(demand, count);
  if (at_work == 0) return;  // nobody uses the speed
  // With time slices, seconds_of_turns() accounts for the loss; otherwise the curve does, at all
  // times.
  const double wanted = host.processors->slice_seconds > 0 ? at_work : demand;
  const double speed = at_work / demand * host.processors->speed.at(wanted);
  if (speed == host.speed) return;
  host.speed = speed;
  for (const std::uint32_t rank : host.ranks) {
    set_compute_rate(ranks_[rank]);
    for (const std::uint32_t changed : transfers_.set_speed(rank, speed, now_))
      ends_[first_group_slot_ + changed] = transfers_.end_of(changed);
  }
}

// Starts the rank's part of a transfer: reports it to the network, or adds it to the island's
// group. The last member sets when bytes begin to flow.
void Island::join(std::uint32_t r, std::uint32_t l, const RankProgram::Task& task) {
  const Rank& rank = ranks_[r];
  const OpCost& cost = (*rank.job->costs)[task.op];
  const std::uint32_t group = rank.groups[task.communicator];
  if (group == kNone) {
    joins_->push_back({.time = now_,
                       .group = rank.job->groups[task.communicator],
                       .rank = rank.index,
                       .lane = l,
                       .cost = &cost});
    return;
  }
  if (const RankProgram::Pair* pair = fused_pair(rank, task)) feed(r, group, *pair);
  if (!transfers_.join(group, {.rank = r, .lane = l, .cost = &cost})) return;
  for (const Transfers::Part& part : transfers_.parts(group)) {
    if (TaskRecord* record = record_of(ranks_[part.rank], part.lane))
      record->matched_ns = island_nanoseconds(now_);
  }
  ends_[first_group_slot_ + group] =
      std::max(now_, feeds_[group].first_tile) + transfers_.latency_seconds(group);
  feeds_[group].first_tile = 0;
}

void Island::set_ends(std::span<const std::uint32_t> groups) {
  for (const std::uint32_t changed : groups)
    ends_[first_group_slot_ + changed] = transfers_.end_of(changed);
}

void Island::start_flow(std::uint32_t group) {
  set_ends(transfers_.begin(group, transfers_.seconds(group), now_));
  for (const Transfers::Part& part : transfers_.parts(group)) {
    Rank& rank = ranks_[part.rank];
    Lane& lane = lanes_[rank.first_lane + part.lane];
    lane.flows = true;
    lane.flow_start = now_;
    if (!keeps_share(rank, part) && part.cost->processor_share != 0)
      take_processor(rank, processor_parts(*part.cost));
  }
  // The units that the transfer feeds may start.
  for (const Transfers::Part& part : transfers_.parts(group)) {
    if (part.cost->is_fused) advance(part.rank);
  }
}

void Island::finish_transfer(std::uint32_t group) {
  set_ends(transfers_.finish(group, now_));
  if (starve(group)) return;
  // The parts are taken before any member continues, since a member may at once join the next
  // transfer of the group.
  const auto parts = transfers_.take_parts(group);
  for (const Transfers::Part& part : parts) {
    Rank& rank = ranks_[part.rank];
    const bool kept = keeps_share(rank, part);
    if (!kept && part.cost->processor_share != 0)
      take_processor(rank, -processor_parts(*part.cost));
    finish(part.rank, part.lane);
    if (kept) release_unit(rank);
  }
  for (const Transfers::Part& part : parts) advance(part.rank);
}

// Finishes the task at the head of the lane.
void Island::finish(std::uint32_t r, std::uint32_t l) {
  Rank& rank = ranks_[r];
  Lane& lane = lanes_[rank.first_lane + l];
  MEGASCALE_CHECK(lane.running, "only a task that runs can end");
  const bool is_unit = rank.unit.pair != nullptr && l == rank.compute_lane;
  if (is_unit) {
    record_unit(rank);
  } else if (TaskRecord* record = record_of(rank, l)) {
    record->done_ns = island_nanoseconds(now_);
  }
  std::uint32_t& done = lane.done[lane.step % 2];
  for (std::uint32_t left = is_unit ? rank.unit.pair->unit_size : 1; left > 0; --left) {
    if (!rank.program->lanes[l].tasks[done].carried) --rank.uncarried_left;
    ++done;
    ++tasks_;
  }
  if (is_unit) rank.unit = {};
  lane.running = lane.flows = false;
  lane.last_wait = TaskRecord::kNoWait;
  lane.head = now_;
}

// Starts the rank's next step, after all tasks of the current one except carried ones are done.
// Returns false if that was the last step, or if a lane still has carried tasks of the step before
// the current one.
bool Island::next_step(std::uint32_t r) {
  Rank& rank = ranks_[r];
  const std::span<Lane> lanes = lanes_of(rank);
  if (std::any_of(lanes.begin(), lanes.end(),
                  [&](const Lane& lane) { return lane.step != rank.step; })) {
    return false;
  }
  step_ends_[rank.step] = std::max(step_ends_[rank.step], now_);
  if (rank.step + 1 == steps_) {
    rank.uncarried_left = kNone;  // nothing follows
    --ranks_at_work_;
    return false;
  }
  ++rank.step;
  rank.uncarried_left = rank.program->uncarried;
  for (Lane& lane : lanes) {
    lane.done[rank.step % 2] = 0;
    lane.head = std::max(lane.head, now_);
  }
  return true;
}

// Returns the record of the lane's head; null unless it is kept.
TaskRecord* Island::record_of(const Rank& rank, std::uint32_t l) noexcept {
  if (rank.records == nullptr) return nullptr;
  const Lane& lane = lanes_[rank.first_lane + l];
  if (lane.step + 1 != steps_) return nullptr;
  return &(*rank.records)[rank.program->lanes[l].ids[lane.done[lane.step % 2]]];
}

}  // namespace megascale::simulate
