#include "megascale/simulate/event_engine.h"

#include <algorithm>
#include <atomic>
#include <barrier>
#include <map>
#include <memory>
#include <thread>

#include "megascale/base/error.h"
#include "megascale/simulate/island.h"
#include "megascale/simulate/islands.h"
#include "megascale/simulate/network.h"
#include "megascale/simulate/rank_program.h"

namespace megascale::simulate {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
// Fewer islands than this a thread, and the threads wait for each other more than they work.
constexpr std::uint32_t kLeastIslandsPerThread = 16;
constexpr std::size_t kIslandsAtOnce = 8;  // that a thread takes

// Conservative windows: what happens between now and one network latency from now depends on
// nothing that is not known now. The network runs through the window first, alone, and tells the
// islands; then they run, side by side.
class Engine {
 public:
  Engine(const Job& job, const SimulationOptions& options)
      : options_(options), cut_(find_islands(job)), network_(job), place_of_(job.ranks.size()) {
    std::vector<std::vector<TaskRecord>*> records_of(job.ranks.size(), nullptr);
    result_.records.reserve(options.recorded_ranks.size());
    for (const std::uint32_t rank : options.recorded_ranks) {
      result_.records.emplace_back(job.ranks[rank].plan->tasks().size());
      records_of[rank] = &result_.records.back();
    }
    std::vector<std::vector<IslandRank>> members(cut_.count);
    for (std::uint32_t r = 0; r < job.ranks.size(); ++r) {
      const plan::StepPlan* plan = job.ranks[r].plan.get();
      auto& program = programs_[plan];
      if (program == nullptr) program = std::make_unique<RankProgram>(*plan);
      auto& island = members[cut_.island_of[r]];
      place_of_[r] = {cut_.island_of[r], static_cast<std::uint32_t>(island.size())};
      island.push_back({.rank = r, .program = program.get(), .records = records_of[r]});
    }
    islands_.reserve(cut_.count);
    for (const auto& ranks : members)
      islands_.emplace_back(job, cut_.is_remote, ranks, options.steps, options.jitter);
    const std::uint32_t threads =
        std::clamp(cut_.count / kLeastIslandsPerThread, 1U, std::max(1U, options.threads));
    joins_.resize(threads);
    next_.assign(islands_.size(), kNever);
  }

  Simulation run() {
    for (std::size_t i = 0; i < islands_.size(); ++i) {
      islands_[i].start(joins_[0]);
      next_[i] = islands_[i].next();
    }
    open_window();
    std::barrier window(static_cast<std::ptrdiff_t>(joins_.size()),
                        [this]() noexcept { open_window(); });
    const auto work = [&](std::size_t thread) {
      while (!is_over_) {
        run_islands(thread);
        window.arrive_and_wait();
      }
    };
    {
      std::vector<std::jthread> others;
      for (std::size_t thread = 1; thread < joins_.size(); ++thread)
        others.emplace_back(work, thread);
      work(0);
    }
    result_.step_ends.assign(options_.steps, 0.0);
    for (const Island& island : islands_) {
      MEGASCALE_CHECK(island.is_done(), "a proven job completes in every timing");
      result_.tasks += island.tasks();
      for (std::size_t s = 0; s < result_.step_ends.size(); ++s)
        result_.step_ends[s] = std::max(result_.step_ends[s], island.step_ends()[s]);
    }
    return std::move(result_);
  }

 private:
  // One thread; the others wait.
  void open_window() noexcept {
    for (std::vector<RemoteJoin>& joins : joins_) {
      for (const RemoteJoin& join : joins) network_.join(join);
      joins.clear();
    }
    double now = network_.next();
    for (const double next : next_) now = std::min(now, next);
    is_over_ = now == kNever;
    horizon_ = now + cut_.lookahead_seconds;
    taken_.store(0, std::memory_order_relaxed);
    network_.run(horizon_, [&](std::uint32_t rank, NetworkEvent event) {
      const auto [island, place] = place_of_[rank];
      event.rank = place;
      islands_[island].receive(event);
      next_[island] = std::min(next_[island], event.time);
    });
  }

  void run_islands(std::size_t thread) {
    // As threads come free: one whose core is taken away for a moment holds the others up less.
    for (;;) {
      const std::size_t begin = taken_.fetch_add(kIslandsAtOnce, std::memory_order_relaxed);
      const std::size_t end = std::min(begin + kIslandsAtOnce, islands_.size());
      if (begin >= end) return;
      for (std::size_t i = begin; i < end; ++i) {
        if (next_[i] >= horizon_) continue;
        islands_[i].run(horizon_, joins_[thread]);
        next_[i] = islands_[i].next();
      }
    }
  }

  const SimulationOptions& options_;
  const Islands cut_;
  std::map<const plan::StepPlan*, std::unique_ptr<const RankProgram>> programs_;
  Network network_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> place_of_;  // by rank: island, place there
  std::vector<Island> islands_;
  std::vector<double> next_;                    // by island
  std::vector<std::vector<RemoteJoin>> joins_;  // by thread
  double horizon_ = 0;
  std::atomic<std::size_t> taken_ = 0;  // islands of this window that a thread has taken
  bool is_over_ = false;
  Simulation result_;
};

}  // namespace

Simulation simulate(const Job& job, const SimulationOptions& options) {
  MEGASCALE_CHECK(options.steps > 0 && !job.ranks.empty(), "a simulation has ranks and steps");
  return Engine(job, options).run();
}

}  // namespace megascale::simulate
