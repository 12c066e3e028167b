// Random delays of tasks never change bits of a step with routed experts: 1,000 steps with another seed
// each are those of a run that nothing delays. A single step with other bits would change all that follow.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>

#include "support/job.h"
#include "support/watchdog.h"
#include "train/routed_model.h"

namespace megascale {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

constexpr int kSeeds = 1000;

class RoutedDelaysTest : public ::testing::TestWithParam<RoutedLayout> {};

TEST_P(RoutedDelaysTest, AThousandSeedsGiveTheBitsOfAnUndisturbedRun) {
  const Watchdog watchdog(GetParam().name, std::chrono::seconds(1800));
  Laboratory laboratory;
  Settings all = settings(GetParam());
  const Settings more{fmt::format("train.train_iters={}", kSeeds),
                      fmt::format("train.eval_interval={}", kSeeds), "train.micro_batch_size=1"};
  all.insert(all.end(), more.begin(), more.end());
  const Outcome plain = laboratory.run(all);
  std::array<std::atomic<std::uint64_t>, 8> seeds{};  // steps of each rank; its threads all read it
  const Outcome delayed =
      laboratory.run(all, {.before_task = [&](std::uint32_t rank, std::uint32_t task) {
                       if (task == 0) ++seeds.at(rank);
                       random_delay(seeds.at(rank), rank, task);
                     }});
  ASSERT_EQ(delayed.losses.size(), static_cast<std::size_t>(kSeeds));
  EXPECT_GE(seeds[0], static_cast<std::uint64_t>(kSeeds));
  EXPECT_EQ(first_difference(delayed, plain), "");
}

INSTANTIATE_TEST_SUITE_P(
    Layouts, RoutedDelaysTest,
    ::testing::Values(
        RoutedLayout{"expert2_data2", 1, 1, 4, 1, 2, {"parallel.zero_stage=2"}},
        RoutedLayout{"gather_expert4", 1, 1, 4, 1, 4, {"moe.token_dispatcher_type=allgather"}},
        RoutedLayout{"context2_expert2_in_8_bits", 1, 2, 1, 1, 2, {"moe.fp8_communication=true"}},
        RoutedLayout{"expert2_in_pieces",
                     1,
                     1,
                     2,
                     1,
                     2,
                     {"moe.token_dispatcher_type=allgather", "overlap.expert_pieces=2"}},
        RoutedLayout{"rows_expert2_in_pieces",
                     1,
                     1,
                     2,
                     1,
                     2,
                     {"moe.token_dispatcher_type=alltoall", "overlap.expert_pieces=4"}},
        RoutedLayout{"expert2_data2_by_hosts",
                     1,
                     1,
                     4,
                     1,
                     2,
                     {"parallel.zero_stage=2", "parallel.ranks_per_host=2",
                      "parallel.hierarchical_reduction_pieces=1",
                      "parallel.reduce_scatter_with_fp32_accumulation=true"}},
        RoutedLayout{"pipeline2_expert2", 1, 1, 2, 2, 2, {"recompute.granularity=selective_moe"}}),
    [](const auto& parameter) { return std::string(parameter.param.name); });

}  // namespace
}  // namespace megascale
