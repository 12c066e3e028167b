#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <set>

#include "support/exchange_plan.h"
#include "support/job.h"
#include "support/watchdog.h"

namespace megascale::runtime {
namespace {

using testing::exchange_plans;
using testing::Job;
using testing::kExchangeFloats;
using testing::Over;
using testing::Watchdog;

// What the exchange computes, one rank after the other and one number after the other.
std::vector<float> exchange_by_hand(std::uint32_t rank) {
  std::vector<float> result;
  const auto piece = [](float base, std::size_t i, std::size_t m) {
    return 1.0F / (base * static_cast<float>(i + 1 + 7 * m));
  };
  for (std::size_t i = 0; i < kExchangeFloats; ++i) {
    const float x = static_cast<float>(i);
    const float sum = (piece(1, i, 0) + piece(1, i, 1)) + (piece(2, i, 0) + piece(2, i, 1));
    const float received = 1.0F / (static_cast<float>(2 - rank) + x);
    result.push_back(sum + (1.0F + x * 0.125F) + (2.0F + x * 0.125F) + received);
  }
  return result;
}

std::span<const float> floats_of(Job& job, std::uint32_t rank, const std::string& name) {
  for (const plan::Buffer& buffer : job.plan(rank).buffers()) {
    if (buffer.name == name) {
      return {reinterpret_cast<const float*>(job.arena(rank).data() + buffer.offset),
              buffer.nbytes / sizeof(float)};
    }
  }
  return {};
}

void expect_by_hand(Job& job, std::uint64_t seed) {
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    const auto want = exchange_by_hand(rank);
    const auto result = floats_of(job, rank, "result"), reused = floats_of(job, rank, "reused");
    for (std::size_t i = 0; i < kExchangeFloats; ++i) {
      ASSERT_EQ(result[i], want[i]) << "rank " << rank << " element " << i << " seed " << seed;
      ASSERT_EQ(reused[i], 2.0F * want[i])
          << "rank " << rank << " element " << i << " seed " << seed;
    }
  }
}

class LanesTest : public ::testing::TestWithParam<Over> {
 public:
  void SetUp() override {
    if (GetParam() == Over::ucx && !comm::ucx_is_available()) GTEST_SKIP() << "built without UCX";
  }
};
INSTANTIATE_TEST_SUITE_P(Over, LanesTest, ::testing::Values(Over::local, Over::ucx),
                         [](const auto& parameter) {
                           return parameter.param == Over::local ? "local" : "ucx";
                         });

TEST_P(LanesTest, TellsTheThreadsOfItsLanes) {
  const Watchdog watchdog("the threads of two ranks");
  Job job(exchange_plans(), {}, {}, GetParam());
  std::set<int> all{::gettid()};
  for (std::size_t rank = 0; rank < 2; ++rank) {
    const LaneThreads threads = job.runner(rank).lane_threads();
    for (const int id : {threads.transfers, threads.host}) {
      EXPECT_TRUE(all.insert(id).second);
      EXPECT_TRUE(std::filesystem::exists("/proc/self/task/" + std::to_string(id)));
    }
  }
}

TEST_P(LanesTest, TwoRanksComputeWhatTheirPlansSay) {
  const Watchdog watchdog("the exchange of two ranks");
  Job job(exchange_plans(), {}, {}, GetParam());
  job.fill_arenas(std::byte{0xff});  // NaN: what nobody wrote shows
  job.step();
  expect_by_hand(job, 0);
}

// Goal: no timing changes a bit, and none hangs.  Method: a random delay before every task of every
// lane and rank, with and without turns of the compute lane's thread at the others.
TEST_P(LanesTest, NoTimingChangesABit) {
  const Watchdog watchdog("the exchange under random delays");
  std::atomic<std::uint64_t> seed{0};
  for (int runners = 0; runners < 20; ++runners) {
    const auto delay = [&](std::uint32_t rank, std::uint32_t task) {
      testing::random_delay(seed.load(std::memory_order_relaxed), rank, task);
    };
    Job job(exchange_plans(), delay, {.cores_are_full = runners % 2 == 1}, GetParam());
    for (int i = 0; i < 50; ++i) {
      seed.fetch_add(1, std::memory_order_relaxed);
      job.fill_arenas(std::byte{0xff});
      job.step();
      ASSERT_NO_FATAL_FAILURE(expect_by_hand(job, seed));
    }
  }
  EXPECT_EQ(seed, 1000U);
}

}  // namespace
}  // namespace megascale::runtime
