// Classes of ranks take what all ranks take, bit for bit.
#include <fmt/format.h>

#include "job/layouts.h"
#include "megascale/base/digest.h"
#include "simulate/jobs.h"

namespace megascale::testing {
namespace {

TEST(SimulateFoldingTest, ClassesTakeWhatAllRanksTake) {
  int jobs = 0;
  for (const Layout& layout : layouts(8)) {
    if (jobs++ % 5 != 0) continue;
    SCOPED_TRACE(name(layout));
    const bool interleaved = layout.schedule == std::string_view("interleaved");
    const job::JobPlan job = plan_layout(layout, layout.pipeline + (interleaved ? 0 : 1));
    const std::vector<PlanPointer> plans = plans_by_rank(job);
    const plan::Verification all = verify_unfolded(plans, job.grid);
    const plan::Verification classes = plan::verify_folded(plans, job.grid);
    ASSERT_TRUE(all.ok() && classes.ok());
    const plan::Fold fold(job.grid, plans);
    const simulate::Simulation unfolded =
        simulate::simulate(simulate::make_job(all.plans, itself, costs_by_op(uneven)));
    const simulate::Simulation folded = simulate::simulate(simulate::make_job(
        classes.plans, [&](std::uint32_t rank) { return fold.representative(rank); },
        costs_by_op(uneven)));
    EXPECT_EQ(folded.step_ends, unfolded.step_ends);
    EXPECT_GT(folded.step_seconds(), 0);
  }
}

}  // namespace
}  // namespace megascale::testing
