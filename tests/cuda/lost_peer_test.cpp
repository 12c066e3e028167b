// A rank that waits for the device sees that a peer is lost.  On the emulated device alone: a real
// one has no work of ours that does not end by itself.
#include <gtest/gtest.h>

#include <deque>
#include <thread>

#include "cuda/emulation/emulation.h"
#include "megascale/cuda/memory.h"
#include "megascale/runtime/cuda/device_lane_runner.h"
#include "support/plan_writer.h"
#include "support/watchdog.h"

namespace megascale::runtime {
namespace {

using graph::Access;
using graph::Lane;
using testing::PlanWriter;
using testing::TaskId;
using testing::Watchdog;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

// As NCCL's: a transfer is handed over at once, and on the device does not end before abort() where
// the peer is gone.
class OneSided final : public comm::Communicator {
 public:
  explicit OneSided(CUstream_st* stream) : stream_(stream) {}
  [[nodiscard]] std::uint32_t size() const noexcept override { return 2; }
  [[nodiscard]] std::uint32_t my_index() const noexcept override { return 0; }
  void start(const comm::Transfer&) noexcept override {
    if (waits_for_peer) gate_.close(stream_);
  }
  comm::Progress poll() noexcept override { return comm::Progress::done; }
  void abort(const Error& error) noexcept override {
    ++aborted;
    aborted_with = error.message();
    gate_.open();
  }
  [[nodiscard]] Error error() const override { return {ErrorCode::failed, "none"}; }
  [[nodiscard]] comm::Awaited awaited() const override { return {}; }
  std::optional<Error> lost() noexcept override {
    if (Clock::now() < lost_at) return std::nullopt;
    return Error(ErrorCode::peer_lost, "rank 1 is gone");
  }
  bool waits_for_peer = false;
  Clock::time_point lost_at = Clock::time_point::max();
  int aborted = 0;
  std::string aborted_with;

 private:
  CUstream_st* stream_;
  emulation::Gate gate_;
};

// An all_gather with rank 1 on each of two lanes, and compute tasks around them.
struct Gathering {
  static constexpr std::uint64_t kNbytes = 4096;
  PlanWriter w;
  plan::BufferId both = w.buffer("both", 2 * kNbytes), more = w.buffer("more", 2 * kNbytes),
                 copy = w.buffer("copy", kNbytes);
  TaskId gather;

  Gathering() {
    w.work(Lane::compute, "before", {w.whole(copy, Access::write)}, {}, nothing);
    gather = transfer("gather", both, Lane::data);
    transfer("other", more, Lane::tensor);
    w.work(Lane::compute, "use", {w.whole(both, Access::read)}, {.after = {gather}}, nothing);
  }
  static const Error* nothing(const TaskArguments&) { return nullptr; }
  TaskId transfer(const std::string& name, plan::BufferId buffer, Lane lane) {
    const plan::Operand half{.buffer = buffer,
                             .nbytes = kNbytes,
                             .access = Access::read,
                             .term = {.axes = {graph::Axis::data}, .n = 2, .stride = kNbytes}};
    return w.transfer(graph::all_gather_op(), name, w.communicator(name, {0, 1}, lane),
                      {half, w.whole(buffer, Access::write)}, {});
  }
};

class LostPeerTest : public ::testing::Test {
 public:
  // One step of rank 0, whose peer does not come to the first group's transfer; `prepare` says who
  // finds that out. What it threw.
  std::optional<Error> run(const PlanWriter& w,
                           const std::function<void(std::deque<OneSided>&)>& prepare,
                           std::chrono::nanoseconds timeout = 0ns) {
    const plan::Verification verification = plan::verify({w.rank_plan(0), w.rank_plan(1)});
    if (!verification.ok()) throw Error(ErrorCode::failed, verification.violations.front().message);
    const plan::VerifiedPlan& plan = verification.plans[0];
    const cuda::DeviceMemory arena(plan.plan().arena_nbytes());
    Wakeup wakeup;
    std::deque<OneSided> ends;
    DeviceLaneRunner runner(0, wakeup, {.timeout = timeout});
    BoundPlan bound{.plan = &plan, .arena = arena.bytes(), .functions = {}, .communicators = {}};
    for (const auto& function : w.functions) bound.functions.push_back(function.get());
    for (const auto& communicator : plan.plan().communicators()) {
      ends.emplace_back(runner.stream(communicator.lane));
      bound.communicators.push_back(&ends.back());
    }
    const std::size_t number = runner.bind(std::move(bound));
    if (!ends.empty()) ends.front().waits_for_peer = true;
    prepare(ends);
    std::optional<Error> error;
    try {
      runner.run_step(number, {});
    } catch (const Error& thrown) {
      error = thrown;
    }
    for (const OneSided& end : ends) {
      EXPECT_EQ(end.aborted, 1);
      EXPECT_EQ(end.aborted_with, error ? error->message() : "");
    }
    return error;
  }
};

// Goal: without a time-out too a rank that waits for the device ends soon after the loss is known,
// with the task that does not end, and has aborted all its groups.  Method: what is lost is not on
// the host's way, as everything is handed over; the loss is known at once, or while the rank waits.
TEST_F(LostPeerTest, ARankThatWaitsForTheDeviceEndsWithTheTaskAndTheLoss) {
  const Watchdog watchdog("a rank that waits for a lost peer");
  for (const auto after : {0ms, 50ms}) {
    const Clock::time_point begin = Clock::now();
    const auto error = run(
        Gathering().w, [&](std::deque<OneSided>& ends) { ends.front().lost_at = begin + after; });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code(), ErrorCode::peer_lost);
    EXPECT_EQ(error->message(), "rank 1 is gone; while running task 1 (step/gather) on rank 0");
    EXPECT_GE(Clock::now() - begin, after);
    EXPECT_LT(Clock::now() - begin, after + 5s);
  }
}

// The device waits for the peer in one group, another group's network tells.
TEST_F(LostPeerTest, AnyGroupThatKnowsEndsTheWait) {
  const Watchdog watchdog("a loss that another group knows of");
  const auto error = run(Gathering().w, [](std::deque<OneSided>& ends) {
    ends.back().lost_at = Clock::time_point::min();
  });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->message(), "rank 1 is gone; while running task 1 (step/gather) on rank 0");
}

// Nobody finds the loss: then the time-out does.
TEST_F(LostPeerTest, WhatNobodyFindsTheTimeoutEnds) {
  const Watchdog watchdog("a time-out of the device");
  const auto error = run(
      Gathering().w, [](auto&) {}, 100ms);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code(), ErrorCode::timeout);
  EXPECT_NE(error->message().find("is not done by the device"), std::string::npos)
      << error->message();
  EXPECT_NE(error->message().find("(step/gather)"), std::string::npos) << error->message();
}

// Goal: the same where the rank is not through with handing over, since a task of the host waits
// for the device.  Method: such a task copies out what the lost peer's transfer brings.
TEST_F(LostPeerTest, ATaskOfTheHostThatWaitsForTheDeviceIsNotWaitedForWithoutEnd) {
  const Watchdog watchdog("a host task behind a lost peer");
  for (const auto timeout : {0ms, 100ms}) {
    Gathering job;
    PlanWriter& w = job.w;
    const auto out = w.buffer("out", 2 * Gathering::kNbytes);
    w.tables.buffers[plan::index(out)].category = plan::Category::staging;
    const TaskId copied = w.work(Lane::host_out, "copy",
                                 {w.whole(job.both, Access::read), w.whole(out, Access::write)},
                                 {.after = {job.gather}}, Gathering::nothing);
    w.work(Lane::host_out, "store", {w.whole(out, Access::read)}, {.after = {copied}},
           Gathering::nothing);
    const auto error = run(
        w,
        [&](std::deque<OneSided>& ends) {
          // Later than the second look at the device: the first finds every event pending.
          if (timeout == 0ms) ends.back().lost_at = Clock::now() + 100ms;
        },
        timeout);
    ASSERT_TRUE(error);
    if (timeout == 0ms) {
      EXPECT_EQ(error->message(), "rank 1 is gone; while running task 1 (step/gather) on rank 0");
    } else {
      EXPECT_EQ(error->code(), ErrorCode::timeout);
      EXPECT_NE(error->message().find("lane host_out: task 5 (step/store)"), std::string::npos)
          << error->message();
    }
  }
}

// A device that does something is not stalled, however long a task of the host waits for all of it.
TEST_F(LostPeerTest, ADeviceThatGoesOnIsNotGivenUp) {
  const Watchdog watchdog("a host task behind a long chain");
  PlanWriter w;
  const auto some = w.buffer("some", Gathering::kNbytes), out = w.buffer("out", Gathering::kNbytes);
  w.tables.buffers[plan::index(out)].category = plan::Category::staging;
  std::deque<emulation::Gate> gates;
  for (int i = 0; i < 6; ++i) {
    w.work(Lane::compute, "slow", {w.whole(some, Access::write)}, {}, [&](const TaskArguments& a) {
      gates.emplace_back().close(a.stream);
      return nullptr;
    });
  }
  const TaskId last =
      w.work(Lane::compute, "last", {w.whole(some, Access::read)}, {}, Gathering::nothing);
  w.work(Lane::host_out, "store", {w.whole(out, Access::write)}, {.after = {last}},
         Gathering::nothing);
  std::thread device([&] {
    std::this_thread::sleep_for(20ms);
    for (emulation::Gate& gate : gates) {
      std::this_thread::sleep_for(60ms);
      gate.open();
    }
  });
  const auto error = run(
      w, [](auto&) {}, 150ms);
  device.join();
  EXPECT_FALSE(error) << error->message();
}

}  // namespace
}  // namespace megascale::runtime
