#include <fstream>
#include <sstream>

#include "engine/allocation_job.h"

namespace megascale {
namespace {

using testing::allocations_in_steps;
using testing::AllocationSummary;
using testing::kLibrariesMost;
using testing::TrainingJob;

// Minutes. oneDNN's copies of the widest operands decide the libraries' figure.
TEST(AllocationSlow, StepsOfGpt2Small) {
  std::ostringstream toml;
  toml << std::ifstream(MEGASCALE_SOURCE_DIR "/configs/gpt2-124m.toml").rdbuf();
  const AllocationSummary summary = allocations_in_steps(TrainingJob(toml.str(), 4), 3, 10);
  EXPECT_EQ(summary.ours.count, 0) << summary.callers;
  EXPECT_LT(summary.peak_live, kLibrariesMost);
}

}  // namespace
}  // namespace megascale
