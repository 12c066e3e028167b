// The device's lane runner with plans written by hand: failures, stalls and host tasks, which whole
// trainings do not show one by one. Ranks are threads that share the device. Without one, skipped.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "cuda/device_job.h"
#include "megascale/cuda/sum.h"
#include "support/watchdog.h"

namespace megascale::runtime {
namespace {

using graph::Access;
using graph::Lane;
using testing::PlanWriter;
using testing::TaskId;
using testing::Watchdog;
using namespace std::chrono_literals;

constexpr std::uint64_t kNbytes = 4096;

plan::BufferId staging(PlanWriter& w, std::string name) {
  const plan::BufferId id = w.buffer(std::move(name), kNbytes);
  w.tables.buffers[plan::index(id)].category = plan::Category::staging;
  return id;
}
const Error* nothing(const TaskArguments&) { return nullptr; }

class DeviceLaneRunnerTest : public ::testing::Test {
 public:
  void SetUp() override {
    if (cuda::device_count() == 0) GTEST_SKIP() << cuda::why_no_device();
  }
  static std::vector<std::optional<Error>> run(const std::vector<PlanWriter>& writers,
                                               const testing::DeviceJobOptions& options = {}) {
    return testing::run_on_device(writers, options);
  }
};

void expect_in(const std::optional<Error>& error, const std::string& part) {
  ASSERT_TRUE(error) << "nothing was thrown; expected: " << part;
  EXPECT_NE(error->message().find(part), std::string::npos) << error->message();
}

// A rank with an all_gather of both ranks' halves, and a compute task that can start when the
// transfer has.
PlanWriter gathering() {
  PlanWriter w;
  const auto both = w.buffer("both", 2 * kNbytes), other = w.buffer("other", kNbytes);
  const auto data = w.communicator("everybody", {0, 1}, Lane::data);
  const plan::Operand half{.buffer = both,
                           .nbytes = kNbytes,
                           .access = Access::read,
                           .term = {.axes = {graph::Axis::data}, .n = 2, .stride = kNbytes}};
  w.transfer(graph::all_gather_op(), "gather", data, {half, w.whole(both, Access::write)}, {});
  // Served behind the data lane.
  const TaskId later = w.work(Lane::host_in, "later", {w.whole(other, Access::write)}, {}, nothing);
  w.work(Lane::compute, "use", {w.whole(other, Access::read)}, {.after = {later}}, nothing);
  return w;
}
constexpr std::uint32_t kGather = 0, kUse = 2;

// Goal: a rank that fails in the middle of a transfer gives its memory back only when no peer's
// work reads it any more.  Method: the peer has handed its copy over and is away until long after
// the failure; emulated, memory that was given back cannot be read.
TEST_F(DeviceLaneRunnerTest, NobodyReadsTheMemoryOfARankThatFailed) {
  const Watchdog watchdog("a rank that fails in a transfer");
  for (int round = 0; round < 8; ++round) {
    const auto errors =
        run({gathering(), gathering()}, {.before_task = [](std::uint32_t rank, std::uint32_t task) {
              if (rank == 0) std::this_thread::sleep_for(task == kUse ? 60ms : 5ms);
              if (rank != 1 || task != kUse) return;
              std::this_thread::sleep_for(20ms);  // rank 0 has come meanwhile
              throw Error(ErrorCode::failed, "a fault of the test's");
            }});
    expect_in(errors[1], "a fault of the test's; while running task 2 (step/use) on rank 1");
    expect_in(errors[0], "a fault of the test's");
    expect_in(errors[0], "while running task 0 (step/gather) on rank 0");
  }
}

TEST_F(DeviceLaneRunnerTest, ARankThatDoesNotComeIsNamed) {
  const Watchdog watchdog("a rank that does not come");
  const auto errors =
      run({gathering(), gathering()},
          {.timeout = 100ms, .before_task = [](std::uint32_t rank, std::uint32_t task) {
             if (rank == 1 && task == kGather) std::this_thread::sleep_for(500ms);
           }});
  expect_in(errors[0], "rank 0: no task has finished for 0.1 s (control.timeout_seconds)");
  expect_in(errors[0],
            "lane data: task 0 (step/gather) waits on communicator everybody: not started by rank "
            "1");
  ASSERT_TRUE(errors[1]);
}

// A disk that is slow is no stall.
TEST_F(DeviceLaneRunnerTest, ASlowHostTaskIsNotGivenUp) {
  const Watchdog watchdog("a slow host task");
  PlanWriter w;
  const auto batch = staging(w, "batch");
  w.work(Lane::host_in, "load", {w.whole(batch, Access::write)}, {}, [](const auto&) {
    std::this_thread::sleep_for(150ms);
    return nullptr;
  });
  const auto errors = run({w}, {.timeout = 30ms});
  EXPECT_FALSE(errors[0]) << errors[0]->message();
}

// Goal: one thread serves the host tasks of two lanes, and the end of one is not taken for that of
// the other.  Method: the one's end and the other's begin fall between two looks at the thread;
// many compute tasks keep the rank looking, and there are many rounds.
TEST_F(DeviceLaneRunnerTest, HostTasksOfTwoLanesKeepTheirTimes) {
  const Watchdog watchdog("host tasks of two lanes");
  for (int round = 0; round < 300; ++round) {
    PlanWriter w;
    const auto in = staging(w, "in"), out = staging(w, "out");
    const TaskId load = w.work(Lane::host_in, "load", {w.whole(in, Access::write)}, {}, nothing);
    const TaskId store =
        w.work(Lane::host_out, "store", {w.whole(out, Access::write)}, {}, [](const auto&) {
          std::this_thread::sleep_for(1ms);
          return nullptr;
        });
    for (int i = 0; i < 500; ++i) w.work(Lane::compute, "busy", {}, {}, nothing);
    std::vector<std::vector<TaskRecord>> records(1);
    ASSERT_FALSE(run({w}, {.records = records})[0]);
    ASSERT_LE(records[0][load].done_ns + 1'000'000, records[0][store].done_ns) << round;
  }
}

TEST_F(DeviceLaneRunnerTest, AFailedCarriedTaskStopsTheNextStepByItsName) {
  const Watchdog watchdog("a carried task that fails");
  const Error error(ErrorCode::io, "the disk of this test is full");
  PlanWriter w;
  const auto batch = staging(w, "batch"), copy = w.buffer("copy", kNbytes);
  w.work(Lane::host_in, "copy", {w.whole(batch, Access::read), w.whole(copy, Access::write)}, {},
         [](const TaskArguments& a) -> const Error* {
           cuda::copy_async(a.operands[1], {a.operands[0], kNbytes}, a.stream);
           return nullptr;
         });
  w.work(Lane::host_in, "load", {w.whole(batch, Access::write)}, {.carried = true},
         [&](const auto&) { return &error; });
  EXPECT_FALSE(run({w}, {.steps = 1})[0]) << "the step that it was carried from is over";
  expect_in(run({w}, {.steps = 2})[0], "is full; while running task 1 (step/load) on rank 0");
}

// Seven tasks that add ones to a sum, in every step. Another lane waits for the second; a third one
// copies the sum behind the third and the fourth, which the next ones wait for. So there are a
// graph of two tasks, two alone, and a graph of three.
struct Adding {
  PlanWriter w;
  std::array<int, 7> calls{};
  std::array<TaskId, 7> adds{};
  std::vector<std::array<float, 3>> found;  // by step: the copies, and the sum at last

  static const Error* copy(const TaskArguments& a) {
    cuda::copy_async(a.operands[1], {a.operands[0], kNbytes}, a.stream);
    return nullptr;
  }
  TaskId copies(Lane lane, plan::BufferId from, plan::BufferId to, std::vector<TaskId> after) {
    return w.work(lane, "copy", {w.whole(from, Access::read), w.whole(to, Access::write)},
                  {.after = std::move(after)}, copy);
  }
  Adding() {
    const auto ones = w.buffer("ones", kNbytes), sum = w.buffer("sum", kNbytes);
    const auto one = staging(w, "one");
    w.work(Lane::host_in, "load", {w.whole(one, Access::write)}, {}, [](const TaskArguments& a) {
      std::fill_n(testing::floats(a, 0), kNbytes / sizeof(float), 1.0F);
      return nullptr;
    });
    std::vector<TaskId> after{copies(Lane::host_in, one, ones, {})};
    std::vector<plan::Operand> seen;
    for (std::size_t i = 0; i < adds.size(); ++i) {
      const auto add = [this, i](const TaskArguments& a) -> const Error* {
        ++calls[i];
        const std::byte* const sources[] = {a.operands[1], a.operands[0]};
        cuda::sum_in_order_async({a.operands[1], kNbytes}, sources, DType::float32, a.stream);
        return nullptr;
      };
      adds[i] = w.work(Lane::compute, "add",
                       {w.whole(ones, Access::read), w.whole(sum, Access::accumulate)},
                       {.after = std::exchange(after, {})}, add);
      if (i == 1) w.work(Lane::context, "see", {}, {.after = {adds[i]}}, nothing);
      if (i != 2 && i != 3 && i != 6) continue;
      const auto copied = w.buffer("copy", kNbytes), out = staging(w, "out");
      after = {copies(Lane::tensor, sum, copied, {adds[i]})};
      copies(Lane::host_out, copied, out, after);
      seen.push_back(w.whole(out, Access::read));
    }
    w.work(Lane::host_out, "see", seen, {}, [this](const TaskArguments& a) {
      found.push_back({*testing::floats(a, 0), *testing::floats(a, 1), *testing::floats(a, 2)});
      return nullptr;
    });
  }
};

// Goal: graphs hold the tasks that nothing of another lane comes between, and do in every step what
// these did.  Method: calls are counted. Tasks in graphs are given in the first step and when their
// graph is made.
TEST_F(DeviceLaneRunnerTest, GraphsHoldWhatNothingComesBetween) {
  const Watchdog watchdog("graphs");
  constexpr int kSteps = 5;
  for (const bool graphs : {false, true}) {
    Adding job;
    std::vector<std::vector<TaskRecord>> records(1);
    const auto error = run({job.w}, {.steps = kSteps, .records = records, .graphs = graphs})[0];
    ASSERT_FALSE(error) << error->message();
    const int calls = graphs ? 2 : kSteps;
    EXPECT_EQ(job.calls, (std::array{calls, calls, kSteps, kSteps, calls, calls, calls}));
    ASSERT_EQ(job.found.size(), std::size_t{kSteps});
    for (std::size_t step = 0; step < job.found.size(); ++step) {
      const float before = 7 * static_cast<float>(step);
      EXPECT_EQ(job.found[step], (std::array{before + 3, before + 4, before + 7})) << step;
    }
    for (std::size_t i = 1; i < job.adds.size(); ++i) {
      const TaskRecord& before = records[0][job.adds[i - 1]];
      const TaskRecord& record = records[0][job.adds[i]];
      EXPECT_GE(record.start_ns, before.done_ns) << i;
      EXPECT_GE(record.done_ns, record.start_ns) << i;
    }
  }
}

TEST_F(DeviceLaneRunnerTest, ATaskInAGraphFailsByItsName) {
  const Watchdog watchdog("a task in a graph that fails");
  Adding job;
  int looks = 0;
  const auto error = run(
      {job.w}, {.steps = 5, .graphs = true, .before_task = [&](std::uint32_t, std::uint32_t id) {
                  if (id == job.adds[1] && ++looks == 4)
                    throw Error(ErrorCode::failed, "a fault of the test's");
                }})[0];
  expect_in(error, "a fault of the test's; while running task 3 (step/add) on rank 0");
  EXPECT_EQ(job.found.size(), 3U);
}

// The one that makes the graph fails: nothing of it is done.
TEST_F(DeviceLaneRunnerTest, AGraphThatCannotBeMadeFailsByItsTasksName) {
  const Watchdog watchdog("a graph that cannot be made");
  const Error error(ErrorCode::failed, "no such product");
  int calls = 0;
  PlanWriter w;
  const auto some = w.buffer("some", kNbytes);
  w.work(Lane::compute, "one", {w.whole(some, Access::write)}, {}, nothing);
  w.work(Lane::compute, "two", {w.whole(some, Access::write)}, {},
         [&](const auto&) { return ++calls == 2 ? &error : nullptr; });
  expect_in(run({w}, {.steps = 3, .graphs = true})[0],
            "no such product; while running task 1 (step/two) on rank 0");
  EXPECT_EQ(calls, 2);
}

// Complains with the number that its operand holds on the device.
struct Complaining final : TaskFunction {
  const Error* run(const TaskArguments& a) noexcept override {
    cuda::copy_async(reinterpret_cast<std::byte*>(a.complaint),
                     {a.operands[0], sizeof(std::int64_t)}, a.stream);
    return nullptr;
  }
  [[nodiscard]] Error late_error(std::int64_t complaint) const override {
    return {ErrorCode::failed, "complaint " + std::to_string(complaint)};
  }
};

// Goal: what only the device finds is told by the name of the task that found it, although others have the
// same function.  Method: the second of three such tasks complains, in the first step and in a later
// one, where graphs have the addresses of the step in which they were made. A host task behind them
// lets all of them end before the first one is looked at.
TEST_F(DeviceLaneRunnerTest, AComplaintIsOfItsTaskAlone) {
  const Watchdog watchdog("complaints");
  for (const bool graphs : {false, true}) {
    for (const int bad_step : {1, 4}) {
      PlanWriter w;
      const auto none = w.buffer("none", kNbytes), some = w.buffer("some", kNbytes);
      const auto zeros = staging(w, "zeros"), numbers = staging(w, "numbers");
      int step = 0;
      w.work(Lane::host_in, "load",
             {w.whole(zeros, Access::write), w.whole(numbers, Access::write)}, {},
             [&](const TaskArguments& a) {
               const std::int64_t number = ++step == bad_step ? 7 : 0;
               std::fill_n(a.operands[0], kNbytes, std::byte{0});
               std::memcpy(a.operands[1], &number, sizeof number);
               return nullptr;
             });
      const auto to_device = [&](plan::BufferId from, plan::BufferId to) {
        return w.work(Lane::host_in, "copy",
                      {w.whole(from, Access::read), w.whole(to, Access::write)}, {}, Adding::copy);
      };
      const TaskId first = to_device(zeros, none), second = to_device(numbers, some);
      const auto shared = std::make_shared<Complaining>();
      TaskId last = 0;
      for (const auto& [name, buffer] :
           {std::pair{"before", none}, {"wrong", some}, {"behind", none}}) {
        last = w.work(Lane::compute, name, {w.whole(buffer, Access::read)},
                      {.after = {first, second}}, nothing);
        w.functions.back() = shared;
      }
      w.work(Lane::host_out, "end", {}, {.after = {last}}, nothing);
      expect_in(run({w}, {.steps = 5, .graphs = graphs})[0],
                "complaint 7; while running task 4 (step/wrong) on rank 0");
      EXPECT_EQ(step, bad_step) << graphs;
    }
  }
}

}  // namespace
}  // namespace megascale::runtime
