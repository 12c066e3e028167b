// Tasks that are done twice: results stay the same, and a task with two results is found in the step
// in which its turn comes.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "megascale/base/state_digest.h"
#include "support/job.h"
#include "support/watchdog.h"

namespace megascale::runtime {
namespace {

using graph::Access;
using graph::Lane;
using ::testing::HasSubstr;
using testing::Job;
using testing::PlanWriter;

constexpr std::size_t kNumbers = 100;
constexpr std::uint64_t kNbytes = kNumbers * sizeof(std::uint32_t);
constexpr std::uint32_t kTasks = 4;

// Called after each task's own work, with the task's name and the number that it has written last.
using Spoil = std::function<void(const std::string& name, std::uint32_t& written)>;

std::uint32_t* numbers(const TaskArguments& a, std::size_t operand) {
  return reinterpret_cast<std::uint32_t*>(a.operands[operand]);
}

// One rank with all ways of writing: fresh bytes, sums, in place, and a part of what is read.
PlanWriter writing_plan(const Spoil& spoil) {
  PlanWriter w;
  const auto input = w.buffer("input", kNbytes), sum = w.buffer("sum", kNbytes),
             both = w.buffer("both", 2 * kNbytes);
  const auto work = [&](const char* name, std::vector<plan::Operand> operands, auto each,
                        std::size_t written) {
    w.work(Lane::compute, name, std::move(operands), {},
           [=](const TaskArguments& a) -> const Error* {
             for (std::size_t i = 0; i < kNumbers; ++i) each(a, i);
             if (spoil) spoil(name, numbers(a, written)[kNumbers - 1]);
             return nullptr;
           });
  };
  work(
      "fresh", {w.whole(input, Access::write)},
      [](const auto& a, std::size_t i) { numbers(a, 0)[i] = static_cast<std::uint32_t>(3 * i); },
      0);
  work(
      "sum", {w.whole(sum, Access::accumulate), w.whole(input, Access::read)},
      [](const auto& a, std::size_t i) { numbers(a, 0)[i] += numbers(a, 1)[i]; }, 0);
  work(
      "in_place", {w.whole(input, Access::read), w.whole(input, Access::accumulate)},
      [](const auto& a, std::size_t i) { numbers(a, 1)[i] = 2 * numbers(a, 0)[i] + 1; }, 1);
  plan::Operand half = w.whole(both, Access::write);
  half.offset = kNbytes;
  half.nbytes = kNbytes;
  work(
      "part", {w.whole(both, Access::read), half, w.whole(sum, Access::read)},
      [](const auto& a, std::size_t i) { numbers(a, 1)[i] = numbers(a, 0)[i] + numbers(a, 2)[i]; },
      1);
  return w;
}

std::vector<std::byte> arena_after(std::uint32_t interval, int steps) {
  Job job({writing_plan({})}, {}, {.repeat_interval = interval});
  job.fill_arenas(std::byte{1});
  for (int i = 0; i < steps; ++i) job.step();
  return {job.arena(0).begin(), job.arena(0).end()};
}

TEST(RepeatTest, ARunKeepsItsBits) {
  const testing::Watchdog watchdog("tasks that are done twice");
  const auto once = arena_after(0, 7);
  for (const std::uint32_t interval : {1U, 2U, 3U, 100U})
    EXPECT_EQ(arena_after(interval, 7), once) << interval;
}

// Goal: after `interval` steps each task was done twice once.  Method: count the runs of each.
TEST(RepeatTest, TheTurnComesToEachTaskOnceInAnInterval) {
  const testing::Watchdog watchdog("turns of tasks");
  for (const std::uint32_t interval : {1U, 3U, 7U}) {
    std::map<std::string, std::uint32_t> runs;
    Job job({writing_plan([&](const std::string& name, std::uint32_t&) { ++runs[name]; })}, {},
            {.repeat_interval = interval});
    for (std::uint32_t step = 0; step < 2 * interval; ++step) job.step();
    ASSERT_EQ(runs.size(), kTasks);
    for (const auto& [name, count] : runs) EXPECT_EQ(count, 2 * interval + 2) << name;
  }
}

// Goal: whichever task is wrong in its first run, its second run or both, in different bits.
TEST(RepeatTest, ATaskWithTwoResultsIsNamedWhenItsTurnComes) {
  const testing::Watchdog watchdog("tasks with two results");
  constexpr std::uint32_t kInterval = 3;
  const std::vector<std::string> names{"fresh", "sum", "in_place", "part"};
  for (std::uint32_t position = 0; position < kTasks; ++position) {
    for (const bool in_second_run : {false, true}) {
      int run = 0;
      Job job({writing_plan([&](const std::string& name, std::uint32_t& written) {
                if (name == names[position] && (run++ % 2 == 1) == in_second_run) written ^= 0x400U;
              })},
              {}, {.repeat_interval = kInterval});
      std::uint32_t step = 0;
      std::optional<Error> error;
      for (; !error && step < kInterval; ++step) {
        run = 0;  // of this step
        error = job.try_step()[0];
      }
      ASSERT_TRUE(error) << names[position];
      EXPECT_EQ((position + step - 1) % kInterval, 0U) << names[position];
      EXPECT_EQ(error->code(), ErrorCode::corrupt_data);
      EXPECT_THAT(error->message(), HasSubstr(fmt::format("running task {} (step/{}) on rank 0",
                                                          position, names[position])));
      EXPECT_THAT(error->message(),
                  HasSubstr(fmt::format("1 of {} bytes of its operand", kNbytes)));
      EXPECT_THAT(error->message(), HasSubstr(fmt::format("the first at {} (", kNbytes - 3)));
    }
  }
}

// An update counts its digests of each step, and a second run of it does not.
class CountingUpdate final : public TaskFunction, public UpdatesState {
 public:
  const Error* run(const TaskArguments& a) noexcept override {
    numbers(a, 0)[0] += 5;
    add_digests({.read = 1, .written = numbers(a, 0)[0]});
    return nullptr;
  }
  StateDigests take_digests() noexcept override { return std::exchange(sums_, {}); }
  void add_digests(const StateDigests& digests) noexcept override {
    sums_.read += digests.read;
    sums_.written += digests.written;
  }

 private:
  StateDigests sums_;
};

TEST(RepeatTest, DigestsOfAnUpdateCountOnce) {
  const testing::Watchdog watchdog("digests of an update");
  PlanWriter w;
  const auto state = w.buffer("state", kNbytes);
  w.work(Lane::compute, "update", {w.whole(state, Access::accumulate)}, {}, {});
  const auto update = std::make_shared<CountingUpdate>();
  w.functions.back() = update;
  Job job({w}, {}, {.repeat_interval = 1});
  job.fill_arenas(std::byte{0});
  for (std::uint64_t step = 1; step < 4; ++step) {
    job.step();
    const StateDigests digests = update->take_digests();
    EXPECT_EQ(digests.read, 1U);
    EXPECT_EQ(digests.written, 5 * step);
  }
}

}  // namespace
}  // namespace megascale::runtime
