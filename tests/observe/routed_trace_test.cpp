// Goal: a step with a router and with ops that the system does not know is recorded and drawn as any
// other. Method: its tasks' records go through the files of a run directory into a trace.
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "megascale/base/files.h"
#include "megascale/base/run_directory.h"
#include "megascale/observe/trace.h"
#include "megascale/plan/dump.h"
#include "megascale/runtime/record_ring.h"
#include "support/job.h"
#include "support/routed_plan.h"
#include "support/scratch_directory.h"
#include "support/watchdog.h"

namespace megascale::observe {
namespace {

using testing::RoutedPlan;

TEST(RoutedTraceTest, EveryTaskIsDrawnWithItsLaneAndWaits) {
  const testing::Watchdog watchdog("a routed step that is recorded");
  const testing::ScratchDirectory directory;
  const RunDirectory run(directory / "run");
  std::filesystem::create_directories(run.events());
  testing::Job job(RoutedPlan::write());
  const plan::StepPlan& plan = job.plan(0);
  std::vector<std::vector<TaskRecord>> records(job.size());
  for (std::uint32_t rank = 0; rank < job.size(); ++rank)
    records[rank].resize(job.plan(rank).tasks().size());
  job.step(0, records);
  plan::dump_to(plan, run.plan(plan.digest()));
  {
    runtime::RecordRing ring(run.ring(0), {.tasks = static_cast<std::uint32_t>(records[0].size()),
                                           .plan_digest = plan.digest()});
    const auto places = ring.begin_step(0);
    for (std::size_t task = 0; task < places.size(); ++task)
      publish(places[task], records[0][task]);
    ring.end_step(0);
  }
  const TraceSummary summary = write_trace(run.path(), {.rank = 0}, run.trace());
  EXPECT_TRUE(summary.unfinished.empty());

  std::map<std::string, std::string> op_by_name;
  std::size_t arrows = 0;
  const auto trace = nlohmann::json::parse(read_text(run.trace()));
  for (const auto& event : trace.at("traceEvents")) {
    if (event.at("ph") == "X") op_by_name[event.at("name")] = event.at("cat");
    arrows += event.at("ph") == "s" ? 1 : 0;
  }
  EXPECT_EQ(op_by_name.size(), plan.tasks().size());
  for (std::size_t task = 0; task < plan.tasks().size(); ++task)
    EXPECT_EQ(op_by_name[plan.task_name(task)], plan.op(plan.tasks()[task]).def->name);
  EXPECT_GE(arrows, 4U) << "counts, dispatch, experts and combine wait for tasks of other lanes";
}

}  // namespace
}  // namespace megascale::observe
