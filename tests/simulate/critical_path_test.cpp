// Where nothing is shared, a step takes the longest path through its dependency graph; slow ranks
// make it longer as that graph says. The path is found here another way: by raising start times
// until nothing moves.
#include <algorithm>
#include <map>

#include "engine/folding.h"
#include "simulate/jobs.h"

namespace megascale::testing {
namespace {

simulate::OpCost by_kind(const plan::PlanOp& op) {
  const std::size_t h = std::hash<std::string>{}(op.path + std::string(op.def->name));
  const double seconds = 1e-6 * static_cast<double>(1 + h % 97);
  if (op.def->collective) return {.seconds = seconds, .latency_seconds = 0.5e-6};
  return {.seconds = seconds};
}

// When the last task of one step of the job is done.
double longest_path(const simulate::Job& job) {
  struct Member {
    std::size_t rank, task;
  };
  std::map<std::pair<std::uint32_t, std::size_t>, std::vector<Member>> transfers;
  std::vector<std::vector<double>> done;
  for (std::size_t r = 0; r < job.ranks.size(); ++r) {
    const plan::StepPlan& plan = *job.ranks[r].plan;
    done.emplace_back(plan.tasks().size(), 0.0);
    std::map<std::uint32_t, std::size_t> sequence;
    for (std::size_t id = 0; id < plan.tasks().size(); ++id) {
      const plan::PlanOp& op = plan.op(plan.tasks()[id]);
      if (!op.def->collective) continue;
      const std::uint32_t group = job.ranks[r].groups[plan::index(op.communicator)];
      transfers[{group, sequence[group]++}].push_back({r, id});
    }
  }
  for (bool moved = true; moved;) {
    moved = false;
    std::vector<std::vector<double>> start;
    for (std::size_t r = 0; r < job.ranks.size(); ++r) {
      const plan::StepPlan& plan = *job.ranks[r].plan;
      std::array<std::vector<std::size_t>, graph::kLaneCount> lanes;
      start.emplace_back();
      for (std::size_t id = 0; id < plan.tasks().size(); ++id) {
        const plan::Task& task = plan.tasks()[id];
        auto& lane = lanes[static_cast<std::size_t>(plan.op(task).lane)];
        double at = lane.empty() ? 0.0 : done[r][lane.back()];
        for (const plan::Wait& wait : plan.waits(task))
          at = std::max(at, done[r][lanes[static_cast<std::size_t>(wait.lane)][wait.count - 1]]);
        lane.push_back(id);
        start.back().push_back(at);
      }
    }
    const auto raise = [&](std::size_t r, std::size_t id, double end) {
      if (end <= done[r][id]) return;
      done[r][id] = end;
      moved = true;
    };
    for (std::size_t r = 0; r < job.ranks.size(); ++r) {
      const plan::StepPlan& plan = *job.ranks[r].plan;
      for (std::size_t id = 0; id < plan.tasks().size(); ++id) {
        if (plan.op(plan.tasks()[id]).def->collective) continue;
        const double seconds = (*job.ranks[r].costs)[plan::index(plan.tasks()[id].op)].seconds;
        const bool computes = plan.op(plan.tasks()[id]).lane == graph::Lane::compute;
        raise(r, id, start[r][id] + seconds / (computes ? job.ranks[r].speed : 1.0));
      }
    }
    for (const auto& [id, members] : transfers) {
      double at = 0, seconds = 0, latency = 0;
      for (const auto& [r, task] : members) {
        const auto& cost = (*job.ranks[r].costs)[plan::index(job.ranks[r].plan->tasks()[task].op)];
        at = std::max(at, start[r][task]);
        seconds = std::max(seconds, cost.seconds);
        latency = std::max(latency, cost.latency_seconds);
      }
      for (const auto& [r, task] : members) raise(r, task, at + latency + seconds);
    }
  }
  double last = 0;
  for (std::size_t r = 0; r < job.ranks.size(); ++r) {
    const plan::StepPlan& plan = *job.ranks[r].plan;
    for (std::size_t id = 0; id < plan.tasks().size(); ++id) {
      if (!plan.tasks()[id].carried) last = std::max(last, done[r][id]);
    }
  }
  return last;
}

TEST(CriticalPathTest, AStepTakesTheLongestPath) {
  for (const Layout& layout :
       {Layout{}, Layout{.tensor = 2, .pieces = 2}, Layout{.data = 3, .zero_stage = 2},
        Layout{.pipeline = 3}, Layout{.tensor = 2, .data = 2, .pipeline = 2, .zero_stage = 1},
        Layout{.data = 2, .pipeline = 2, .schedule = "zb-h1", .overlap = false}}) {
    SCOPED_TRACE(name(layout));
    const engine::JobPlan plans = plan_layout(layout, 4);
    ASSERT_TRUE(plans.train_verification.ok());
    simulate::Job job =
        simulate::make_job(plans.train_verification.plans, itself, costs_by_op(by_kind));
    const double even = simulate::simulate(job, {.steps = 1}).step_seconds();
    EXPECT_NEAR(even, longest_path(job), 1e-12);
    job.ranks.back().speed = 1 / 1.1;  // a host that is 10 % slower
    const double slow = simulate::simulate(job, {.steps = 1}).step_seconds();
    EXPECT_NEAR(slow, longest_path(job), 1e-12);
    EXPECT_GT(slow, even);
    EXPECT_LE(slow, 1.1 * even + 1e-12);
  }
}

}  // namespace
}  // namespace megascale::testing
