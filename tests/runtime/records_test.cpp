#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <fstream>

#include "megascale/base/clock.h"
#include "megascale/runtime/record_ring.h"
#include "support/exchange_plan.h"
#include "support/job.h"
#include "support/scratch_directory.h"
#include "support/watchdog.h"

namespace megascale::runtime {
namespace {

using graph::Access;
using graph::Lane;
using testing::Job;
using testing::PlanWriter;
using testing::Watchdog;

constexpr std::int64_t kMillisecond = 1'000'000;

TEST(RecordsTest, TimesOfATaskAreInOrder) {
  const Watchdog watchdog("recorded steps");
  std::atomic<std::uint64_t> seed{0};
  Job job(testing::exchange_plans(),
          [&](std::uint32_t rank, std::uint32_t task) { testing::random_delay(seed, rank, task); });
  std::vector<std::vector<TaskRecord>> records;
  for (std::size_t r = 0; r < 2; ++r) records.emplace_back(job.plan(r).tasks().size());
  for (int i = 0; i < 100; ++i) {
    ++seed;
    const std::int64_t begin = monotonic_ns();
    job.step(0, records);
    const std::int64_t end = monotonic_ns();
    for (std::size_t r = 0; r < 2; ++r) {
      const plan::StepPlan& plan = job.plan(r);
      std::array<std::int64_t, graph::kLaneCount> lane_done{};
      for (std::size_t id = 0; id < records[r].size(); ++id) {
        const TaskRecord& record = records[r][id];
        SCOPED_TRACE(plan.task_name(id));
        EXPECT_LE(begin, record.head_ns);
        EXPECT_LE(record.head_ns, record.start_ns);
        EXPECT_LE(record.start_ns, record.matched_ns);
        EXPECT_LE(record.matched_ns, record.done_ns);
        EXPECT_LE(record.done_ns, end);
        const plan::Task& task = plan.tasks()[id];
        auto& before = lane_done[static_cast<std::size_t>(plan.op(task).lane)];
        EXPECT_TRUE(before == 0 || record.head_ns == before)
            << "at the head when the task before it was done";
        before = record.done_ns;
        EXPECT_TRUE(record.last_wait == TaskRecord::kNoWait || record.last_wait < task.wait_count);
        // What it waits for was done when it started.
        for (const plan::Wait& wait : plan.waits(task)) {
          std::uint32_t count = 0;
          for (std::size_t earlier = 0; earlier < id; ++earlier) {
            if (plan.op(plan.tasks()[earlier]).lane == wait.lane && ++count == wait.count) {
              EXPECT_LE(records[r][earlier].done_ns, record.start_ns);
            }
          }
        }
      }
    }
  }
}

// Two inputs on other lanes, one of them slow; -1: neither, and the reader comes late.
std::uint32_t last_wait_with_slow_input(int slow) {
  PlanWriter w;
  const auto a = w.buffer("a", 64), b = w.buffer("b", 64);
  const auto input = [&](Lane lane, const char* name, plan::BufferId buffer, bool is_slow) {
    return w.work(lane, name, {w.whole(buffer, Access::write)}, {}, [is_slow](const auto&) {
      if (is_slow) std::this_thread::sleep_for(std::chrono::milliseconds(20));
      return nullptr;
    });
  };
  const auto first = input(Lane::host_in, "first", a, slow == 0),
             second = input(Lane::data, "second", b, slow == 1);
  w.work(Lane::compute, "before", {}, {}, [slow](const auto&) {
    if (slow < 0) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return nullptr;
  });
  w.work(Lane::compute, "reader", {w.whole(a, Access::read), w.whole(b, Access::read)},
         {.after = {first, second}}, [](const auto&) { return nullptr; });
  Job job({w});
  std::vector<std::vector<TaskRecord>> records{std::vector<TaskRecord>(4)};
  job.step(0, records);
  return records[0][3].last_wait;
}

TEST(RecordsTest, NamesTheWaitThatEndedLast) {
  const Watchdog watchdog("a task with two waits");
  EXPECT_EQ(last_wait_with_slow_input(0), 0U);
  EXPECT_EQ(last_wait_with_slow_input(1), 1U);
  EXPECT_EQ(last_wait_with_slow_input(-1), TaskRecord::kNoWait);
}

TEST(RecordsTest, ATransferIsMatchedWhenItsLastPartnerStarts) {
  const Watchdog watchdog("a late partner");
  Job job(testing::exchange_plans(), [](std::uint32_t rank, std::uint32_t task) {
    if (rank == 1 && task == 4)
      std::this_thread::sleep_for(std::chrono::milliseconds(30));  // the reduce
  });
  ASSERT_EQ(job.plan(0).task_name(4), "step/reduce");
  std::vector<std::vector<TaskRecord>> records;
  for (std::size_t r = 0; r < 2; ++r) records.emplace_back(job.plan(r).tasks().size());
  job.step(0, records);
  const TaskRecord &early = records[0][4], &late = records[1][4];
  EXPECT_GE(early.matched_ns - early.start_ns, 20 * kMillisecond);
  EXPECT_GE(early.matched_ns, late.start_ns);
  EXPECT_LE(late.matched_ns - late.start_ns, 15 * kMillisecond);
}

// A ring file as another process reads it.
class RingReader {
 public:
  explicit RingReader(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    bytes_.assign(std::istreambuf_iterator<char>(file), {});
  }
  [[nodiscard]] bool complete() const {
    return bytes_.size() >= sizeof(RecordRingHeader) &&
           header().magic == RecordRingHeader::kMagic &&
           bytes_.size() >=
               sizeof(RecordRingHeader) + header().steps * record_ring_step_nbytes(header().tasks);
  }
  [[nodiscard]] RecordRingHeader header() const { return at<RecordRingHeader>(0); }
  [[nodiscard]] RecordRingStep step(std::size_t place) const {
    return at<RecordRingStep>(offset(place));
  }
  [[nodiscard]] TaskRecord record(std::size_t place, std::size_t task) const {
    return at<TaskRecord>(offset(place) + sizeof(RecordRingStep) + task * sizeof(TaskRecord));
  }

 private:
  template <class T>
  T at(std::size_t offset) const {
    T value;
    std::memcpy(&value, bytes_.data() + offset, sizeof value);
    return value;
  }
  [[nodiscard]] std::size_t offset(std::size_t place) const {
    return sizeof(RecordRingHeader) + place * record_ring_step_nbytes(header().tasks);
  }
  std::vector<char> bytes_;
};

TEST(RecordRingTest, HoldsTheLastSteps) {
  const testing::ScratchDirectory directory;
  const auto path = directory / "ring";
  RecordRing ring(
      path, {.tasks = 3, .steps = 2, .plan_digest = "0123456789abcdef0123456789abcdef", .rank = 7});
  for (std::int64_t step = 5; step < 8; ++step) {
    const auto records = ring.begin_step(step);
    ASSERT_EQ(records.size(), 3U);
    EXPECT_EQ(records[1].done_ns, 0) << "cleared";
    records[1].done_ns = step;
    if (step < 7) ring.end_step(step);
  }
  const RingReader reader(path);
  ASSERT_TRUE(reader.complete());
  EXPECT_EQ(std::string(reader.header().plan_digest, 32), "0123456789abcdef0123456789abcdef");
  EXPECT_EQ(reader.step(0).step, 6);
  EXPECT_GE(reader.step(0).end_ns, reader.step(0).begin_ns);
  EXPECT_EQ(reader.record(0, 1).done_ns, 6);
  EXPECT_EQ(reader.step(1).step, 7);
  EXPECT_EQ(reader.step(1).end_ns, 0) << "unfinished";
  EXPECT_EQ(reader.record(1, 1).done_ns, 7);
  EXPECT_THROW(RecordRing(directory / "none" / "ring", {.tasks = 3, .steps = 2}), Error);
}

TEST(RecordRingTest, SaysWhoWroteItAndByWhichClock) {
  const testing::ScratchDirectory directory;
  const auto path = directory / "ring";
  RecordRing ring(path, {.tasks = 1, .steps = 1, .rank = 7});
  std::array<char, 64> host{};
  ASSERT_EQ(::gethostname(host.data(), host.size()), 0);
  EXPECT_EQ(RingReader(path).header().rank, 7U);
  EXPECT_EQ(RingReader(path).header().process_id, static_cast<std::uint32_t>(::getpid()));
  EXPECT_STREQ(RingReader(path).header().host_name, host.data());
  EXPECT_EQ(RingReader(path).header().clock_offset_ns, 0);
  ring.set_clock_offset(-1'500);
  EXPECT_EQ(RingReader(path).header().clock_offset_ns, -1'500);
}

// All words of a record say the same number.
TaskRecord record_of_number(std::int64_t number) {
  const auto word = static_cast<std::uint32_t>(number);
  return {.head_ns = number,
          .start_ns = number,
          .matched_ns = number,
          .done_ns = number,
          .last_wait = word,
          .cpu_us = word};
}

// Goal: a ring can be read at any time, and nobody sees part of a record, or records of two steps.
// Method: one thread writes steps as fast as it can into two places, two others copy the places. A
// record's words all say which step and task it is of.
TEST(RecordRingTest, IsReadWhileItIsWritten) {
  const Watchdog watchdog("readers of a ring");
  const testing::ScratchDirectory directory;
  constexpr std::uint32_t kTasks = 2000, kPlaces = 2;
  constexpr std::int64_t kMostSteps = 2'000, kEnoughCopies = 300;
  RecordRing ring(directory / "ring", {.tasks = kTasks, .steps = kPlaces});
  std::atomic<std::int64_t> copies{0}, used_again{0};
  std::atomic<bool> ended{false};
  const auto number_of = [](std::int64_t step, std::uint32_t task) {
    return 1 + step * kTasks + task;
  };
  const auto read = [&] {
    std::vector<TaskRecord> records(kTasks);
    for (std::uint32_t place = 0; !ended; place = 1 - place) {
      const std::byte* from =
          ring.bytes().data() + sizeof(RecordRingHeader) + place * record_ring_step_nbytes(kTasks);
      const RecordRingStep step = read_place(from, kTasks, records.data());
      if (step.step < 0) {
        ++used_again;
        continue;
      }
      ASSERT_EQ(step.step % kPlaces, place);
      ASSERT_EQ(step.begin_ns, step.step);
      for (std::uint32_t task = 0; task < kTasks; ++task) {
        TaskRecord want = record_of_number(number_of(step.step, task));
        // The times of a task that is not done yet may be published already.
        if (records[task].done_ns == 0)
          want = {.start_ns = records[task].start_ns, .matched_ns = records[task].matched_ns};
        ASSERT_EQ(std::memcmp(&records[task], &want, sizeof want), 0)
            << "task " << task << " of step " << step.step << ": head " << records[task].head_ns
            << ", done " << records[task].done_ns << ", expected " << want.done_ns;
      }
      ++copies;
    }
  };
  std::thread first(read), second(read);
  for (std::int64_t step = 0;
       (step < kMostSteps || copies < kEnoughCopies) && !::testing::Test::HasFailure(); ++step) {
    const auto records = ring.begin_step(step, step);
    for (std::uint32_t task = 0; task < kTasks; ++task)
      publish(records[task], record_of_number(number_of(step, task)));
    ring.end_step(step, step);
    if (first.joinable() && copies == 0) std::this_thread::yield();
  }
  ended = true;
  first.join();
  second.join();
  EXPECT_GT(used_again, 0) << "no reader met the writer: the test shows nothing";
}

// Processor time is less than time where a task sleeps, and is measured in some steps only.
TEST(RecordsTest, ProcessorTimeIsMeasuredInOneStepOfMany) {
  const Watchdog watchdog("steps with a task that sleeps");
  PlanWriter w;
  w.work(Lane::compute, "sleeps", {}, {}, [](const auto&) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return nullptr;
  });
  w.work(Lane::compute, "works", {}, {}, [](const auto&) {
    const std::int64_t begin = thread_cpu_ns();
    while (thread_cpu_ns() - begin < 2 * kMillisecond) {
    }
    return nullptr;
  });
  Job job({w});
  std::vector<std::vector<TaskRecord>> records{std::vector<TaskRecord>(2)};
  job.step(0, records);
  EXPECT_GE(records[0][0].cpu_us, 1U);
  EXPECT_LT(records[0][0].cpu_us, 2'000U);
  EXPECT_GE(records[0][1].cpu_us, 2'000U);
  job.step(0, records);
  EXPECT_EQ(records[0][0].cpu_us, 0U) << "not measured";
  EXPECT_EQ(records[0][1].cpu_us, 0U);
}

// The child's plan: the second task never ends.
[[noreturn]] void hang_in_a_step(const std::filesystem::path& path) {
  PlanWriter w;
  const auto a = w.buffer("a", 64);
  const auto first = w.work(Lane::host_in, "first", {w.whole(a, Access::write)}, {},
                            [](const auto&) { return nullptr; });
  w.work(Lane::compute, "hangs", {w.whole(a, Access::read)}, {.after = {first}},
         [](const auto&) -> const Error* {
           for (;;) ::pause();
         });
  w.work(Lane::compute, "never", {}, {}, [](const auto&) { return nullptr; });
  RecordRing ring(path, {.tasks = 3, .steps = 4, .plan_digest = "digest"});
  Job job({w});
  const auto records = ring.begin_step(41);
  job.runner(0).run_step(0, records);
  ::_exit(3);
}

TEST(RecordRingTest, OutlivesAProcessKilledInAStep) {
  const testing::ScratchDirectory directory;
  const auto path = directory / "ring";
  const std::int64_t before = monotonic_ns();
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) hang_in_a_step(path);
  const Watchdog watchdog("a process that is to be killed");
  const auto come_to_the_hang = [&] {
    const RingReader reader(path);
    return reader.complete() && reader.step(1).step == 41 && reader.record(1, 0).done_ns != 0;
  };
  while (!come_to_the_hang()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  ASSERT_EQ(::kill(child, SIGKILL), 0);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  const RingReader reader(path);
  EXPECT_EQ(reader.step(1).end_ns, 0);
  EXPECT_GT(reader.step(1).begin_ns, before);
  EXPECT_GT(reader.record(1, 0).done_ns, reader.step(1).begin_ns);
  EXPECT_EQ(reader.record(1, 1).done_ns, 0) << "the task that hung";
  EXPECT_EQ(reader.record(1, 2).done_ns, 0);
  EXPECT_EQ(reader.step(0).step, -1) << "no other step was begun";
}

}  // namespace
}  // namespace megascale::runtime
