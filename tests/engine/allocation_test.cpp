// A step allocates nothing: all its bytes are in the arena. What libraries take beside it stays
// small.
#include "engine/allocation_job.h"

namespace megascale {
namespace {

using testing::allocations_in_steps;
using testing::AllocationSummary;
using testing::kLibrariesMost;
using testing::TrainingJob;

const char* const kGpt2 = R"(
[model]
num_layers = 2
hidden_size = 64
num_attention_heads = 4
seq_length = 64
[train]
micro_batch_size = 2
global_batch_size = 6
threads_per_rank = 2
)";
const char* const kLlama = R"(
[model]
type = "llama"
num_layers = 2
hidden_size = 64
num_attention_heads = 4
num_query_groups = 2
sliding_window = 16
seq_length = 64
[data]
packed_documents = true
[train]
micro_batch_size = 2
global_batch_size = 4
threads_per_rank = 2
[optimizer]
name = "lamb"
[recompute]
granularity = "selective"
)";

TEST(Allocation, StepsOfATinyGpt2) {
  const AllocationSummary summary = allocations_in_steps(TrainingJob(kGpt2, 12), 3, 10);
  EXPECT_EQ(summary.ours.count, 0) << summary.callers;
  EXPECT_LT(summary.peak_live, kLibrariesMost);
}

TEST(Allocation, StepsOfATinyLlamaWithLambAndPackedDocuments) {
  const AllocationSummary summary = allocations_in_steps(TrainingJob(kLlama, 12), 3, 10);
  EXPECT_EQ(summary.ours.count, 0) << summary.callers;
  EXPECT_LT(summary.peak_live, kLibrariesMost);
}

// The log sees what a task would allocate, in any way and on the thread of any lane.
TEST(Allocation, OfATaskAreSeen) {
  const AllocationSummary summary =
      allocations_in_steps(TrainingJob(kGpt2, 5), 3, 3, {.before_task = [](std::uint32_t) {
                             std::vector<int> vector(1000);
                             asm volatile("" : : "r"(vector.data()) : "memory");
                           }});
  EXPECT_GT(summary.ours.count, 10);
  EXPECT_GE(summary.ours.nbytes, summary.ours.count * 4000);
  EXPECT_NE(summary.callers.find("run_step"), std::string::npos) << summary.callers;
}

}  // namespace
}  // namespace megascale
