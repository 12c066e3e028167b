// Goal: the numbers of ranks are put together correctly, also while only some rings are read.
// Method: a planned job of 8 ranks in two stages; the numbers of steps are made up.
#include "megascale/serve/rank_history.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <thread>

#include "megascale/base/error.h"
#include "megascale/config/load.h"
#include "megascale/observe/ring_file.h"
#include "megascale/plan/bind.h"
#include "megascale/runtime/record_ring.h"
#include "megascale/serve/rank_json.h"
#include "megascale/serve/rank_reader.h"
#include "megascale/serve/step_store.h"
#include "support/scratch_directory.h"

namespace megascale::serve {
namespace {

using ::testing::ElementsAre;

// Of 2 tensor x 2 data ranks in each stage.
Config config_of(int stages) {
  return parse_config(
      fmt::format("[model]\nnum_layers = {}\nhidden_size = 32\nnum_attention_heads = 2\n"
                  "seq_length = 16\n[data]\ndata_path = [\"x\"]\n"
                  "[train]\nglobal_batch_size = 8\nmicro_batch_size = 1\n"
                  "[parallel]\nworld_size = {}\ntensor_model_parallel_size = 2\n"
                  "pipeline_model_parallel_size = {}\n",
                  stages, 4 * stages, stages),
      "test");
}

class RankHistoryTest : public ::testing::Test {
 protected:
  RingNews news(std::uint32_t rank, std::int64_t step, double compute = 1) const {
    RingNews one{.rank = rank,
                 .process_id = 1,
                 .is_new_process = false,
                 .host = rank < 4 ? "a" : "b",
                 .problem = {},
                 .steps = {}};
    one.steps.emplace_back(step, entry(rank, compute));
    return one;
  }
  RankStepEntry entry(std::uint32_t rank, double compute = 1) const {
    RankStepEntry one;
    one.numbers.times = {.step = 2, .compute = compute, .by_op = {{"linear", compute}}};
    one.moving.assign(works_.plan_of(rank).communicators().size(), 0.5);
    return one;
  }
  StoredStep stored(std::uint32_t rank, std::int64_t step) const {
    return {.rank = rank,
            .step = step,
            .host = "a",
            .work = works_.work_of(rank),
            .entry = entry(rank)};
  }
  void take_all(std::int64_t step, double compute_of_rank_3 = 1) {
    for (std::uint32_t rank = 0; rank < 8; ++rank)
      history_.take(news(rank, step, rank == 3 ? compute_of_rank_3 : 1));
  }

  Config config_ = config_of(/*stages=*/2);
  job::JobPlan job_ = job::plan_job(config_);
  JobWorks works_{job_};
  RankHistory history_{works_};
};

// Stages in the middle have an edge of the same name on either side.
TEST(GroupIndexTest, EveryRanksGroupsAreThoseOfItsBinding) {
  const job::JobPlan job = job::plan_job(config_of(/*stages=*/4));
  const JobWorks works(job);
  std::vector<const plan::StepPlan*> plans;
  for (std::uint32_t rank = 0; rank < works.world_size(); ++rank)
    plans.push_back(&works.plan_of(rank));
  std::size_t bound = 0, memberships = 0;
  const observe::GroupIndex index(plans, [&](std::uint32_t rank, std::size_t communicator) {
    ++bound;
    return plan::bind(plans[rank]->communicators()[communicator], job.grid, rank);
  });
  EXPECT_EQ(bound, index.groups().size());
  std::map<std::string, std::uint32_t> numbers;  // by key
  for (std::uint32_t rank = 0; rank < works.world_size(); ++rank) {
    const plan::Binding binding = plan::bind(*plans[rank], job.grid, rank);
    const auto groups = index.groups_of(rank);
    ASSERT_EQ(groups.size(), binding.communicators.size());
    for (std::size_t c = 0; c < groups.size(); ++c) {
      EXPECT_EQ(index.groups()[groups[c]].members, binding.communicators[c].members);
      EXPECT_EQ(numbers.emplace(binding.communicators[c].key, groups[c]).first->second, groups[c])
          << binding.communicators[c].key;
      ++memberships;
    }
  }
  EXPECT_EQ(numbers.size(), index.groups().size()) << "each group once";
  EXPECT_GT(memberships, 2 * bound);
}

TEST_F(RankHistoryTest, OnlyStepsThatAllRanksHaveAreCommon) {
  take_all(0);
  take_all(1);
  EXPECT_FALSE(history_.take(news(2, 2))) << "it follows step 1";
  EXPECT_TRUE(history_.take(news(3, 5))) << "steps 2 to 4 are missing";
  EXPECT_THAT(history_.common_steps(10), ElementsAre(0, 1));
  EXPECT_THAT(history_.common_steps(1), ElementsAre(1));
  RingNews again = news(3, 1);
  again.is_new_process = true;
  history_.take(std::move(again));
  EXPECT_THAT(history_.common_steps(10), ElementsAre(1)) << "its earlier process is gone";
}

TEST_F(RankHistoryTest, StoredStepsOutliveTheFirstLookAtTheirRing) {
  for (const int step : {1, 2, 9}) history_.take(stored(0, step));
  RingNews first = news(0, 3);
  first.is_new_process = true;
  first.newest = 3;
  EXPECT_FALSE(history_.take(std::move(first))) << "it follows step 2";
  EXPECT_THAT(history_.common_steps(10), ElementsAre(1, 2, 3)) << "9 is of an earlier process";
}

TEST_F(RankHistoryTest, StoredStepsFillGapsOnly) {
  take_all(3);
  for (std::uint32_t rank = 0; rank < 8; ++rank) history_.take(stored(rank, 2));
  EXPECT_THAT(history_.common_steps(10), ElementsAre(2, 3));
  history_.take(stored(0, 4));
  EXPECT_EQ(history_.ranks().at(0).steps.size(), 2U) << "the ring ends before it";
  StoredStep other = stored(0, 1);
  other.work = "another plan";
  history_.take(std::move(other));
  history_.take(StoredStep{.rank = 99, .step = 1, .host = {}, .work = {}, .entry = {}});
  EXPECT_EQ(history_.ranks().at(0).steps.size(), 2U);
  EXPECT_EQ(history_.ranks().size(), 8U);
}

TEST_F(RankHistoryTest, SlowRanksAreFoundAnewWhenNumbersChange) {
  take_all(0, 1.5);
  ASSERT_EQ(history_.stragglers(16, 1).size(), 1U);
  EXPECT_THAT(history_.stragglers(16, 1)[0].ranks, ElementsAre(3));
  EXPECT_TRUE(history_.stragglers(16, 8).empty()) << "too few steps";
  for (int step = 1; step < 5; ++step) take_all(step);
  EXPECT_TRUE(history_.stragglers(16, 1).empty());
}

TEST(RankHistoryOfTwoTest, AWireAloneIsComparedWithEarlierSteps) {
  const job::JobPlan job = job::plan_job(
      parse_config("[model]\nnum_layers = 1\nhidden_size = 32\nnum_attention_heads = 2\n"
                   "seq_length = 16\n[data]\ndata_path = [\"x\"]\n"
                   "[train]\nglobal_batch_size = 2\nmicro_batch_size = 1\n"
                   "[parallel]\nworld_size = 2\n",
                   "test"));
  const JobWorks works(job);
  RankHistory history(works);
  const auto take_steps = [&](std::int64_t first, std::int64_t last, double moving) {
    for (std::int64_t step = first; step < last; ++step) {
      for (std::uint32_t rank = 0; rank < 2; ++rank) {
        RankStepEntry entry;
        entry.numbers.times = {.step = 1, .compute = 0.5};
        entry.moving.assign(works.plan_of(rank).communicators().size(), moving);
        RingNews news{.rank = rank,
                      .process_id = 1,
                      .is_new_process = false,
                      .host = "a",
                      .problem = {},
                      .steps = {}};
        news.steps.emplace_back(step, std::move(entry));
        history.take(std::move(news));
      }
    }
  };
  take_steps(0, 40, 0.1);
  EXPECT_TRUE(history.stragglers(16, 8).empty());
  take_steps(40, 56, 0.2);
  const auto& found = history.stragglers(16, 8);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].cause, observe::SlowCause::wire);
  EXPECT_THAT(found[0].ranks, ElementsAre(0, 1));
  EXPECT_DOUBLE_EQ(found[0].usual,
                   0.1 * static_cast<double>(works.plan_of(0).communicators().size()))
      << "the transfers of the two ranks together";
  take_steps(56, 100, 0.2);
  EXPECT_TRUE(history.stragglers(16, 8).empty()) << "half of its past is as slow";
}

TEST_F(RankHistoryTest, TheTableTellsOfTheRanksThatAreReadSoFar) {
  EXPECT_THROW((void)rank_table(history_, {.read = 0, .all = 8}, {}), Error);
  for (const std::uint32_t rank : {0U, 4U}) history_.take(news(rank, 0));
  auto table = rank_table(history_, {.read = 2, .all = 8}, {});
  EXPECT_EQ(table.at("reading").dump(), R"({"ranks":2,"all":8})");
  EXPECT_EQ(table.at("rank"), (nlohmann::json{0, 4}));
  take_all(0, 1.5);
  table = rank_table(history_, {.read = 8, .all = 8}, {});
  EXPECT_TRUE(table.contains("reading")) << "stored steps are still read";
  EXPECT_TRUE(table.at("stragglers").empty());
  table = rank_table(history_, {.read = 8, .all = 8, .is_complete = true},
                     {.steps = 4, .least_steps = 1, .keys = {{"compute"}}});
  EXPECT_FALSE(table.contains("reading"));
  EXPECT_EQ(table.at("rank").size(), 8U);
  EXPECT_EQ(table.at("hosts"), (nlohmann::json{"a", "b"}));
  EXPECT_EQ(table.at("host"), (nlohmann::json{0, 0, 0, 0, 1, 1, 1, 1}));
  EXPECT_EQ(table.at("work"), (nlohmann::json{0, 0, 0, 0, 1, 1, 1, 1}));
  EXPECT_EQ(table.at("stragglers").size(), 1U);
  for (const auto& column : table.at("columns"))
    EXPECT_EQ(column.at("values").size(), column.at("key") == "compute" ? 8 : 0) << column;
}

// A ring as a rank writes it.
class RankReaderTest : public RankHistoryTest {
 protected:
  RankReaderTest() { std::filesystem::create_directories(run_.events()); }
  void do_step(std::uint32_t rank, std::int64_t step) {
    auto& ring = rings_[rank];
    if (!ring) {
      ring = std::make_unique<runtime::RecordRing>(
          run_.ring(rank), runtime::RecordRing::Options{.tasks = static_cast<std::uint32_t>(
                                                            works_.plan_of(rank).tasks().size()),
                                                        .steps = 4,
                                                        .plan_digest = works_.work_of(rank),
                                                        .rank = rank});
    }
    std::int64_t now = 1000 * (step + 1);
    for (TaskRecord& record : ring->begin_step(step)) {
      record = TaskRecord{};
      record.head_ns = record.start_ns = record.matched_ns = now;
      record.done_ns = ++now;
    }
    ring->end_step(step);
  }
  std::vector<std::int64_t> steps_of(RankReader& reader) const {
    std::vector<std::int64_t> steps;
    reader.visit(RankReader::kForever,
                 [&](const RankHistory& ranks, const RankReader::Progress& progress) {
                   EXPECT_TRUE(progress.is_complete);
                   steps = ranks.common_steps(100);
                 });
    return steps;
  }
  testing::ScratchDirectory scratch_;
  RunDirectory run_{scratch_ / "run"};
  std::map<std::uint32_t, std::unique_ptr<runtime::RecordRing>> rings_;
};

TEST_F(RankReaderTest, WhoAsksGetsAllThatWasRecordedBefore) {
  RankReader reader(run_, works_);
  EXPECT_THAT(steps_of(reader), ElementsAre()) << "no rings yet";
  for (std::uint32_t rank = 0; rank < 8; ++rank) do_step(rank, 0);
  std::this_thread::sleep_for(RankReader::kRefresh);
  EXPECT_THAT(steps_of(reader), ElementsAre(0));
  for (int step = 1; step < 3; ++step)
    for (std::uint32_t rank = 0; rank < 8; ++rank) do_step(rank, step);
  std::this_thread::sleep_for(RankReader::kRefresh);
  EXPECT_THAT(steps_of(reader), ElementsAre(0, 1, 2));
}

TEST_F(RankReaderTest, RecordsOfStoredStepsAreNotReducedAgain) {
  constexpr double kStored = 123;  // no records say so
  std::vector<StoredStep> steps;
  for (std::uint32_t rank = 0; rank < 8; ++rank) {
    for (int step = 0; step < 3; ++step) do_step(rank, step);
    for (const observe::RingStep& step : observe::read_ring(run_.ring(rank)).steps) {
      if (step.step == 2) continue;
      steps.push_back(stored(rank, step.step));
      steps.back().entry.numbers.times.compute = kStored;
      steps.back().entry.numbers.times.step =
          1e-9 * static_cast<double>(step.end_ns - step.begin_ns);
    }
  }
  // Of rank 3, step 1 and one that it has not done yet are of an earlier process.
  steps[2 * 3 + 1].entry.numbers.times.step *= 1.01;
  steps.push_back(stored(3, 7));
  StepStore(run_.step_store("a"), 100).write(steps);
  RankReader reader(run_, works_);
  EXPECT_THAT(steps_of(reader), ElementsAre(0, 1, 2));
  reader.visit(RankReader::kForever, [&](const RankHistory& ranks, const auto&) {
    const auto is_stored = [&](std::uint32_t rank, std::int64_t step) {
      return ranks.ranks().at(rank).steps.at(step).numbers.times.compute == kStored;
    };
    EXPECT_TRUE(is_stored(0, 0) && is_stored(0, 1) && is_stored(7, 1) && is_stored(3, 0));
    EXPECT_FALSE(is_stored(0, 2) || is_stored(3, 1) || is_stored(3, 2));
    EXPECT_FALSE(ranks.ranks().at(3).steps.contains(7));
    EXPECT_EQ(ranks.ranks().at(3).newest_in_ring, 2);
  });
  for (std::uint32_t rank = 0; rank < 8; ++rank) do_step(rank, 3);
  std::this_thread::sleep_for(RankReader::kRefresh);
  EXPECT_THAT(steps_of(reader), ElementsAre(0, 1, 2, 3)) << "new steps come from the rings";
}

TEST_F(RankReaderTest, ARingOfAnotherPlanIsNamed) {
  do_step(0, 0);
  rings_[1] = std::make_unique<runtime::RecordRing>(
      run_.ring(1),
      runtime::RecordRing::Options{.tasks = 3, .steps = 4, .plan_digest = "0123", .rank = 1});
  (void)rings_[1]->begin_step(0);
  rings_[1]->end_step(0);
  RankReader(run_, works_).visit(RankReader::kForever, [](const RankHistory& ranks, const auto&) {
    EXPECT_EQ(ranks.ranks().at(0).problem, "");
    EXPECT_THAT(ranks.ranks().at(1).problem, ::testing::HasSubstr("belong to plan 0123"));
  });
}

}  // namespace
}  // namespace megascale::serve
