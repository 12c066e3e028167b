// The work of a step is processor time, so that other programs on the same core do not count.
#include "megascale/engine/core_meter.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "megascale/base/clock.h"
#include "megascale/base/core_binding.h"

namespace megascale::engine {
namespace {

constexpr std::int64_t kWorkNs = 30'000'000;

void use_processor(std::int64_t nanoseconds) {
  const std::int64_t end = thread_cpu_ns() + nanoseconds;
  while (thread_cpu_ns() < end) {
  }
}

// Works for kWorkNs and sleeps for as long.
StepOutcome outcome_of_work(std::size_t threads) {
  CoreMeter meter(threads);
  meter.begin();
  const std::int64_t begin = monotonic_ns();
  use_processor(kWorkNs);
  StepOutcome outcome{.step = 1, .compute_ns = monotonic_ns() - begin};
  std::this_thread::sleep_for(std::chrono::nanoseconds(kWorkNs));
  meter.end(outcome);
  return outcome;
}

TEST(CoreMeterTest, CountsProcessorTimeAlone) {
  const StepOutcome outcome = outcome_of_work(1);
  EXPECT_GE(outcome.work_ns, kWorkNs);
  EXPECT_LT(outcome.work_ns, kWorkNs * 3 / 2);
}

TEST(CoreMeterTest, TellsThatAnotherThreadHadTheCore) {
  const CoreBinding one_core({process_cores().front()});
  std::atomic<bool> ends{false};
  std::thread other([&] {
    while (!ends) {
    }
  });
  const StepOutcome outcome = outcome_of_work(1);
  const StepOutcome of_team = outcome_of_work(2);
  ends = true;
  other.join();
  if (outcome.core_wait_ns < 0) GTEST_SKIP() << "this system does not tell how long threads wait";
  EXPECT_LT(outcome.work_ns, kWorkNs * 3 / 2);
  EXPECT_GT(outcome.core_wait_ns, kWorkNs / 4) << "half of the core belongs to the other thread";
  EXPECT_EQ(of_team.work_ns, 0) << "the work of a team that was disturbed is not known";
}

TEST(CoreMeterTest, TellsHowLongAThreadOfTheLanesHadNoCore) {
  const CoreBinding one_core({process_cores().front()});
  std::atomic<bool> ends{false};
  std::atomic<int> id{0};
  std::thread transfers([&] {
    id = ::gettid();
    while (!ends) {
    }
  });
  while (id == 0) std::this_thread::yield();
  CoreMeter meter(1, {.transfers = id});
  StepOutcome outcome;
  meter.end(outcome);
  use_processor(kWorkNs);  // on the core of the other thread
  meter.end(outcome);
  ends = true;
  transfers.join();
  EXPECT_EQ(outcome.input_core_wait_ns, -1) << "there is no such thread";
  if (outcome.core_wait_ns < 0) GTEST_SKIP() << "this system does not tell how long threads wait";
  EXPECT_GT(outcome.transfer_core_wait_ns, kWorkNs / 4);
}

TEST(CoreMeterTest, ADeviceHasNoOtherPrograms) {
  CoreMeter meter(0);
  meter.begin();
  StepOutcome outcome{.step = 1, .compute_ns = 7};
  meter.end(outcome);
  EXPECT_EQ(outcome.work_ns, 7);
}

}  // namespace
}  // namespace megascale::engine
