// The plans of whole jobs: proven for many layouts, communicators that all members see alike,
// serial transfers, and faults seeded into the plan of one rank of eight.
#include "megascale/job/job_plan.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "megascale/config/load.h"
#include "megascale/plan/bind.h"
#include "megascale/plan/clocks.h"

namespace megascale::job {
namespace {

using graph::Axis;
using graph::Lane;
using plan::PlanOp;
using plan::StepPlan;
using plan::Task;
using plan::Violation;
using plan::ViolationKind;
using Tables = StepPlan::Tables;

struct Sizes {
  int tensor = 1, context = 1, data = 1, pipeline = 1;
};
JobPlan job_of(const Sizes& sizes, const std::vector<std::string>& more = {}) {
  const auto [tensor, context, data, pipeline] = sizes;
  std::vector<std::string> all{
      "model.num_layers=6",
      "model.hidden_size=24",
      "model.num_attention_heads=12",
      "model.seq_length=12",
      "train.global_batch_size=12",
      "train.threads_per_rank=1",
      fmt::format("parallel.world_size={}", tensor * context * data * pipeline),
      fmt::format("parallel.tensor_model_parallel_size={}", tensor),
      fmt::format("parallel.context_parallel_size={}", context),
      fmt::format("parallel.pipeline_model_parallel_size={}", pipeline)};
  all.insert(all.end(), more.begin(), more.end());
  return plan_job(parse_config("", "test", all));
}

JobPlan eight_ranks(const std::vector<std::string>& more = {}, int context = 1) {
  std::vector<std::string> all{"parallel.zero_stage=2", "parallel.pipeline_schedule=interleaved",
                               "parallel.virtual_pipeline_size=3"};
  all.insert(all.end(), more.begin(), more.end());
  return job_of({.tensor = 2 / context, .context = context, .data = 2, .pipeline = 2}, all);
}

// A name that no op has would leave everything as it is, without a word.
TEST(JobPlanTest, OpsToRecomputeAreOnesThatPlansHave) {
  const auto refusal = [](std::vector<std::string> settings) -> std::string {
    settings.emplace_back("recompute.granularity=list");
    try {
      (void)job_of({}, settings);
    } catch (const Error& error) {
      return error.message();
    }
    return "";
  };
  EXPECT_NE(refusal({"recompute.ops=gelu,layernorm"}).find("found \"layernorm\""),
            std::string::npos);
  EXPECT_EQ(refusal({"recompute.ops=gelu,layer_norm"}), "");
  const std::vector<std::string> device{"train.device=cuda", "model.dtype=bfloat16",
                                        "recompute.ops=gelu"};
  EXPECT_NE(refusal(device).find("expected linear_gelu"), std::string::npos);
  auto apart = device;
  apart.emplace_back("kernels.fused_gelu=false");
  EXPECT_EQ(refusal(apart), "");
}

TEST(JobPlanTest, PlansOfManyLayoutsAreProven) {
  int jobs = 0;
  for (const int tensor : {1, 2, 3}) {
    for (const int data : {1, 2, 3}) {
      for (const int pipeline : {1, 2, 3}) {
        for (const char* schedule : {"1f1b", "gpipe", "zb-h1", "interleaved"}) {
          const int zero = jobs % 3, context = 1 + jobs / 2 % 2;
          const char* recompute = jobs % 2 == 0 ? "none" : "full";
          const bool interleaved = schedule == std::string("interleaved");
          if (interleaved && (pipeline == 1 || (12 / data) % pipeline != 0)) continue;
          const JobPlan job = job_of(
              {tensor, context, data, pipeline},
              {fmt::format("parallel.pipeline_schedule={}", schedule),
               fmt::format("parallel.virtual_pipeline_size={}", interleaved ? 6 / pipeline : 1),
               fmt::format("parallel.zero_stage={}", zero),
               fmt::format("recompute.granularity={}", recompute),
               fmt::format("optimizer.name={}", jobs % 5 == 0 ? "lamb" : "adamw"),
               fmt::format("overlap.data={}", jobs % 7 != 0)});
          EXPECT_EQ(violations({&job.train_verification, &job.evaluate_verification}), "")
              << tensor << " " << context << " " << data << " " << pipeline << " " << schedule;
          ++jobs;
        }
      }
    }
  }
  EXPECT_GT(jobs, 90);
}

// Goal: the head costs the last stage bytes once, and not in the slot of every micro-batch in
// flight. The last stage then needs no more for activations than a stage before it, which has more
// micro-batches in flight.
TEST(JobPlanTest, SlotsOfTheLastStageAreNoLargerThanThoseBeforeIt) {
  const JobPlan job =
      job_of({.tensor = 2, .pipeline = 3},
             {"parallel.pipeline_schedule=interleaved", "parallel.virtual_pipeline_size=2",
              "model.seq_length=144", "model.untie_embeddings_and_output_weights=true"});
  const auto retained = [&](std::size_t stage) {
    return job.stages[stage]
        .train.memory.by_category[static_cast<std::size_t>(plan::Category::retained)];
  };
  EXPECT_LT(retained(2), retained(1));
  EXPECT_LT(retained(1), retained(0));
}

// A key names one row of ranks in the whole job, and every one of them uses it; both plans of a run
// mean the same by it.
TEST(BindTest, KeysAgreeOnAllMembers) {
  const JobPlan job = eight_ranks();
  std::map<std::string, std::vector<std::uint32_t>> members;
  std::map<std::string, std::set<std::uint32_t>> users;
  for (const plan::Verification* verification :
       {&job.train_verification, &job.evaluate_verification}) {
    ASSERT_EQ(verification->plans.size(), 8U);
    for (std::uint32_t rank = 0; rank < 8; ++rank) {
      const plan::Binding& binding = verification->plans[rank].binding();
      EXPECT_EQ(binding.rank, rank);
      EXPECT_EQ(binding.coordinates, job.grid.coordinates(rank));
      std::set<std::string> own;
      for (const plan::CommunicatorBinding& group : binding.communicators) {
        EXPECT_TRUE(own.insert(group.key).second) << group.key << " twice on a rank";
        EXPECT_EQ(group.members[group.my_index], rank) << group.key;
        EXPECT_GT(group.members.size(), 1U) << group.key;
        EXPECT_EQ(members.try_emplace(group.key, group.members).first->second, group.members)
            << group.key;
        users[group.key].insert(rank);
      }
    }
  }
  for (const auto& [key, group] : members) {
    EXPECT_EQ(users[key], std::set<std::uint32_t>(group.begin(), group.end())) << key;
  }
}

// By hand on a grid of 2 x 2 x 2: groups differ in their axes only, edges go along the pipeline.
TEST(BindTest, MembersAreThoseOfTheGrid) {
  const JobPlan job = eight_ranks();
  int groups = 0, edges = 0;
  for (std::uint32_t rank = 0; rank < 8; ++rank) {
    const plan::VerifiedPlan& verified = job.train_verification.plans[rank];
    for (std::size_t c = 0; c < verified.plan().communicators().size(); ++c) {
      const plan::Communicator& communicator = verified.plan().communicators()[c];
      const plan::CommunicatorBinding& binding = verified.binding().communicators[c];
      const auto stage = [](std::uint32_t r) { return r / 4; };  // pipeline is outermost
      if (communicator.edge_offset != 0) {
        ++edges;
        ASSERT_EQ(binding.members.size(), 2U);
        EXPECT_EQ(binding.members[0] % 4, binding.members[1] % 4);
        EXPECT_NE(stage(binding.members[0]), stage(binding.members[1]));
        EXPECT_EQ(binding.members[communicator.edge_offset > 0 ? 0 : 1], rank)
            << "the first of an edge is where it begins";
        continue;
      }
      ++groups;
      std::vector<std::uint32_t> want;
      for (std::uint32_t other = 0; other < 8; ++other) {
        bool differs_elsewhere = false;
        // The experts' axes factor the same ranks once more; no group of a dense model is theirs.
        for (const Axis axis : {Axis::tensor, Axis::context, Axis::data, Axis::pipeline}) {
          const auto a = static_cast<std::size_t>(axis);
          differs_elsewhere = differs_elsewhere ||
                              (!communicator.axes.contains(axis) &&
                               job.grid.coordinates(rank)[a] != job.grid.coordinates(other)[a]);
        }
        if (!differs_elsewhere) want.push_back(other);
      }
      EXPECT_EQ(binding.members, want) << binding.key;
    }
  }
  EXPECT_GT(groups, 8);
  EXPECT_GT(edges, 8);
}

// For every task what is done when it starts.
std::vector<plan::Clock> clocks_of(const StepPlan& plan) {
  plan::Clocks clocks(plan.tasks().size());
  std::vector<plan::Clock> at_start;
  for (const Task& task : plan.tasks()) {
    plan::Clock clock = clocks.lane_clock(plan.op(task).lane);
    for (const plan::Wait& wait : plan.waits(task)) clocks.join(clock, wait);
    clocks.push(plan.op(task).lane, clock);
    at_start.push_back(clock);
  }
  return at_start;
}

// Transfers of a plan beside which computation may run: with neither the compute task before known
// to be done when it starts, nor the transfer known to be done when the compute task behind starts.
int transfers_beside_computation(const StepPlan& plan, bool serial_only) {
  const auto at_start = clocks_of(plan);
  constexpr auto kCompute = static_cast<std::size_t>(Lane::compute);
  std::array<std::uint32_t, graph::kLaneCount> issued{};
  int beside = 0;
  for (std::uint32_t id = 0; id < plan.tasks().size(); ++id) {
    const PlanOp& op = plan.op(plan.tasks()[id]);
    const auto lane = static_cast<std::size_t>(op.lane);
    ++issued[lane];
    if (!op.def->transfer || (serial_only && !op.serial)) continue;
    bool alone = at_start[id][kCompute] >= issued[kCompute];
    for (std::uint32_t next = id + 1; next < plan.tasks().size(); ++next) {
      if (plan.op(plan.tasks()[next]).lane != Lane::compute) continue;
      alone = alone && at_start[next][lane] >= issued[lane];
      break;
    }
    beside += !alone;
  }
  return beside;
}

TEST(SerialTransferTest, ComputationStandsStillWhereOverlapIsOff) {
  struct Dimension {
    const char* key;
    std::vector<Lane> lanes;
  };
  const std::vector<Dimension> dimensions{
      {"overlap.tensor", {Lane::tensor, Lane::context}},
      {"overlap.data", {Lane::data}},
      {"overlap.pipeline",
       {Lane::forward_send, Lane::forward_receive, Lane::backward_send, Lane::backward_receive}}};
  for (const int context : {1, 2}) {
    const JobPlan with = eight_ranks({}, context);
    for (const StagePlan& stage : with.stages) {
      const StepPlan& plan = stage.train.expansion.plan;
      EXPECT_GT(transfers_beside_computation(plan, false), 10);
      EXPECT_TRUE(std::none_of(plan.ops().begin(), plan.ops().end(),
                               [](const PlanOp& op) { return op.serial; }));
    }
    for (const Dimension& dimension : dimensions) {
      const JobPlan without = eight_ranks({std::string(dimension.key) + "=false"}, context);
      EXPECT_EQ(violations({&without.train_verification}), "");
      for (const StagePlan& stage : without.stages) {
        const StepPlan& plan = stage.train.expansion.plan;
        int serial = 0;
        for (const PlanOp& op : plan.ops()) {
          const bool of_dimension = std::find(dimension.lanes.begin(), dimension.lanes.end(),
                                              op.lane) != dimension.lanes.end();
          EXPECT_EQ(op.serial, of_dimension) << op.path;
          serial += op.serial;
        }
        EXPECT_GT(serial, 1) << dimension.key;
        EXPECT_EQ(transfers_beside_computation(plan, true), 0) << dimension.key;
      }
    }
  }
}

// One rank of eight has another plan than its class.
plan::Verification verify_with(const JobPlan& job, std::uint32_t rank, const Tables& tables) {
  std::vector<plan::RankPlan> ranks;
  for (std::uint32_t r = 0; r < 8; ++r) {
    const StepPlan& plan = job.stage_of(r).train.expansion.plan;
    ranks.push_back({std::make_shared<const StepPlan>(r == rank ? StepPlan(tables) : plan),
                     plan::bind(plan, job.grid, r)});
  }
  return plan::verify(std::move(ranks));
}

::testing::AssertionResult is_named(const plan::Verification& verification, ViolationKind kind,
                                    std::uint32_t rank, const std::string& task) {
  std::string all;
  for (const Violation& violation : verification.violations) {
    all += violation.message + "\n";
    const bool here = violation.rank == rank ||
                      violation.message.find(fmt::format("rank {} ", rank)) != std::string::npos;
    if (violation.kind == kind && here && violation.message.find(task) != std::string::npos) {
      return ::testing::AssertionSuccess();
    }
  }
  return ::testing::AssertionFailure() << "no " << plan::to_string(kind) << " of rank " << rank
                                       << " and task " << task << " in:\n"
                                       << all;
}

constexpr std::uint32_t kFaulty = 5;

struct Seeded {
  JobPlan job = eight_ranks();
  const plan::Expansion& expansion = job.stage_of(kFaulty).train.expansion;
  Tables tables = expansion.plan.tables();

  [[nodiscard]] const PlanOp& op(std::size_t task) const {
    return tables.ops[index(tables.tasks[task].op)];
  }
  // The n-th task from 0 of a kind on a lane.
  [[nodiscard]] std::uint32_t find(std::string_view kind, Lane lane, int n) const {
    for (std::uint32_t id = 0; id < tables.tasks.size(); ++id) {
      if (op(id).def->name == kind && op(id).lane == lane && n-- == 0) return id;
    }
    ADD_FAILURE() << "no " << kind;
    return 0;
  }
};

TEST(SeededFaultTest, TheJobWithoutAFaultIsProven) {
  Seeded seeded;
  EXPECT_TRUE(verify_with(seeded.job, kFaulty, seeded.tables).ok());
}

TEST(SeededFaultTest, TwoCollectivesSwapped) {
  Seeded seeded;
  const std::uint32_t first = seeded.find("reduce_scatter", Lane::data, 0);
  std::uint32_t second = first + 1;
  const auto nbytes = [&](std::uint32_t id) { return seeded.op(id).operands[0].nbytes; };
  while (seeded.op(second).def->name != "reduce_scatter" ||
         seeded.op(second).communicator != seeded.op(first).communicator ||
         nbytes(second) == nbytes(first)) {
    ASSERT_LT(++second, seeded.tables.tasks.size());
  }
  std::swap(seeded.tables.tasks[first].op, seeded.tables.tasks[second].op);
  const auto verification = verify_with(seeded.job, kFaulty, seeded.tables);
  EXPECT_TRUE(verification.plans.empty());
  EXPECT_TRUE(is_named(verification, ViolationKind::mismatch, kFaulty,
                       StepPlan(seeded.tables).task_name(first)));
}

TEST(SeededFaultTest, WrongCount) {
  Seeded seeded;
  const std::uint32_t id = seeded.find("all_reduce", Lane::step, 0);
  const std::string name = StepPlan(seeded.tables).task_name(id);
  seeded.tables.ops[index(seeded.tables.tasks[id].op)].operands[0].nbytes -= 8;
  EXPECT_TRUE(is_named(verify_with(seeded.job, kFaulty, seeded.tables), ViolationKind::mismatch,
                       kFaulty, name));
}

TEST(SeededFaultTest, MissingReceive) {
  Seeded seeded;
  const std::uint32_t gone = seeded.find("recv", Lane::forward_receive, 1);
  // Waits behind it count one task less of its lane.
  constexpr std::uint32_t kPlace = 2;  // it is the second task of the lane
  for (plan::Wait& wait : seeded.tables.waits) {
    if (wait.lane == Lane::forward_receive && wait.count >= kPlace) --wait.count;
  }
  seeded.tables.tasks.erase(seeded.tables.tasks.begin() + gone);
  const auto verification = verify_with(seeded.job, kFaulty, seeded.tables);
  EXPECT_TRUE(verification.plans.empty());
  EXPECT_TRUE(is_named(verification, ViolationKind::mismatch, kFaulty,
                       "has no partner: rank 5 does 17 transfers on forward 1 to 5, this rank 18"));
}

// Every wait that only the reuse of memory asks for: without it, the two tasks are named.
TEST(SeededFaultTest, BufferReusedTooEarly) {
  Seeded seeded;
  ASSERT_GT(seeded.expansion.reuse_waits.size(), 4U);
  const StepPlan& plan = seeded.expansion.plan;
  for (std::size_t r = 0; r < seeded.expansion.reuse_waits.size();
       r += 1 + seeded.expansion.reuse_waits.size() / 5) {
    const plan::ReuseWait& reuse = seeded.expansion.reuse_waits[r];
    Tables tables = plan.tables();
    Task& task = tables.tasks[reuse.task];
    const Lane lane = plan.op(plan.tasks()[reuse.earlier]).lane;
    const auto begin = tables.waits.begin() + task.first_wait;
    const auto wait = std::find_if(begin, begin + task.wait_count,
                                   [&](const plan::Wait& w) { return w.lane == lane; });
    ASSERT_NE(wait, begin + task.wait_count);
    std::swap(*wait, *(begin + task.wait_count - 1));
    --task.wait_count;
    const auto verification = verify_with(seeded.job, kFaulty, tables);
    const std::string name = plan.task_name(reuse.task);
    EXPECT_TRUE(is_named(verification, ViolationKind::hazard, kFaulty, name)) << r;
  }
}

}  // namespace
}  // namespace megascale::job
