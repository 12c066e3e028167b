#include "megascale/simulate/event_engine.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <queue>
#include <tuple>

#include "megascale/base/error.h"
#include "megascale/simulate/lane_lists.h"

namespace megascale::simulate {
namespace {

using graph::kLaneCount;
using graph::Lane;

// However many transfers are under way, computation goes on at this share of its speed.
constexpr double kLeastProcessorShare = 0.05;

constexpr auto kLanes = static_cast<std::uint32_t>(kLaneCount);

// Names a lane of a rank in events.
constexpr std::uint32_t lane_id(std::uint32_t rank, Lane lane) noexcept {
  return rank * kLanes + static_cast<std::uint32_t>(lane);
}

std::int64_t nanoseconds(double seconds) { return std::llround(seconds * 1e9); }

// What happens next. Equal times: in order of kind, then of id.
struct Event {
  enum class Kind : std::uint8_t { task_done, bytes_flow, transfer_done };
  double time = 0;
  Kind kind{};
  std::uint32_t id = 0;       // task_done: lane_id(); else the group
  std::uint32_t version = 0;  // an event of an older version was overtaken by a change of rates
  friend bool operator>(const Event& a, const Event& b) noexcept {
    return std::tie(a.time, a.kind, a.id) > std::tie(b.time, b.kind, b.id);
  }
};

// Work that goes on at a rate which changes at events.
struct Progress {
  double left = 0;  // seconds at rate 1
  double rate = 0;
  double since = 0;  // when `left` was true
  std::uint32_t version = 0;

  void advance_to(double now) noexcept {
    left = std::max(0.0, left - (now - since) * rate);
    since = now;
  }
  [[nodiscard]] double end() const noexcept { return since + left / rate; }
};

struct LaneState {
  std::uint32_t step = 0;
  std::uint32_t last_wait = TaskRecord::kNoWait;
  bool running = false;  // the head has started
  double head = 0;       // when it became the head
};

struct RankState {
  const JobRank* job = nullptr;
  const LaneLists* lists = nullptr;
  std::vector<TaskRecord>* records = nullptr;  // of the last step, where they are kept
  std::array<LaneState, kLaneCount> lanes{};
  // Tasks done, by lane, of the steps of either parity: a carried tail runs beside the next step.
  std::array<std::array<std::uint32_t, kLaneCount>, 2> done{};
  std::uint32_t step = 0;
  std::uint32_t uncarried_left = 0;
  Progress compute;        // of the running task of the compute lane
  double taken_share = 0;  // of the processor, by transfers
  std::array<std::vector<std::uint32_t>, kLinkCount> flows;  // groups whose bytes load the link
};

// The transfer under way on a group: its members take part in one at a time.
struct GroupState {
  struct Head {
    std::uint32_t rank, task;
    Lane lane;
  };
  std::vector<Head> heads;
  Progress flow;
};

class Engine {
 public:
  Engine(const Job& job, const SimulationOptions& options)
      : job_(job), options_(options), ranks_(job.ranks.size()), groups_(job.groups.size()) {
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
      const plan::StepPlan* plan = job.ranks[r].plan.get();
      auto& made = lists_[plan];
      if (made == nullptr) made = std::make_unique<LaneLists>(*plan);
      ranks_[r].job = &job.ranks[r];
      ranks_[r].lists = made.get();
      ranks_[r].uncarried_left = made->uncarried;
    }
    result_.records.reserve(options.recorded_ranks.size());
    ranks_left_.assign(options.steps, static_cast<std::uint32_t>(ranks_.size()));
    result_.step_ends.assign(options.steps, 0.0);
    for (const std::uint32_t rank : options.recorded_ranks) {
      result_.records.emplace_back(job.ranks[rank].plan->tasks().size());
      ranks_[rank].records = &result_.records.back();
    }
  }

  Simulation run() {
    for (std::uint32_t r = 0; r < ranks_.size(); ++r) advance(r);
    while (!events_.empty()) {
      const Event event = events_.top();
      events_.pop();
      now_ = event.time;
      handle(event);
    }
    MEGASCALE_CHECK(ranks_left_.back() == 0, "a proven job completes in every timing");
    return std::move(result_);
  }

 private:
  void handle(const Event& event) {
    switch (event.kind) {
      case Event::Kind::task_done: {
        const std::uint32_t rank = event.id / kLanes;
        const auto lane = static_cast<Lane>(event.id % kLanes);
        if (lane == Lane::compute && event.version != ranks_[rank].compute.version) return;
        finish(rank, lane);
        advance(rank);
        return;
      }
      case Event::Kind::bytes_flow:
        return start_flow(event.id);
      case Event::Kind::transfer_done:
        if (event.version == groups_[event.id].flow.version) finish_transfer(event.id);
        return;
    }
  }

  // Starts whatever may start on the rank.
  void advance(std::uint32_t r) {
    RankState& rank = ranks_[r];
    for (bool moved = true; moved;) {
      moved = false;
      for (std::size_t lane = 0; lane < kLaneCount; ++lane) moved |= start_head(r, lane);
      if (rank.uncarried_left == 0) moved |= next_step(r);
    }
  }

  // False: the head runs already, must wait, or there is none.
  bool start_head(std::uint32_t r, std::size_t lane) {
    RankState& rank = ranks_[r];
    LaneState& state = rank.lanes[lane];
    const auto& tasks = rank.lists->lanes[lane];
    if (state.running || tasks.empty()) return false;
    const std::uint32_t done = rank.done[state.step % 2][lane];
    if (done == tasks.size()) {
      if (state.step == rank.step) return false;
      ++state.step;  // the carried tail of the step before is over
      return true;
    }
    const plan::StepPlan& plan = *rank.job->plan;
    const std::uint32_t id = tasks[done];
    const plan::Task& task = plan.tasks()[id];
    const auto waits = plan.waits(task);
    for (std::uint32_t w = 0; w < waits.size(); ++w) {
      if (rank.done[state.step % 2][static_cast<std::size_t>(waits[w].lane)] >= waits[w].count)
        continue;
      state.last_wait = w;
      return false;
    }
    state.running = true;
    if (TaskRecord* record = record_of(r, id, state.step)) {
      *record = {.head_ns = nanoseconds(state.head),
                 .start_ns = nanoseconds(now_),
                 .matched_ns = nanoseconds(now_),
                 .last_wait = state.last_wait};
    }
    if (plan.op(task).def->collective) {
      join(r, static_cast<Lane>(lane), id);
    } else {
      compute(r, static_cast<Lane>(lane), id);
    }
    return true;
  }

  void compute(std::uint32_t r, Lane lane, std::uint32_t id) {
    RankState& rank = ranks_[r];
    const OpCost& cost = cost_of(rank, id);
    const std::uint32_t event = lane_id(r, lane);
    if (lane != Lane::compute) {
      events_.push({now_ + cost.seconds, Event::Kind::task_done, event, 0});
      return;
    }
    rank.compute = {.left = cost.seconds,
                    .rate = compute_rate(rank),
                    .since = now_,
                    .version = rank.compute.version + 1};
    events_.push({rank.compute.end(), Event::Kind::task_done, event, rank.compute.version});
  }

  [[nodiscard]] static double compute_rate(const RankState& rank) noexcept {
    return rank.job->speed * std::max(kLeastProcessorShare, 1.0 - rank.taken_share);
  }

  // The rank starts its part of a transfer.
  void join(std::uint32_t r, Lane lane, std::uint32_t id) {
    const RankState& rank = ranks_[r];
    const std::uint32_t g = rank.job->groups[plan::index(op_of(rank, id).communicator)];
    GroupState& group = groups_[g];
    group.heads.push_back({r, id, lane});
    if (group.heads.size() < job_.groups[g].size()) return;
    double latency = 0;
    for (const GroupState::Head& head : group.heads) {
      latency = std::max(latency, cost_of(ranks_[head.rank], head.task).latency_seconds);
      if (TaskRecord* record = record_of(head.rank, head.task, step_of(head)))
        record->matched_ns = nanoseconds(now_);
    }
    events_.push({now_ + latency, Event::Kind::bytes_flow, g, 0});
  }

  void start_flow(std::uint32_t g) {
    GroupState& group = groups_[g];
    double seconds = 0;
    for (const GroupState::Head& head : group.heads)
      seconds = std::max(seconds, cost_of(ranks_[head.rank], head.task).seconds);
    group.flow = {.left = seconds, .rate = 0, .since = now_, .version = group.flow.version};
    change_load(
        g, [&](std::vector<std::uint32_t>& flows) { flows.push_back(g); }, 1.0);
    set_flow_rate(g);
  }

  void finish_transfer(std::uint32_t g) {
    change_load(
        g, [&](std::vector<std::uint32_t>& flows) { std::erase(flows, g); }, -1.0);
    const std::vector<GroupState::Head> heads = std::move(groups_[g].heads);
    groups_[g].heads.clear();
    for (const GroupState::Head& head : heads) finish(head.rank, head.lane);
    for (const GroupState::Head& head : heads) advance(head.rank);
  }

  // The transfer comes to the links and processors of its members, or leaves them: whatever shares
  // those goes on at another rate.
  template <class Change>
  void change_load(std::uint32_t g, Change change, double sign) {
    affected_.clear();
    for (const GroupState::Head& head : groups_[g].heads) {
      RankState& rank = ranks_[head.rank];
      const OpCost& cost = cost_of(rank, head.task);
      for (std::size_t link = 0; link < kLinkCount; ++link) {
        if ((cost.links >> link & 1U) == 0) continue;
        change(rank.flows[link]);
        affected_.insert(affected_.end(), rank.flows[link].begin(), rank.flows[link].end());
      }
      if (cost.processor_share != 0) {
        rank.taken_share += sign * cost.processor_share;
        set_compute_rate(head.rank);
      }
    }
    std::sort(affected_.begin(), affected_.end());
    affected_.erase(std::unique(affected_.begin(), affected_.end()), affected_.end());
    for (const std::uint32_t other : affected_) {
      if (other != g) set_flow_rate(other);
    }
  }

  void set_flow_rate(std::uint32_t g) {
    GroupState& group = groups_[g];
    double rate = 1;
    for (const GroupState::Head& head : group.heads) {
      const RankState& rank = ranks_[head.rank];
      const LinkSet links = cost_of(rank, head.task).links;
      for (std::size_t link = 0; link < kLinkCount; ++link) {
        if ((links >> link & 1U) != 0)
          rate = std::min(rate, 1.0 / static_cast<double>(rank.flows[link].size()));
      }
    }
    if (rate == group.flow.rate) return;
    group.flow.advance_to(now_);
    group.flow.rate = rate;
    ++group.flow.version;
    events_.push({group.flow.end(), Event::Kind::transfer_done, g, group.flow.version});
  }

  void set_compute_rate(std::uint32_t r) {
    RankState& rank = ranks_[r];
    if (!rank.lanes[static_cast<std::size_t>(Lane::compute)].running) return;
    rank.compute.advance_to(now_);
    rank.compute.rate = compute_rate(rank);
    ++rank.compute.version;
    events_.push({rank.compute.end(), Event::Kind::task_done, lane_id(r, Lane::compute),
                  rank.compute.version});
  }

  // The head of the lane is done.
  void finish(std::uint32_t r, Lane lane) {
    RankState& rank = ranks_[r];
    LaneState& state = rank.lanes[static_cast<std::size_t>(lane)];
    std::uint32_t& done = rank.done[state.step % 2][static_cast<std::size_t>(lane)];
    const std::uint32_t id = rank.lists->lanes[static_cast<std::size_t>(lane)][done];
    if (TaskRecord* record = record_of(r, id, state.step)) record->done_ns = nanoseconds(now_);
    ++done;
    ++result_.tasks;
    state = {.step = state.step, .head = now_};
    if (!rank.job->plan->tasks()[id].carried) --rank.uncarried_left;
  }

  // All tasks of the rank's step are done but carried ones. False: it was the last, or a lane is
  // still at the carried tail of the step before it.
  bool next_step(std::uint32_t r) {
    RankState& rank = ranks_[r];
    for (std::size_t lane = 0; lane < kLaneCount; ++lane) {
      if (!rank.lists->lanes[lane].empty() && rank.lanes[lane].step != rank.step) return false;
    }
    if (--ranks_left_[rank.step] == 0) result_.step_ends[rank.step] = now_;
    rank.uncarried_left = kNoMoreSteps;
    if (rank.step + 1 == options_.steps) return false;
    ++rank.step;
    rank.done[rank.step % 2] = {};
    rank.uncarried_left = rank.lists->uncarried;
    for (LaneState& lane : rank.lanes) lane.head = std::max(lane.head, now_);
    return true;
  }

  [[nodiscard]] const plan::PlanOp& op_of(const RankState& rank, std::uint32_t task) const {
    return rank.job->plan->op(rank.job->plan->tasks()[task]);
  }
  [[nodiscard]] const OpCost& cost_of(const RankState& rank, std::uint32_t task) const {
    return (*rank.job->costs)[plan::index(rank.job->plan->tasks()[task].op)];
  }
  [[nodiscard]] std::uint32_t step_of(const GroupState::Head& head) const {
    return ranks_[head.rank].lanes[static_cast<std::size_t>(head.lane)].step;
  }
  [[nodiscard]] TaskRecord* record_of(std::uint32_t rank, std::uint32_t task, std::uint32_t step) {
    if (ranks_[rank].records == nullptr || step + 1 != options_.steps) return nullptr;
    return &(*ranks_[rank].records)[task];
  }

  static constexpr std::uint32_t kNoMoreSteps = std::numeric_limits<std::uint32_t>::max();

  const Job& job_;
  const SimulationOptions& options_;
  std::map<const plan::StepPlan*, std::unique_ptr<LaneLists>> lists_;
  std::vector<RankState> ranks_;
  std::vector<GroupState> groups_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::vector<std::uint32_t> affected_;
  std::vector<std::uint32_t> ranks_left_;  // by step: not yet through it
  double now_ = 0;
  Simulation result_;
};

}  // namespace

Simulation simulate(const Job& job, const SimulationOptions& options) {
  MEGASCALE_CHECK(options.steps > 0 && !job.ranks.empty(), "a simulation has ranks and steps");
  return Engine(job, options).run();
}

}  // namespace megascale::simulate
