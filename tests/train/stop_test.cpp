// Stop requests travel with the norms of the steps. So every rank stops after the same step, and a
// step without a save costs no exchange outside of its plan.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <deque>
#include <mutex>

#include "megascale/config/derived.h"
#include "megascale/job/batch_plans.h"
#include "megascale/train/rank_trainer.h"
#include "support/watchdog.h"
#include "train/training.h"

namespace megascale::testing {
namespace {

using namespace std::chrono_literals;

// Counts the exchanges of the coordination that it passes on to.
class CountingCoordination final : public comm::Coordination {
 public:
  explicit CountingCoordination(comm::Coordination& to) : to_(&to) {}
  [[nodiscard]] std::uint32_t rank() const noexcept override { return to_->rank(); }
  [[nodiscard]] std::uint32_t world_size() const noexcept override { return to_->world_size(); }
  std::string broadcast(std::string message, std::string_view about) override {
    ++exchanges;
    return to_->broadcast(std::move(message), about);
  }
  std::vector<std::string> gather(std::string message, std::string_view about) override {
    ++exchanges;
    return to_->gather(std::move(message), about);
  }
  bool any(bool mine, std::string_view about) override {
    ++exchanges;
    return to_->any(mine, about);
  }
  [[nodiscard]] Near near() const noexcept override { return to_->near(); }
  void shift(std::span<const std::byte> send, std::span<std::byte> receive, std::uint32_t offset,
             std::string_view about) override {
    ++exchanges;
    to_->shift(send, receive, offset, about);
  }
  void abort(const Error& error) noexcept override { to_->abort(error); }

  int exchanges = 0;

 private:
  comm::Coordination* to_;
};

struct RankOutcome {
  std::int64_t steps_done = 0;
  bool interrupted = false;
  int exchanges = 0, commits = 0;  // of the loop's coordination, and of that of commits
};

// Trains with ranks as threads. `asked`: the rank that is asked to stop once its step `at` has
// started; at -1 before the first one. Absent: none is.
struct Asked {
  std::uint32_t rank = 0;
  std::int64_t at = 0;
};
std::vector<RankOutcome> train_ranks(Laboratory& laboratory, Settings settings,
                                     std::optional<Asked> asked = {}) {
  settings.push_back("train.run_dir=" + laboratory.new_checkpoints().parent_path().string());
  const Config config = laboratory.config(settings);
  const job::BatchPlans plans = job::plan_batches(config, 0);
  const job::JobPlan& job = plans.full();
  const Dataset data = open_dataset(config, Split::train);
  const std::vector<NamedDataset> validation = open_validation(config);
  std::vector<RankOutcome> outcomes(job.grid.world_size());
  std::deque<std::atomic<bool>> stop(outcomes.size());
  std::deque<train::TrainOptions> options(outcomes.size());
  for (std::size_t rank = 0; rank < outcomes.size(); ++rank) {
    options[rank].on_step = [](const train::StepMetrics&, bool, double) {};
    options[rank].on_message = [](const std::string&) {};
    options[rank].stop = &stop[rank];
    if (asked && asked->rank == rank) {
      if (asked->at < 0) stop[rank] = true;
      // Task 0 runs once a step, when the step has started.
      options[rank].before_task = [&stop, at = asked->at, steps = std::int64_t{0}](
                                      std::uint32_t me, std::uint32_t task) mutable {
        if (task == 0 && steps++ == at) stop[me] = true;
      };
    }
  }
  engine::run_ranks({.config = &config, .job = &job, .evaluates = true}, [&](const engine::RankEnds&
                                                                                 ends) {
    const std::uint32_t rank = ends.coordination->rank();
    CountingCoordination counting(*ends.coordination);
    engine::RankEnds counted = ends;
    counted.coordination = &counting;
    CountingCoordination commits(*ends.commits);
    counted.commits = &commits;
    const train::TrainResult result = train::train_rank({.config = &config,
                                                         .options = &options[rank],
                                                         .plans = &plans,
                                                         .data = &data,
                                                         .validation = validation,
                                                         .peak = 1e9},
                                                        counted);
    outcomes[rank] = {result.steps_done, result.interrupted, counting.exchanges, commits.exchanges};
  });
  return outcomes;
}

// Every pair of axes over which the request must travel, and all of them.
const std::vector<Settings> kStopLayouts{
    {"parallel.world_size=2"},
    {"parallel.world_size=3", "parallel.zero_stage=2"},
    {"parallel.world_size=2", "parallel.tensor_model_parallel_size=2"},
    {"parallel.world_size=2", "parallel.context_parallel_size=2"},
    {"parallel.world_size=4", "parallel.pipeline_model_parallel_size=4", "model.num_layers=4"},
    {"parallel.world_size=4", "parallel.pipeline_model_parallel_size=2", "parallel.zero_stage=1"},
    {"parallel.world_size=4", "parallel.tensor_model_parallel_size=2", "optimizer.name=lamb"},
    {"parallel.world_size=8", "parallel.tensor_model_parallel_size=2",
     "parallel.pipeline_model_parallel_size=2"},
    {"parallel.world_size=8", "parallel.tensor_model_parallel_size=2",
     "parallel.pipeline_model_parallel_size=2", "parallel.context_parallel_size=2"}};
const Settings kModel{"model.num_layers=2", "model.hidden_size=16", "model.num_attention_heads=4",
                      "train.micro_batch_size=1"};
Settings with(const Settings& more) {
  Settings all = kModel;
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

TEST(StopRequestTest, AllRanksStopAfterTheStepThatTheAskedRankBeginsNext) {
  // Ranks that disagree about the last step wait for each other for ever.
  const Watchdog watchdog("stop requests", 120s);
  Laboratory laboratory;
  for (const Settings& layout : kStopLayouts) {
    const auto ranks =
        static_cast<std::uint32_t>(laboratory.config(with(layout)).parallel.world_size);
    for (const std::uint32_t asked : {0U, ranks / 2, ranks - 1}) {
      SCOPED_TRACE(fmt::format("{}, rank {} is asked", fmt::join(layout, " "), asked));
      for (const RankOutcome& outcome :
           train_ranks(laboratory, with(layout), Asked{.rank = asked, .at = 1})) {
        EXPECT_EQ(outcome.steps_done, 3);
        EXPECT_TRUE(outcome.interrupted);
      }
    }
  }
}

TEST(StopRequestTest, ARankThatIsAloneStopsAfterTheStepThatRuns) {
  const Watchdog watchdog("stop requests", 120s);
  Laboratory laboratory;
  const auto outcomes = train_ranks(laboratory, with({}), Asked{.rank = 0, .at = 1});
  EXPECT_EQ(outcomes.at(0).steps_done, 2);
}

TEST(StopRequestTest, BeforeTheFirstStepNobodyBeginsIt) {
  const Watchdog watchdog("stop requests", 120s);
  Laboratory laboratory;
  for (const RankOutcome& outcome : train_ranks(
           laboratory, with({"parallel.world_size=4", "parallel.pipeline_model_parallel_size=2"}),
           Asked{.rank = 3, .at = -1})) {
    EXPECT_EQ(outcome.steps_done, 0);
    EXPECT_TRUE(outcome.interrupted);
  }
}

// With evaluations, without a save: the number of exchanges does not depend on the number of steps.
TEST(StopRequestTest, StepsWithoutASaveMakeNoExchangeOutsideOfThePlan) {
  const Watchdog watchdog("stop requests", 120s);
  Laboratory laboratory;
  for (const Settings& layout :
       {Settings{}, Settings{"parallel.world_size=2"},
        Settings{"parallel.world_size=4", "parallel.tensor_model_parallel_size=2"}}) {
    SCOPED_TRACE(fmt::format("{}", fmt::join(layout, " ")));
    Settings few = with(layout), many = with(layout), saving = with(layout);
    few.push_back("train.train_iters=1");
    many.push_back("train.train_iters=7");
    saving.insert(saving.end(),
                  {"train.train_iters=7", "checkpoint.interval=2", "checkpoint.background=false"});
    const auto of_few = train_ranks(laboratory, few), of_many = train_ranks(laboratory, many),
               of_saving = train_ranks(laboratory, saving);
    // All three save at the end; the last one also after steps 2, 4 and 6.
    for (std::size_t rank = 0; rank < of_few.size(); ++rank) {
      EXPECT_EQ(of_few[rank].exchanges, of_many[rank].exchanges) << "rank " << rank;
      EXPECT_EQ(of_few[rank].commits, of_many[rank].commits) << "rank " << rank;
      EXPECT_EQ(of_saving[rank].exchanges, of_many[rank].exchanges) << "rank " << rank;
      EXPECT_EQ(of_saving[rank].commits, 4 * of_many[rank].commits) << "rank " << rank;
      EXPECT_GT(of_few[rank].commits, 0) << "rank " << rank;
    }
  }
}

}  // namespace
}  // namespace megascale::testing
