// Goal: of a job that hangs, the rank that stopped is named, and no rank that waits. Method: plans of
// real configurations run in an emulated job that publishes records as a lane runner does. One rank
// stops at a random task: before it starts, after it has started, or after the partners of a transfer
// have started. The others go on, in random order, until nobody can.
#include "megascale/observe/hang.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "megascale/config/load.h"
#include "megascale/job/job_plan.h"

namespace megascale::observe {
namespace {

enum class Stop : std::uint8_t { before_start, after_start, after_match };

class EmulatedJob {
 public:
  static constexpr std::int64_t kFirstStep = 5, kSteps = 2;

  EmulatedJob(const job::JobPlan& job, std::uint64_t seed) : random_(seed) {
    for (std::uint32_t r = 0; r < job.grid.world_size(); ++r) {
      const plan::VerifiedPlan plan = job.plan_of(r, job.train_verification);
      Rank& rank = ranks_.emplace_back(Rank{.plan = {plan.shared_plan(), plan.binding()}});
      for (std::uint32_t id = 0; id < plan.plan().tasks().size(); ++id)
        rank.lanes[lane_of(rank, id)].push_back(id);
      begin_step(rank, kFirstStep);
    }
  }
  [[nodiscard]] const plan::StepPlan& plan(std::uint32_t rank) const {
    return *ranks_[rank].plan.plan;
  }

  // Runs until no rank can go on. Returns whether `stopping` has stopped.
  bool run(std::uint32_t stopping, std::uint32_t task, Stop when) {
    const std::int64_t step = kFirstStep + static_cast<std::int64_t>(random_() % kSteps);
    bool stopped = false;
    std::uniform_int_distribution<std::size_t> rank_of(0, ranks_.size() - 1),
        lane_number(0, graph::kLaneCount - 1);
    for (std::size_t idle = 0; idle < 400 * ranks_.size();) {
      const std::size_t r = rank_of(random_), lane = lane_number(random_);
      if (stopped && r == stopping) {
        ++idle;
        continue;
      }
      const auto here = [&](std::uint32_t id, Stop at) {
        return r == stopping && id == task && ranks_[r].step.step == step && at == when;
      };
      const auto result = advance(ranks_[r], lane, here);
      stopped = stopped || result == Advance::stops;
      idle = result == Advance::nothing ? idle + 1 : 0;
    }
    return stopped;
  }

  [[nodiscard]] std::vector<RankProgress> progress() const {
    std::vector<RankProgress> result;
    for (const Rank& rank : ranks_) {
      const RingFile ring{
          .plan_digest = {},
          .writer = RingFile::Writer{.rank = 0, .process_id = 1, .host_name = "host"},
          .steps = {rank.step}};
      result.push_back(progress_of(rank.plan, ring));
    }
    return result;
  }

 private:
  struct Rank {
    plan::RankPlan plan;
    std::array<std::vector<std::uint32_t>, graph::kLaneCount> lanes = {};
    std::array<std::uint32_t, graph::kLaneCount> done = {};
    RingStep step = {};
    std::map<std::string, std::uint64_t> transfers = {};  // started, by key of the communicator
  };
  struct Transfer {
    std::size_t started = 0, matched = 0;
  };
  enum class Advance : std::uint8_t { nothing, something, stops };

  static std::size_t lane_of(const Rank& rank, std::uint32_t id) {
    return static_cast<std::size_t>(rank.plan.plan->op(rank.plan.plan->tasks()[id]).lane);
  }
  void begin_step(Rank& rank, std::int64_t number) {
    rank.done = {};
    rank.step = {.step = number, .begin_ns = ++now_, .end_ns = 0, .records = {}};
    rank.step.records.resize(rank.plan.plan->tasks().size());
  }

  // Does the next thing on a lane: starts its head, sees the partners, or ends it. `here(task, when)`
  // says whether the rank stops instead.
  template <class Here>
  Advance advance(Rank& rank, std::size_t lane, const Here& here) {
    if (rank.done[lane] == rank.lanes[lane].size()) return end_step(rank);
    const std::uint32_t id = rank.lanes[lane][rank.done[lane]];
    const plan::Task& task = rank.plan.plan->tasks()[id];
    const plan::PlanOp& op = rank.plan.plan->op(task);
    TaskRecord& record = rank.step.records[id];
    const auto* group =
        op.def->transfer ? &rank.plan.binding.communicators[plan::index(op.communicator)] : nullptr;
    if (record.start_ns == 0) {
      for (const plan::Wait& wait : rank.plan.plan->waits(task)) {
        if (rank.done[static_cast<std::size_t>(wait.lane)] < wait.count) return Advance::nothing;
      }
      if (here(id, Stop::before_start)) return Advance::stops;
      record.start_ns = ++now_;
      if (group != nullptr) ++open(rank, *group, true).started;
      return here(id, Stop::after_start) ? Advance::stops : Advance::something;
    }
    if (group != nullptr) {
      Transfer& transfer = open(rank, *group, false);
      if (record.matched_ns == 0) {
        if (transfer.started < group->members.size()) return Advance::nothing;
        record.matched_ns = ++now_;
        ++transfer.matched;
        return here(id, Stop::after_match) ? Advance::stops : Advance::something;
      }
      if (transfer.matched < group->members.size()) return Advance::nothing;
    }
    record.done_ns = ++now_;
    ++rank.done[lane];
    return Advance::something;
  }

  Advance end_step(Rank& rank) {
    for (std::size_t lane = 0; lane < graph::kLaneCount; ++lane) {
      if (rank.done[lane] < rank.lanes[lane].size()) return Advance::nothing;
    }
    if (rank.step.end_ns == 0) {
      rank.step.end_ns = ++now_;
      return Advance::something;
    }
    if (rank.step.step + 1 == kFirstStep + kSteps) return Advance::nothing;
    begin_step(rank, rank.step.step + 1);
    return Advance::something;
  }

  Transfer& open(Rank& rank, const plan::CommunicatorBinding& group, bool starts) {
    std::uint64_t& number = rank.transfers[group.key];
    if (starts) ++number;
    return transfers_[{group.key, number}];
  }

  std::mt19937_64 random_;
  std::vector<Rank> ranks_;
  std::map<std::pair<std::string, std::uint64_t>, Transfer> transfers_;
  std::int64_t now_ = 0;
};

job::JobPlan plan_of(const std::vector<std::string>& settings) {
  std::vector<std::string> all{"model.num_layers=4",          "model.hidden_size=32",
                               "model.num_attention_heads=4", "model.seq_length=16",
                               "train.global_batch_size=16",  "parallel.world_size=4"};
  all.insert(all.end(), settings.begin(), settings.end());
  return job::plan_job(parse_config("", "test", all), 1, 1);
}

// Returns up to `kinds` tasks of different op kinds.
std::vector<std::uint32_t> tasks_of_kinds(const plan::StepPlan& plan, std::size_t kinds,
                                          std::mt19937_64& random) {
  std::map<std::string_view, std::vector<std::uint32_t>> by_kind;
  for (std::uint32_t id = 0; id < plan.tasks().size(); ++id) {
    if (!plan.tasks()[id].carried) by_kind[plan.op(plan.tasks()[id]).def->name].push_back(id);
  }
  std::vector<std::uint32_t> tasks;
  for (const auto& [name, ids] : by_kind) tasks.push_back(ids[random() % ids.size()]);
  std::shuffle(tasks.begin(), tasks.end(), random);
  if (tasks.size() > kinds) tasks.resize(kinds);
  return tasks;
}

TEST(HangTest, TheRankThatStoppedIsNamedAndNoOther) {
  const std::vector<std::vector<std::string>> layouts{
      {"parallel.tensor_model_parallel_size=2", "parallel.pipeline_model_parallel_size=2"},
      {"parallel.zero_stage=2"},
      {"parallel.pipeline_model_parallel_size=2", "parallel.virtual_pipeline_size=2",
       "parallel.pipeline_schedule=interleaved"},
      {"parallel.context_parallel_size=2", "parallel.zero_stage=1"},
      {"parallel.pipeline_model_parallel_size=4", "parallel.pipeline_schedule=zb-h1"}};
  std::size_t cases = 0;
  for (const auto& layout : layouts) {
    const job::JobPlan job = plan_of(layout);
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      std::mt19937_64 random(seed);
      const auto rank = static_cast<std::uint32_t>(random() % 4);
      for (const std::uint32_t task :
           tasks_of_kinds(job.stage_of(rank).train.expansion.plan, 10, random)) {
        for (const Stop when : {Stop::before_start, Stop::after_start, Stop::after_match}) {
          EmulatedJob emulated(job, seed + 100 * task);
          const bool stopped = emulated.run(rank, task, when);
          const bool transfers =
              emulated.plan(rank).op(emulated.plan(rank).tasks()[task]).def->transfer != nullptr;
          ASSERT_EQ(stopped, transfers || when != Stop::after_match);
          if (!stopped) continue;
          SCOPED_TRACE(fmt::format("seed {}, rank {}, task {} ({}), stop {}", seed, rank, task,
                                   emulated.plan(rank).task_name(task), static_cast<int>(when)));
          const HangVerdict verdict = find_hang(emulated.progress());
          ASSERT_FALSE(verdict.suspects.empty());
          for (const Suspect& suspect : verdict.suspects)
            EXPECT_EQ(suspect.rank, rank) << to_string(suspect);
          // A rank that stops behind the start of a transfer may wait for partners, who are behind
          // because of its other lanes.
          const auto is_here = [&](const auto& one) {
            return one.rank == rank && one.task == task;
          };
          EXPECT_TRUE(std::any_of(verdict.suspects.begin(), verdict.suspects.end(), is_here) ||
                      (when == Stop::after_start &&
                       std::any_of(verdict.waiting.begin(), verdict.waiting.end(), is_here)))
              << to_string(verdict.suspects.front());
          ++cases;
        }
      }
    }
  }
  EXPECT_GE(cases, 500U);
}

TEST(HangTest, AJobThatEndedHasNoSuspects) {
  const job::JobPlan job = plan_of({"parallel.zero_stage=1"});
  EmulatedJob emulated(job, 1);
  EXPECT_FALSE(emulated.run(0, ~0U, Stop::before_start));
  const HangVerdict verdict = find_hang(emulated.progress());
  EXPECT_TRUE(verdict.between_steps);
  EXPECT_TRUE(verdict.suspects.empty());
}

TEST(HangTest, RanksWithoutRecordsAndRanksBetweenStepsAreNamed) {
  const job::JobPlan job = plan_of({"parallel.zero_stage=1"});
  EmulatedJob emulated(job, 1);
  (void)emulated.run(0, 0, Stop::before_start);
  auto ranks = emulated.progress();
  ranks[0].step = EmulatedJob::kFirstStep + 3;
  ranks[1] = progress_of(ranks[1].rank, {});
  ranks[2].step = EmulatedJob::kFirstStep;
  ranks[2].ended = true;
  const HangVerdict verdict = find_hang(ranks);
  ASSERT_GE(verdict.suspects.size(), 2U);
  EXPECT_EQ(verdict.suspects[0].rank, 1U);
  EXPECT_EQ(verdict.suspects[0].why, Suspect::Why::no_records);
  EXPECT_EQ(verdict.suspects[1].rank, 2U);
  EXPECT_EQ(verdict.suspects[1].why, Suspect::Why::between_steps);
}

TEST(HangTest, RanksThatDidNothingBetweenTwoReadingsAreFound) {
  const job::JobPlan job = plan_of({"parallel.zero_stage=1"});
  EmulatedJob emulated(job, 1);
  const auto before = emulated.progress();
  (void)emulated.run(3, 0, Stop::before_start);
  auto after = emulated.progress();
  after[3] = before[3];
  EXPECT_EQ(find_stopped(before, after), std::vector<std::uint32_t>{3});
}

}  // namespace
}  // namespace megascale::observe
