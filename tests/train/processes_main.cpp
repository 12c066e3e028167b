#include <gtest/gtest.h>

#include "train/rank_processes.h"

// The program is the test, and each rank of the jobs that it starts.
int main(int argc, char** argv) {
  if (const auto status = megascale::testing::run_as_rank(argc, argv)) return *status;
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
