// Where nothing is shared, steps take the longest path through their dependency graph; slow ranks
// make it longer as that graph says. The path is found here another way: by raising start times
// until nothing moves.
#include <algorithm>
#include <map>

#include "job/folding.h"
#include "simulate/jobs.h"

namespace megascale::testing {
namespace {

simulate::OpCost by_kind(const plan::PlanOp& op) {
  const std::size_t h = std::hash<std::string>{}(op.path + std::string(op.def->name));
  const double seconds = 1e-6 * static_cast<double>(1 + h % 97);
  if (op.def->transfer) return {.seconds = seconds, .latency_seconds = 0.5e-6};
  return {.seconds = seconds};
}

// A task of a step of a rank.
struct TaskPlace {
  std::size_t rank, step, task;
};

// The dependency graph of some steps in a row, and when what is in it is done.
class LongestPath {
 public:
  LongestPath(const simulate::Job& job, std::size_t steps) : job_(job), steps_(steps) {
    for (std::size_t r = 0; r < job.ranks.size(); ++r) {
      const plan::StepPlan& plan = plan_of(r);
      done_.emplace_back(steps, std::vector<double>(plan.tasks().size(), 0.0));
      std::map<std::uint32_t, std::size_t> sequence;
      for (std::size_t s = 0; s < steps; ++s) {
        for (std::size_t id = 0; id < plan.tasks().size(); ++id) {
          const plan::PlanOp& op = plan.op(plan.tasks()[id]);
          if (!op.def->transfer) continue;
          const std::uint32_t group = job.ranks[r].groups[plan::index(op.communicator)];
          transfers_[{group, sequence[group]++}].push_back({r, s, id});
        }
      }
    }
  }

  // By step: when the last task that it ends with is done.
  std::vector<double> step_ends() {
    do {
      moved_ = false;
      find_starts();
      for (std::size_t r = 0; r < job_.ranks.size(); ++r) compute(r);
      transfer();
    } while (moved_);
    std::vector<double> ends(steps_, 0.0);
    for (std::size_t r = 0; r < job_.ranks.size(); ++r) {
      for (std::size_t s = 0; s < steps_; ++s) ends[s] = std::max(ends[s], end_of(r, s));
    }
    return ends;
  }

 private:
  [[nodiscard]] const plan::StepPlan& plan_of(std::size_t rank) const {
    return *job_.ranks[rank].plan;
  }
  // Of the rank's step, but for what is carried into the next.
  [[nodiscard]] double end_of(std::size_t r, std::size_t s) const {
    double end = 0;
    for (std::size_t id = 0; id < done_[r][s].size(); ++id) {
      if (!plan_of(r).tasks()[id].carried) end = std::max(end, done_[r][s][id]);
    }
    return end;
  }

  // As early as what is known of the ends before allows.
  void find_starts() {
    start_.clear();
    for (std::size_t r = 0; r < job_.ranks.size(); ++r) {
      const plan::StepPlan& plan = plan_of(r);
      std::array<double, graph::kLaneCount> lane_free{};  // when the step before left the lane
      start_.emplace_back(steps_);
      double begin = 0;
      for (std::size_t s = 0; s < steps_; ++s) {
        std::array<std::vector<std::size_t>, graph::kLaneCount> lanes;
        for (std::size_t id = 0; id < plan.tasks().size(); ++id) {
          const plan::Task& task = plan.tasks()[id];
          const auto number = static_cast<std::size_t>(plan.op(task).lane);
          double at = std::max(begin, lane_free[number]);
          for (const plan::Wait& wait : plan.waits(task)) {
            const auto& lane = lanes[static_cast<std::size_t>(wait.lane)];
            at = std::max(at, done_[r][s][lane[wait.count - 1]]);
          }
          lanes[number].push_back(id);
          lane_free[number] = done_[r][s][id];
          start_[r][s].push_back(at);
        }
        begin = std::max(begin, end_of(r, s));
      }
    }
  }

  void compute(std::size_t r) {
    const plan::StepPlan& plan = plan_of(r);
    for (std::size_t id = 0; id < plan.tasks().size(); ++id) {
      const plan::PlanOp& op = plan.op(plan.tasks()[id]);
      if (op.def->transfer) continue;
      const double seconds = (*job_.ranks[r].costs)[plan::index(plan.tasks()[id].op)].seconds;
      const double speed = op.lane == graph::Lane::compute ? job_.ranks[r].speed : 1.0;
      for (std::size_t s = 0; s < steps_; ++s)
        raise({r, s, id}, start_[r][s][id] + seconds / speed);
    }
  }

  void transfer() {
    for (const auto& [id, members] : transfers_) {
      double at = 0, seconds = 0, latency = 0;
      for (const auto& [r, s, task] : members) {
        const auto& cost = (*job_.ranks[r].costs)[plan::index(plan_of(r).tasks()[task].op)];
        at = std::max(at, start_[r][s][task]);
        seconds = std::max(seconds, cost.seconds);
        latency = std::max(latency, cost.latency_seconds);
      }
      for (const TaskPlace& member : members) raise(member, at + latency + seconds);
    }
  }

  void raise(const TaskPlace& place, double end) {
    double& done = done_[place.rank][place.step][place.task];
    if (end <= done) return;
    done = end;
    moved_ = true;
  }

  using Times = std::vector<std::vector<std::vector<double>>>;  // by rank, step, task
  const simulate::Job& job_;
  const std::size_t steps_;
  std::map<std::pair<std::uint32_t, std::size_t>, std::vector<TaskPlace>> transfers_;
  Times start_, done_;
  bool moved_ = false;
};

constexpr std::uint32_t kPathSteps = 3;

// The seconds of the last step, as the engine and as the longest path say.
double last_step(const simulate::Job& job) {
  const simulate::Simulation done = simulate::simulate(job, {.steps = kPathSteps});
  const std::vector<double> path = LongestPath(job, kPathSteps).step_ends();
  for (std::size_t s = 0; s < kPathSteps; ++s) EXPECT_NEAR(done.step_ends[s], path[s], 1e-12) << s;
  return done.step_seconds();
}

const std::vector<Layout>& path_layouts() {
  static const std::vector<Layout> all{
      Layout{},
      Layout{.tensor = 2, .pieces = 2},
      Layout{.data = 3, .zero_stage = 2},
      Layout{.pipeline = 3},
      Layout{.tensor = 2, .data = 2, .pipeline = 2, .zero_stage = 1},
      Layout{.data = 2, .pipeline = 2, .schedule = "zb-h1", .overlap = false},
      Layout{.tensor = 2, .pipeline = 4, .schedule = "interleaved"}};
  return all;
}

simulate::Job path_job(const Layout& layout) {
  const job::JobPlan plans = plan_layout(layout, 4);
  EXPECT_TRUE(plans.train_verification.ok());
  return simulate::make_job(plans.train_verification.plans, itself, costs_by_op(by_kind));
}

// A host that is 10 % slower (MegaScale, section 6.3), wherever it stands; a host is a tensor
// group.
TEST(CriticalPathTest, StepsTakeTheLongestPathWithASlowHostToo) {
  for (const Layout& layout : path_layouts()) {
    SCOPED_TRACE(name(layout));
    simulate::Job job = path_job(layout);
    const double even = last_step(job);
    for (std::size_t host = 0; host < job.ranks.size(); host += layout.tensor) {
      SCOPED_TRACE(host);
      for (std::size_t r = host; r < host + layout.tensor; ++r) job.ranks[r].speed = 1 / 1.1;
      const double slow = last_step(job);
      EXPECT_GT(slow, even);
      EXPECT_LE(slow, 1.1 * even + 1e-12);
      for (simulate::JobRank& rank : job.ranks) rank.speed = 1;
    }
  }
}

// What a slow rank computes longer is what its step is longer by where nothing but it computes; of
// a pipeline a part of it disappears in the time in which the rank waits anyway.
TEST(CriticalPathTest, APipelineAbsorbsAPartOfASlowRank) {
  const auto reaches_step = [](const Layout& layout) {
    simulate::Job job = path_job(layout);
    double busy = 0;
    const plan::StepPlan& plan = *job.ranks[0].plan;
    for (const plan::Task& task : plan.tasks()) {
      if (plan.op(task).lane == graph::Lane::compute)
        busy += (*job.ranks[0].costs)[plan::index(task.op)].seconds;
    }
    const double even = last_step(job);
    job.ranks[0].speed = 1 / 1.1;
    return (last_step(job) - even) / (0.1 * busy);
  };
  EXPECT_NEAR(reaches_step({}), 1, 1e-9);
  const double of_pipeline = reaches_step({.pipeline = 3});
  EXPECT_GT(of_pipeline, 0.1);
  EXPECT_LT(of_pipeline, 0.95);
}

}  // namespace
}  // namespace megascale::testing
