// Goal: the numbers of all steps reach the file and come back; a sink that is stuck or fails costs only
// counted steps.
// Method: rings are written by hand, as ranks write them, and the streamer follows them.
#include "megascale/serve/streamer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <future>
#include <map>
#include <set>
#include <thread>

#include "megascale/base/error.h"
#include "megascale/base/record_ring_format.h"
#include "megascale/config/load.h"
#include "megascale/control/database.h"
#include "megascale/job/job_plan.h"
#include "megascale/launch/process_state.h"
#include "megascale/runtime/record_ring.h"
#include "megascale/serve/rank_reader.h"
#include "megascale/serve/step_numbers.h"
#include "support/scratch_directory.h"

namespace megascale::serve {
namespace {

using ::testing::HasSubstr;
using namespace std::chrono_literals;

RankStepEntry some_entry(double step) {
  RankStepEntry entry;
  entry.numbers.times = {.step = step, .compute = 0.5, .by_op = {{"gemm", 0.25}}};
  entry.numbers.phases[1] = 0.125;
  entry.numbers.lanes[4] = {.busy = 1, .hidden = 0.5, .partner = 0.25, .late = 0.0625};
  entry.numbers.needed = 0.375;
  entry.numbers.core_wait = 0.03125;
  entry.numbers.transfer_core_wait = 0.015625;
  entry.numbers.input_core_wait = 0.0078125;
  entry.moving = {0.125, 0};
  entry.worst = {{.task = 7, .cause = observe::TaskCause::bubble, .seconds = 0.25},
                 {.task = 3, .cause = observe::TaskCause::compute, .seconds = 0.125}};
  return entry;
}

std::optional<RankStepEntry> back_from(const StepNumbers& packed) {
  return StepForm(packed.names).read(packed.numbers);
}

TEST(StepNumbersTest, NumbersComeBackToTheSeventhDigit) {
  const RankStepEntry entry = some_entry(0.1);
  const auto back = back_from(to_numbers(entry));
  ASSERT_TRUE(back);
  EXPECT_FLOAT_EQ(static_cast<float>(back->numbers.times.step), 0.1F);
  EXPECT_EQ(back->numbers.times.compute, 0.5);
  EXPECT_EQ(back->numbers.times.by_op, entry.numbers.times.by_op);
  EXPECT_EQ(back->numbers.phases, entry.numbers.phases);
  EXPECT_EQ(back->numbers.lanes[4].late, 0.0625);
  EXPECT_EQ(back->numbers.lanes[4].hidden, 0.5);
  EXPECT_EQ(back->numbers.lanes[3].busy, 0);
  EXPECT_THAT(back->moving, ::testing::ElementsAre(0.125, 0));
  EXPECT_EQ(back->worst, entry.worst);
  EXPECT_EQ(back->numbers.needed, 0.375);
  EXPECT_EQ(back->numbers.core_wait, 0.03125);
  EXPECT_EQ(back->numbers.transfer_core_wait, 0.015625);
  EXPECT_EQ(back->numbers.input_core_wait, 0.0078125);
}

TEST(StepNumbersTest, OtherNamesAreSkippedAndOtherLengthsRefused) {
  StepNumbers packed = to_numbers(some_entry(1));
  packed.names += "\nlane.data.of_a_newer_version\nmoving.99999999999\nphase.x\nlane\n";
  EXPECT_FALSE(back_from(packed));
  packed.numbers.append(5 * sizeof(float), '\0');
  const auto back = back_from(packed);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->numbers.times.step, 1);
  EXPECT_EQ(back->moving.size(), 2U);
  EXPECT_FALSE(StepForm("").read(""));
}

class StepFilesTest : public ::testing::Test {
 protected:
  StepFilesTest() { std::filesystem::create_directories(run_.events()); }
  [[nodiscard]] std::vector<std::pair<std::int64_t, double>> stored(std::int64_t first = 0) const {
    std::vector<std::pair<std::int64_t, double>> found;
    read_stored_steps(run_, first, [&](const StoredStep& step) {
      found.emplace_back(step.step, step.entry.numbers.times.step);
      return true;
    });
    return found;
  }
  testing::ScratchDirectory scratch_;
  RunDirectory run_{scratch_ / "run"};
};

TEST_F(StepFilesTest, AFileKeepsTheLastStepsAndReplacesThoseDoneAgain) {
  StepStore store(run_.step_store("host"), 3);
  std::vector<StoredStep> steps;
  for (int step = 0; step < 5; ++step)
    steps.push_back({.rank = 0, .step = step, .host = "host", .work = "w", .entry = some_entry(1)});
  store.write(steps);
  EXPECT_EQ(stored().size(), 3U);
  steps = {{.rank = 0, .step = 3, .host = "host", .work = "w", .entry = some_entry(2)}};
  store.write(steps);
  using Pair = std::pair<std::int64_t, double>;
  EXPECT_EQ(stored(3), (std::vector<Pair>{{3, 2}, {4, 1}}));
  store.add_dropped(7);
  EXPECT_EQ(store_facts(run_).dropped, 7);
  EXPECT_EQ(store_facts(run_).newest_step, 4);
}

// Two plans with equal names, and a file that is opened again.
TEST_F(StepFilesTest, AFileKeepsTheNamesOfEachFormOnce) {
  for (std::int64_t step = 0; step < 4; ++step) {
    StepStore store(run_.step_store("host"), 100);
    const StoredStep one{
        .rank = 0, .step = step, .host = "host", .work = "w", .entry = some_entry(1)};
    const StoredStep other{
        .rank = 1, .step = step, .host = "host", .work = "v", .entry = some_entry(2)};
    store.write(std::vector<StoredStep>{one, other});
  }
  std::map<std::string, int> works;
  read_stored_steps(run_, 0, [&](const StoredStep& step) {
    ++works[step.work];
    EXPECT_EQ(step.entry.numbers.times.step, step.rank == 0 ? 1 : 2);
    EXPECT_EQ(step.host, "host");
    return true;
  });
  EXPECT_EQ(works, (std::map<std::string, int>{{"v", 4}, {"w", 4}}));
  control::Database database(run_.step_store("host"), control::Database::Access::read);
  control::Statement count = database.prepare("SELECT COUNT(*) FROM forms");
  ASSERT_TRUE(count.next());
  EXPECT_EQ(count.integer(), 2);
}

TEST_F(StepFilesTest, FilesThatCannotBeReadAreLeftOut) {
  scratch_.write("run/events/steps-broken.sqlite", "no database, but longer than a header of one");
  {
    StepStore store(run_.step_store("good"), 3);
    store.write(std::vector<StoredStep>{{.step = 1, .entry = some_entry(1)}});
  }
  EXPECT_EQ(stored().size(), 1U);
}

TEST_F(StepFilesTest, NumbersOfManyLanesAndOpsStayBelowTheLimit) {
  RankStepEntry entry = some_entry(1.0 / 3);
  for (auto& lane : entry.numbers.lanes) lane = {1.0 / 3, 1.0 / 7, 1.0 / 9, 1.0 / 11};
  for (int op = 0; op < 100; ++op)
    entry.numbers.times.by_op["an_op_kind_with_a_long_name_" + std::to_string(op)] = 1.0 / 3;
  entry.moving.assign(64, 1.0 / 3);
  EXPECT_LT(to_numbers(entry).numbers.size(), StepStore::kMostBytes / 4);
}

// Writes the steps of one rank into its ring, as a rank does.
class StreamerTest : public StepFilesTest {
 protected:
  StreamerTest()
      : config_(parse_config("[model]\nnum_layers = 1\nhidden_size = 32\nnum_attention_heads = 2\n"
                             "seq_length = 16\n[data]\ndata_path = [\"x\"]\n"
                             "[train]\nglobal_batch_size = 1\nmicro_batch_size = 1\n",
                             "test")) {
    config_.train.run_dir = run_.path().string();
    config_.observe.stored_steps = 1000;
    job_ = std::make_unique<job::JobPlan>(job::plan_job(config_));
    const plan::VerifiedPlan plan = job_->plan_of(0, job_->train_verification);
    ring_ = std::make_unique<runtime::RecordRing>(
        run_.ring(0), runtime::RecordRing::Options{
                          .tasks = static_cast<std::uint32_t>(plan.plan().tasks().size()),
                          .steps = 8,
                          .plan_digest = plan.plan().digest(),
                          .rank = 0});
  }
  void do_step(std::int64_t step) {
    const std::span<TaskRecord> records = ring_->begin_step(step);
    std::int64_t now = 1000 * (step + 1);
    for (TaskRecord& record : records) {
      record = TaskRecord{};
      record.head_ns = record.start_ns = record.matched_ns = now;
      record.done_ns = ++now;
    }
    ring_->end_step(step);
  }
  // Waits for a condition that comes within a minute; the machine may be slow.
  template <class Condition>
  static bool comes(Condition condition) {
    for (int attempt = 0; attempt < 6000; ++attempt) {
      if (condition()) return true;
      std::this_thread::sleep_for(10ms);
    }
    return false;
  }
  const Streamer::OnMessage fails_ = [](const std::string& text) { ADD_FAILURE() << text; };
  Config config_;
  std::unique_ptr<job::JobPlan> job_;
  std::unique_ptr<runtime::RecordRing> ring_;
};

TEST_F(StreamerTest, EveryStepReachesTheFileAlsoThoseThatTheRingHasLost) {
  {
    Streamer streamer(config_, store_sink(config_, fails_), fails_, {.period = 1ms});
    for (int step = 0; step < 40; ++step) {
      do_step(step);
      if (step % 4 == 3) {
        ASSERT_TRUE(comes([&] { return store_facts(run_).newest_step >= step; })) << step;
      }
    }
    EXPECT_EQ(streamer.dropped(), 0);
  }
  EXPECT_EQ(stored().size(), 40U);
  // A reader that comes later sees them all.
  const JobWorks works(*job_);
  RankReader(run_, works).visit(RankReader::kForever, [](const RankHistory& ranks, const auto&) {
    EXPECT_EQ(ranks.common_steps(1000).size(), 40U);
  });
  // Also if the ring is gone.
  ring_.reset();
  std::filesystem::remove(run_.ring(0));
  RankReader(run_, works).visit(RankReader::kForever, [](const RankHistory& ranks, const auto&) {
    EXPECT_EQ(ranks.common_steps(1000).size(), 40U);
    EXPECT_FALSE(ranks.ranks().at(0).host.empty());
  });
}

TEST_F(StreamerTest, StepsThatTheRingLostBeforeTheFirstLookAreCounted) {
  Streamer streamer(config_, store_sink(config_, fails_), fails_);
  streamer.begin(5);
  do_step(25);  // as if the ring had held 5 to 24 meanwhile
  EXPECT_TRUE(comes([&] { return store_facts(run_).newest_step == 25; }));
  EXPECT_EQ(streamer.dropped(), 20);
}

TEST_F(StreamerTest, RingsOfOtherHostsHaveNoNews) {
  const JobWorks works(*job_);
  do_step(0);
  RingFollower elsewhere(run_, works, "another-host");
  EXPECT_THAT(elsewhere.list(), ::testing::ElementsAre(0));
  EXPECT_FALSE(elsewhere.look(0));
  do_step(1);
  EXPECT_FALSE(elsewhere.look(0));
  RingFollower here(run_, works, launch::own_host_name());
  ASSERT_TRUE(here.look(0));
  EXPECT_FALSE(here.look(0)) << "nothing is new";
  do_step(2);
  const auto news = here.look(0);
  ASSERT_TRUE(news);
  EXPECT_EQ(news->steps.size(), 1U);
  EXPECT_EQ(news->steps.front().first, 2);
}

// The pauses of a ring elsewhere are 2, 4, 8 looks and so on, so a rank that moves here is seen within
// RingFollower::kMostPause looks.
TEST_F(StreamerTest, ARankThatComesToThisHostIsSeenThoughItsRingIsSeldomOpened) {
  const JobWorks works(*job_);
  do_step(0);
  RingFollower here(run_, works, launch::own_host_name());
  const auto set_process = [&](std::uint32_t process, const char* host) {
    std::fstream ring(run_.ring(0), std::ios::binary | std::ios::in | std::ios::out);
    ring.seekp(offsetof(RecordRingHeader, process_id));
    ring.write(reinterpret_cast<const char*>(&process), sizeof process);
    std::array<char, sizeof RecordRingHeader::host_name> name{};
    std::strncpy(name.data(), host, name.size() - 1);
    ring.seekp(offsetof(RecordRingHeader, host_name));
    ring.write(name.data(), name.size());
  };
  set_process(7, "another-host");
  for (int look = 0; look < 1000; ++look) ASSERT_FALSE(here.look(0));
  set_process(8, launch::own_host_name().c_str());
  std::uint32_t looks = 1;
  while (looks <= RingFollower::kMostPause && !here.look(0)) ++looks;
  EXPECT_LE(looks, RingFollower::kMostPause);
  EXPECT_GT(looks, 1U) << "it is not opened at each look";
  do_step(1);
  EXPECT_TRUE(here.look(0)) << "from now on at each look";
}

TEST_F(StreamerTest, NamesOfRingsAreReadAgainOnlyIfTheirFolderHasChanged) {
  const JobWorks works(*job_);
  do_step(0);
  RingFollower follower(run_, works);
  const auto list_until_settled = [&] {
    (void)follower.list();
    std::this_thread::sleep_for(2 * RingFollower::kTick);
    (void)follower.list();
  };
  list_until_settled();
  const auto time = std::filesystem::last_write_time(run_.events());
  std::ofstream(run_.ring(1)).put('x');
  std::filesystem::last_write_time(run_.events(), time);
  EXPECT_THAT(follower.list(), ::testing::ElementsAre(0));
  std::filesystem::last_write_time(run_.events(), time + 1s);
  EXPECT_THAT(follower.list(), ::testing::ElementsAre(0, 1));
  list_until_settled();
  std::ofstream(run_.ring(2)).put('x');
  std::filesystem::last_write_time(run_.events(), time + 1s);
  std::uint32_t lists = 1;
  while (lists <= RingFollower::kLooksPerList && follower.list().size() < 3) ++lists;
  EXPECT_LE(lists, RingFollower::kLooksPerList);
}

TEST_F(StreamerTest, TheLastStepsAreStoredAtTheEnd) {
  {
    Streamer streamer(config_, store_sink(config_, fails_), fails_, {.period = 200ms});
    do_step(0);
  }
  EXPECT_EQ(stored().size(), 1U);
}

TEST_F(StreamerTest, StepsAreStoredAgainWhenAnotherProgramUnlocksTheFile) {
  const std::filesystem::path path = run_.step_store(launch::own_host_name());
  { const StepStore created(path, 100); }
  control::Database other(path, control::Database::Access::write);
  other.run("BEGIN EXCLUSIVE");
  std::atomic<int> messages = 0;
  {
    Streamer streamer(config_,
                      store_sink(config_,
                                 [&](const std::string& text) {
                                   EXPECT_THAT(text,
                                               HasSubstr("database is locked; steps are dropped"));
                                   ++messages;
                                 }),
                      fails_, {.period = 1ms});
    do_step(0);
    EXPECT_TRUE(comes([&] { return messages == 1; }));
    other.run("COMMIT");
    do_step(1);
    EXPECT_TRUE(comes([&] { return store_facts(run_).newest_step == 1; }));
  }
  EXPECT_EQ(messages, 1);
  EXPECT_EQ(store_facts(run_).dropped, 1);
}

TEST_F(StreamerTest, AStuckSinkLosesCountedStepsAndHoldsUpNobody) {
  std::promise<void> unblock;
  const auto gate = unblock.get_future().share();
  const auto entered = std::make_shared<std::atomic<bool>>(false);
  {
    Streamer streamer(
        config_,
        [gate, entered](std::span<const StoredStep>, std::int64_t) {
          *entered = true;
          gate.wait();
        },
        [](const std::string&) {}, {.period = 1ms, .most_waiting = 4, .patience = 10ms});
    do_step(0);
    ASSERT_TRUE(comes([&] { return entered->load(); }));
    // The ranks go on, and the oldest steps that wait are dropped.
    for (int step = 1; step < 40; ++step) {
      do_step(step);
      std::this_thread::sleep_for(1ms);
    }
    ASSERT_TRUE(comes([&] { return streamer.dropped() > 0; }));
  }  // does not wait for the sink
  unblock.set_value();
}

TEST_F(StreamerTest, ASinkThatFailsIsReportedOnce) {
  std::promise<std::string> told;
  Streamer streamer(
      config_,
      [](std::span<const StoredStep>, std::int64_t) {
        throw Error(ErrorCode::io, "no space left");
      },
      [&](const std::string& text) { told.set_value(text); }, {.period = 1ms});
  do_step(0);
  auto message = told.get_future();
  ASSERT_EQ(message.wait_for(60s), std::future_status::ready);
  EXPECT_THAT(message.get(), HasSubstr("no space left; no more steps are stored"));
  EXPECT_EQ(streamer.dropped(), 1);
  do_step(1);  // the ring is still written
}

}  // namespace
}  // namespace megascale::serve
