#include "megascale/plan/untimed.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "support/exchange_plan.h"

namespace megascale::plan {
namespace {

using graph::Lane;
using megascale::testing::PlanWriter;
using megascale::testing::TaskId;

constexpr std::array kLanes{Lane::compute, Lane::data, Lane::tensor, Lane::forward_send};

// Ranks that issue the same transfers, now and then in another order, one too few, or with waits
// that cannot be.
std::vector<RankPlan> random_job(std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  const auto below = [&](std::size_t n) { return static_cast<std::uint32_t>(engine() % n); };
  const std::uint32_t ranks = 2 + below(3), groups = 1 + below(4), transfers = 1 + below(10);
  struct Group {
    std::string name;
    std::vector<std::uint32_t> members;
    Lane lane;
  };
  std::vector<Group> all;
  for (std::uint32_t g = 0; g < groups; ++g) {
    Group group{fmt::format("group{}", g), {}, kLanes[1 + below(3)]};
    for (std::uint32_t r = 0; r < ranks; ++r) {
      if (below(3) != 0) group.members.push_back(r);
    }
    if (group.members.empty()) group.members.push_back(below(ranks));
    all.push_back(group);
  }
  std::vector<std::uint32_t> common;  // the order of the transfers, by group
  for (std::uint32_t t = 0; t < transfers; ++t) common.push_back(below(groups));
  std::vector<RankPlan> job;
  for (std::uint32_t r = 0; r < ranks; ++r) {
    PlanWriter w;
    const auto buffer = w.buffer("b", 64);
    std::map<std::uint32_t, CommunicatorId> mine;
    for (std::uint32_t g = 0; g < groups; ++g) {
      const auto& members = all[g].members;
      if (std::find(members.begin(), members.end(), r) != members.end()) {
        mine.emplace(g, w.communicator(all[g].name, members, all[g].lane));
      }
    }
    std::vector<std::uint32_t> order = common;
    if (below(3) == 0 && order.size() > 1)
      std::swap(order[below(order.size())], order[below(order.size())]);
    if (below(12) == 0) order.erase(order.begin() + below(order.size()));
    std::uint32_t tasks = 0;
    const auto after = [&] {
      PlanWriter::TaskOptions options;
      for (std::uint32_t i = 0, n = below(3); i < n && tasks > 0; ++i)
        options.after.push_back(below(tasks));
      return options;
    };
    for (const std::uint32_t group : order) {
      if (below(2) == 0) {
        w.work(kLanes[below(4)], "work", {}, after(), [](const auto&) { return nullptr; });
        ++tasks;
      }
      if (!mine.contains(group)) continue;
      w.transfer(graph::all_reduce_op(), fmt::format("transfer{}", tasks), mine.at(group),
                 {w.whole(buffer, graph::Access::accumulate)}, after());
      ++tasks;
    }
    job.push_back(w.rank_plan(r));
  }
  return job;
}

// The same semantics, one move at a time in random order: any enabled move may be next, and
// starting a transfer and ending it are moves of their own.
class RandomSimulation {
 public:
  RandomSimulation(std::span<const RankPlan> ranks, std::uint64_t seed)
      : ranks_(ranks), engine_(seed) {
    for (const RankPlan& rank : ranks_) {
      Rank state;
      for (TaskId id = 0; id < rank.plan->tasks().size(); ++id)
        state.lanes[lane_of(rank, id)].tasks.push_back(id);
      states_.push_back(state);
    }
  }

  // The heads of lanes that never end, as (rank, task).
  std::set<std::pair<std::size_t, TaskId>> run() {
    for (;;) {
      std::vector<std::function<void()>> moves;
      for (std::size_t r = 0; r < ranks_.size(); ++r) {
        for (auto& [lane, state] : states_[r].lanes) {
          Lane_& l = state;
          if (l.done == l.tasks.size()) continue;
          if (!l.started && waits_done(r, l.tasks[l.done]))
            moves.emplace_back([this, r, &l] { start(r, l); });
          if (l.started && may_end(r, l.tasks[l.done])) {
            moves.emplace_back([&l] {
              l.started = false;
              ++l.done;
            });
          }
        }
      }
      if (moves.empty()) break;
      moves[engine_() % moves.size()]();
    }
    std::set<std::pair<std::size_t, TaskId>> stuck;
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
      for (const auto& [lane, l] : states_[r].lanes) {
        if (l.done < l.tasks.size()) stuck.emplace(r, l.tasks[l.done]);
      }
    }
    return stuck;
  }

  // Members of the stuck transfer that have not started it; nothing if the task has not started
  // itself.
  std::vector<std::uint32_t> missing(std::size_t r, TaskId task) {
    std::vector<std::uint32_t> result;
    if (!numbers_.contains({r, task})) return result;
    for (const std::uint32_t member : binding(r, task).members) {
      if (!started_[{binding(r, task).key, numbers_.at({r, task})}].contains(member))
        result.push_back(member);
    }
    return result;
  }
  [[nodiscard]] bool has_started(std::size_t r, TaskId task) const {
    return numbers_.contains({r, task});
  }

 private:
  struct Lane_ {
    std::vector<TaskId> tasks;
    std::size_t done = 0;
    bool started = false;
  };
  struct Rank {
    std::map<Lane, Lane_> lanes;
    std::map<std::uint32_t, std::uint32_t> next;  // by communicator
  };
  static Lane lane_of(const RankPlan& rank, TaskId id) {
    return rank.plan->op(rank.plan->tasks()[id]).lane;
  }
  [[nodiscard]] const PlanOp& op(std::size_t r, TaskId id) const {
    return ranks_[r].plan->op(ranks_[r].plan->tasks()[id]);
  }
  [[nodiscard]] const CommunicatorBinding& binding(std::size_t r, TaskId id) const {
    return ranks_[r].binding.communicators[index(op(r, id).communicator)];
  }
  bool waits_done(std::size_t r, TaskId id) {
    for (const Wait& wait : ranks_[r].plan->waits(ranks_[r].plan->tasks()[id])) {
      if (states_[r].lanes[wait.lane].done < wait.count) return false;
    }
    return true;
  }
  void start(std::size_t r, Lane_& lane) {
    lane.started = true;
    const TaskId id = lane.tasks[lane.done];
    if (!op(r, id).def->transfer) return;
    numbers_[{r, id}] = states_[r].next[static_cast<std::uint32_t>(op(r, id).communicator)]++;
    started_[{binding(r, id).key, numbers_[{r, id}]}].insert(ranks_[r].binding.rank);
  }
  bool may_end(std::size_t r, TaskId id) {
    return !op(r, id).def->transfer || started_[{binding(r, id).key, numbers_[{r, id}]}].size() ==
                                           binding(r, id).members.size();
  }

  std::span<const RankPlan> ranks_;
  std::mt19937_64 engine_;
  std::vector<Rank> states_;
  std::map<std::pair<std::size_t, TaskId>, std::uint32_t> numbers_;
  std::map<std::pair<std::string, std::uint32_t>, std::set<std::uint32_t>> started_;
};

TEST(UntimedTest, StopsWhereEveryOrderStops) {
  int complete = 0, stopped = 0;
  for (int seed = 0; seed < 2000; ++seed) {
    const auto job = random_job(seed);
    const auto stuck = run_untimed(job);
    ++(stuck.empty() ? complete : stopped);
    std::set<std::pair<std::size_t, TaskId>> got;
    for (const StuckTask& s : stuck) got.emplace(s.rank_index, s.task);
    for (int order = 0; order < 3; ++order) {
      RandomSimulation simulation(job, static_cast<std::uint64_t>(seed) * 10 + order);
      ASSERT_EQ(simulation.run(), got) << "seed " << seed << " order " << order;
      for (const StuckTask& s : stuck) {
        std::string want =
            simulation.has_started(s.rank_index, s.task) ? "do not start it:" : "waits for task";
        for (const std::uint32_t rank : simulation.missing(s.rank_index, s.task))
          want += fmt::format(" {}", rank);
        EXPECT_NE(s.reason.find(want), std::string::npos)
            << "seed " << seed << ": " << s.reason << ", expected " << want;
        EXPECT_TRUE(!simulation.has_started(s.rank_index, s.task) || s.reason.ends_with(want))
            << s.reason;
      }
    }
  }
  EXPECT_GT(complete, 300);
  EXPECT_GT(stopped, 300);
}

TEST(UntimedTest, NamesARankThatIsNoPartOfTheJob) {
  PlanWriter w;
  const auto group = w.communicator("pair", {0, 7}, Lane::data);
  w.transfer(graph::all_reduce_op(), "reduce", group,
             {w.whole(w.buffer("b", 4), graph::Access::accumulate)}, {});
  const std::vector<RankPlan> job{w.rank_plan(0)};
  const auto stuck = run_untimed(job);
  ASSERT_EQ(stuck.size(), 1U);
  EXPECT_EQ(stuck[0].reason, "never ends: on pair these ranks do not start it: 7");
}

}  // namespace
}  // namespace megascale::plan
