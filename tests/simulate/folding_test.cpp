// Classes of ranks take what all ranks take, bit for bit.
#include <fmt/format.h>

#include "engine/layouts.h"
#include "megascale/base/digest.h"
#include "simulate/jobs.h"

namespace megascale::testing {
namespace {

// Some cost that depends on what the op is, not on where it stands: uneven, with every resource.
simulate::OpCost uneven(const plan::PlanOp& op) {
  const std::size_t h = std::hash<std::string>{}(op.scope + op.path + std::string(op.def->name));
  const auto part = [&](unsigned shift) { return 1e-6 * static_cast<double>(h >> shift & 0xffU); };
  if (!op.def->collective) return {.seconds = part(0)};
  using simulate::Link;
  const bool near = op.lane == graph::Lane::tensor || op.lane == graph::Lane::context;
  const auto links = near ? bit(Link::node_out) | bit(Link::node_in)
                          : bit(Link::network_out) | bit(Link::network_in);
  return {.seconds = part(8),
          .latency_seconds = 0.1 * part(16),
          .links = static_cast<simulate::LinkSet>(links),
          .processor_share = near ? 0.15 : 0.02};
}

TEST(SimulateFoldingTest, ClassesTakeWhatAllRanksTake) {
  int jobs = 0;
  for (const Layout& layout : layouts(8)) {
    if (jobs++ % 5 != 0) continue;
    SCOPED_TRACE(name(layout));
    const bool interleaved = layout.schedule == std::string_view("interleaved");
    const engine::JobPlan job = plan_layout(layout, layout.pipeline + (interleaved ? 0 : 1));
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
