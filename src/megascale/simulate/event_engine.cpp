// The event engine: conservative parallel simulation in windows of time. Islands act on each other
// only through the network, and never sooner than the shortest latency of a transfer between them.
// So everything within one such latency from now depends only on what is already known. In each
// window one thread first runs the network; then all threads run the islands independently. A
// barrier separates the windows.
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
// With fewer islands per thread than this, threads would wait for each other longer than they work.
constexpr std::uint32_t kLeastIslandsPerThread = 16;
constexpr std::size_t kIslandsAtOnce = 8;  // islands that a thread takes at once

// Runs one simulation; the comment at the top of this file describes the method.
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
  // Starts the next window. One thread executes this while the others wait at the barrier.
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
    // Threads take islands when they are free. So a thread that loses its core for a moment delays
    // the others less than with fixed shares.
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
  // For each rank: its island, and its place in it.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> place_of_;
  std::vector<Island> islands_;
  std::vector<double> next_;                    // for each island: time of its next event
  std::vector<std::vector<RemoteJoin>> joins_;  // for each thread: joins of this window
  double horizon_ = 0;                          // end of this window
  std::atomic<std::size_t> taken_ = 0;  // islands of this window that threads have taken so far
  bool is_over_ = false;
  Simulation result_;
};

}  // namespace

Simulation simulate(const Job& job, const SimulationOptions& options) {
  MEGASCALE_CHECK(options.steps > 0 && !job.ranks.empty(), "a simulation has ranks and steps");
  return Engine(job, options).run();
}

}  // namespace megascale::simulate
