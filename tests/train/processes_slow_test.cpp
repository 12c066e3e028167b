// The faults of processes_test.cpp at more places.
#include <gtest/gtest.h>

#include "megascale/comm/ucx/ucx_worker.h"
#include "train/process_faults.h"

namespace megascale {
namespace {

TEST(ManyProcessFaults, AKilledRankIsNamedByAllOthersAndTheRunGoesOn) {
  if (!comm::ucx_is_available()) GTEST_SKIP() << "built without UCX";
  for (std::uint64_t seed = 100; seed < 120; ++seed) testing::kill_one_rank(seed);
}

TEST(ManyProcessFaults, AStoppedRankIsNamedByAllOthersAndNothingIsSaved) {
  if (!comm::ucx_is_available()) GTEST_SKIP() << "built without UCX";
  for (std::uint64_t seed = 200; seed < 212; ++seed) testing::stop_one_rank(seed);
}

}  // namespace
}  // namespace megascale
