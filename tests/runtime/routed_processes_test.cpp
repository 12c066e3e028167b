// Goal: a router that the system does not know writes counts that transfers obey, on ranks that are
// processes. Method: three forked processes with a UCX worker each run the plan of routed_plan.h and
// compare what comes back with what the router's rule says.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "comm/processes.h"
#include "megascale/runtime/lane_runner.h"
#include "support/routed_plan.h"
#include "support/watchdog.h"

namespace megascale::runtime {
namespace {

using testing::RoutedPlan;
using testing::Watchdog;

// Runs `steps` steps on one rank. Returns "right", or the first element that is wrong.
std::string run_steps(comm::Child& child, int steps) {
  const auto writers = RoutedPlan::write();
  std::vector<plan::RankPlan> plans;
  for (std::uint32_t rank = 0; rank < RoutedPlan::kRanks; ++rank)
    plans.push_back(writers[rank].rank_plan(rank));
  const plan::Verification verification = plan::verify(std::move(plans));
  if (!verification.ok()) return verification.violations.front().message;
  const plan::VerifiedPlan& mine = verification.plans[child.rank];

  LaneRunner runner(child.wakeup, {.events = &child.worker});
  BoundPlan bound{.plan = &mine, .arena = child.memory, .functions = {}, .communicators = {}};
  for (const auto& function : writers[child.rank].functions)
    bound.functions.push_back(function.get());
  std::vector<std::unique_ptr<comm::Communicator>> groups;
  for (const plan::CommunicatorBinding& binding : mine.binding().communicators) {
    groups.push_back(child.worker.make_group(child.addresses, binding.my_index, binding.key));
    bound.communicators.push_back(groups.back().get());
  }
  runner.bind(std::move(bound));

  const auto result = std::ranges::find(mine.plan().buffers(), RoutedPlan::kResult,
                                        [](const plan::Buffer& buffer) { return buffer.name; });
  const auto* values = reinterpret_cast<const float*>(child.memory.data() + result->offset);
  for (int step = 0; step < steps; ++step) {
    std::ranges::fill(child.memory.first(mine.plan().arena_nbytes()), std::byte{0xff});  // NaN
    runner.run_step(0, {});
    for (std::int64_t i = 0; i < RoutedPlan::kTokens * RoutedPlan::kColumns; ++i) {
      const float expected =
          RoutedPlan::result(child.rank, i / RoutedPlan::kColumns, i % RoutedPlan::kColumns);
      if (values[i] != expected)
        return fmt::format("step {}: element {} is {}, expected {}", step, i, values[i], expected);
    }
  }
  return "right";
}

TEST(RoutedProcessesTest, RowsGoWhereCountsSayAndComeBack) {
  if (!comm::ucx_is_available()) GTEST_SKIP() << "built without UCX";
  const Watchdog watchdog("a routed step of processes");
  for (const auto over : {comm::Over::shared_memory, comm::Over::tcp}) {
    comm::Processes processes(RoutedPlan::kRanks, over,
                              [](comm::Child& child) { return run_steps(child, 20); });
    for (std::uint32_t rank = 0; rank < RoutedPlan::kRanks; ++rank)
      EXPECT_EQ(processes.wait(rank).value_or("killed"), "right") << "rank " << rank;
  }
}

}  // namespace
}  // namespace megascale::runtime
