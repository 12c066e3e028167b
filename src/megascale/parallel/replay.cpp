// Replays a schedule by running each stage as far as its inputs allow. When a stage has moved on,
// its two neighbours are tried again, since only they can wait for it. The order of the visits does
// not matter: each item starts at the maximum of times that are already final.
#include "megascale/parallel/replay.h"

#include <fmt/format.h>

#include <algorithm>

#include "megascale/base/error.h"

namespace megascale::parallel {
namespace {

constexpr Ticks kNotDone = -1;

// The end of each (work, global chunk, micro-batch); kNotDone before it is done.
class DoneTimes {
 public:
  explicit DoneTimes(const Schedule& schedule)
      : schedule_(schedule),
        times_(kWorkKinds * schedule.global_chunks() * std::size_t{schedule.micro_batches},
               kNotDone) {}
  Ticks& at(Work work, std::uint32_t global_chunk, std::uint32_t micro_batch) {
    return times_[(static_cast<std::size_t>(work) * schedule_.global_chunks() + global_chunk) *
                      schedule_.micro_batches +
                  micro_batch];
  }

 private:
  const Schedule& schedule_;
  std::vector<Ticks> times_;
};

// Runs one replay.
class Player {
 public:
  Player(const Schedule& schedule, const Durations& durations)
      : schedule_(schedule), durations_(durations), done_(schedule) {
    for (const auto& items : schedule.items) times_.emplace_back(items.size());
  }

  std::vector<std::vector<ItemTime>> play() {
    std::vector<std::size_t> next(schedule_.stages, 0);
    std::vector<std::uint32_t> runnable;  // stages that may be able to continue
    for (std::uint32_t stage = schedule_.stages; stage-- > 0;) runnable.push_back(stage);
    while (!runnable.empty()) {
      const std::uint32_t stage = runnable.back();
      runnable.pop_back();
      const std::size_t before = next[stage];
      while (next[stage] < times_[stage].size() && run(stage, next[stage])) ++next[stage];
      // A stage that cannot continue waits for a neighbour, and is visited again when that one has
      // moved.
      if (next[stage] == before) continue;
      runnable.push_back((stage + 1) % schedule_.stages);
      runnable.push_back((stage + schedule_.stages - 1) % schedule_.stages);
    }
    return std::move(times_);
  }

 private:
  // Runs one item. Returns false if one of its inputs is missing.
  bool run(std::uint32_t stage, std::size_t index) {
    const ScheduleItem& item = schedule_.items[stage][index];
    const std::uint32_t chunk = schedule_.global_chunk(stage, item.chunk);
    const std::uint32_t last = schedule_.global_chunks() - 1;
    Ticks start = index == 0 ? 0 : times_[stage][index - 1].end;
    const auto wait_for = [&](Work work, std::uint32_t of_chunk) {
      const Ticks done = done_.at(work, of_chunk, item.micro_batch);
      const bool crosses = of_chunk % schedule_.stages != stage;
      if (done != kNotDone) start = std::max(start, done + (crosses ? durations_.transfer : 0));
      return done != kNotDone;
    };
    bool ready = true;
    if (item.work == Work::forward) {
      ready = chunk == 0 || wait_for(Work::forward, chunk - 1);
    } else if (item.work == Work::backward) {
      ready =
          wait_for(Work::forward, chunk) && (chunk == last || wait_for(Work::backward, chunk + 1));
    } else {
      ready = wait_for(Work::backward, chunk);
    }
    if (!ready) return false;
    const Ticks end = start + duration(schedule_, item.work, durations_);
    times_[stage][index] = {start, end};
    done_.at(item.work, chunk, item.micro_batch) = end;
    return true;
  }

  const Schedule& schedule_;
  const Durations& durations_;
  DoneTimes done_;
  std::vector<std::vector<ItemTime>> times_;
};

// Counts in the order of the items, because a stage executes them one at a time.
std::uint32_t in_flight_peak(const Schedule& schedule, std::uint32_t stage) {
  const Work releases = schedule.splits_weight_gradients ? Work::weight_gradient : Work::backward;
  std::uint32_t in_flight = 0, peak = 0;
  for (const ScheduleItem& item : schedule.items[stage]) {
    if (item.work == Work::forward) peak = std::max(peak, ++in_flight);
    if (item.work == releases) --in_flight;
  }
  return peak;
}

}  // namespace

Ticks duration(const Schedule& schedule, Work work, const Durations& durations) {
  switch (work) {
    case Work::forward:
      return durations.forward;
    case Work::backward:
      return durations.backward +
             (schedule.splits_weight_gradients ? 0 : durations.weight_gradient);
    case Work::weight_gradient:
      return durations.weight_gradient;
  }
  return 0;
}

std::vector<std::vector<ItemTime>> detail::item_times(const Schedule& schedule,
                                                      const Durations& durations) {
  return Player(schedule, durations).play();
}

Replay replay(const Schedule& schedule, const Durations& durations) {
  if (durations.forward < 1 || durations.backward < 1 || durations.weight_gradient < 0 ||
      durations.transfer < 0) {
    throw Error(ErrorCode::bad_usage,
                fmt::format("replay of pipeline schedule {}: expected durations of at least 1 for "
                            "forward and backward and 0 for the others, found forward {}, backward "
                            "{}, weight_gradient {}, transfer {}",
                            schedule.name, durations.forward, durations.backward,
                            durations.weight_gradient, durations.transfer));
  }
  require_valid(schedule);
  Replay result;
  result.times = detail::item_times(schedule, durations);
  for (const auto& times : result.times) {
    result.makespan = std::max(result.makespan, times.back().end);
  }
  for (std::uint32_t stage = 0; stage < schedule.stages; ++stage) {
    Ticks busy = 0;
    for (const ItemTime& time : result.times[stage]) busy += time.end - time.start;
    result.idle.push_back(result.makespan - busy);
    result.in_flight_peak.push_back(in_flight_peak(schedule, stage));
  }
  return result;
}

}  // namespace megascale::parallel
