#ifndef MEGASCALE_TESTS_JOB_LAYOUTS_H_
#define MEGASCALE_TESTS_JOB_LAYOUTS_H_

#include <algorithm>
#include <string_view>

#include "job/folding.h"

// What the folding tests do with one layout or one job, for a selection (folding_test) and for all
// (folding_slow_test).
namespace megascale::testing {

// Every product of sizes of up to `most_ranks` ranks with every schedule; the other settings go
// round.
inline std::vector<Layout> layouts(std::uint32_t most_ranks) {
  std::vector<Layout> all;
  const auto add = [&](Layout layout) {
    for (const char* schedule : {"1f1b", "gpipe", "interleaved", "zb-h1"}) {
      if (layout.pipeline == 1 && schedule != std::string_view("1f1b")) continue;
      const auto n = static_cast<std::uint32_t>(all.size());
      layout.schedule = schedule;
      layout.zero_stage = n % 4;
      layout.pieces = n % 3;
      layout.overlap = n % 5 != 0;
      layout.optimizer = n % 7 == 0 ? "lamb" : "adamw";
      all.push_back(layout);
    }
  };
  for (std::uint32_t t = 1; t <= most_ranks; ++t) {
    for (std::uint32_t c = 1; t * c <= most_ranks; ++c) {
      for (std::uint32_t d = 1; t * c * d <= most_ranks; ++d) {
        for (std::uint32_t p = 1; t * c * d * p <= most_ranks; ++p) {
          add({.tensor = t, .context = c, .data = d, .pipeline = p});
        }
      }
    }
  }
  return all;
}

struct FoldingCount {
  int good = 0, with_fault = 0, found = 0;
};

// The layout as it is, and with every fault in one rank and in all ranks of a stage.
inline void compare_layout(const Layout& layout, std::uint64_t seed, FoldingCount& count) {
  const bool interleaved = layout.schedule == std::string_view("interleaved");
  const job::JobPlan job = plan_layout(layout, layout.pipeline + (interleaved ? 0 : 1));
  const std::vector<PlanPointer> right = plans_by_rank(job);
  EXPECT_TRUE(same_verdict(right, job.grid)) << name(layout);
  EXPECT_TRUE(plan::verify_folded(right, job.grid).ok()) << name(layout);
  ++count.good;
  std::mt19937_64 engine(seed);
  for (const Fault fault : kFaults) {
    const auto rank = static_cast<std::uint32_t>(engine() % right.size());
    const SeededFault seeded =
        FaultSeeder(job.stage_of(rank).train.expansion, engine()).seed(fault);
    if (!seeded.possible) continue;
    const auto wrong = std::make_shared<const plan::StepPlan>(seeded.tables);
    std::vector<PlanPointer> one = right, stage = right;
    one[rank] = wrong;
    for (PlanPointer& plan : stage) {
      if (plan == right[rank]) plan = wrong;
    }
    for (const auto& plans : {one, stage}) {
      EXPECT_TRUE(same_verdict(plans, job.grid))
          << name(layout) << " " << name(fault) << " in rank " << rank << " seed " << seed;
      ++count.with_fault;
      const bool found = !plan::verify_folded(plans, job.grid).ok();
      count.found += found;
      // A whole stage may agree on another order or size; one rank may not differ from its
      // partners.
      const bool may_be_right =
          plans != one && (fault == Fault::swapped_collectives || fault == Fault::wrong_count);
      EXPECT_TRUE(found || may_be_right)
          << name(layout) << " " << name(fault) << " in rank " << rank << " seed " << seed;
    }
  }
}

// A fault in one random rank of the job is found, and rank and task are named.
inline void seed_one_of(const job::JobPlan& job, Fault fault, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  std::vector<PlanPointer> plans = plans_by_rank(job);
  std::uint32_t rank = 0;
  SeededFault seeded;
  while (!seeded.possible) {
    rank = static_cast<std::uint32_t>(engine() % plans.size());
    seeded = FaultSeeder(job.stage_of(rank).train.expansion, engine()).seed(fault);
  }
  plans[rank] = std::make_shared<const plan::StepPlan>(std::move(seeded.tables));
  const plan::Verification verification = plan::verify_folded(plans, job.grid);
  EXPECT_TRUE(verification.plans.empty());
  EXPECT_TRUE(names_fault(verification, rank, seeded.task)) << name(fault) << " seed " << seed;
}

}  // namespace megascale::testing

#endif  // MEGASCALE_TESTS_JOB_LAYOUTS_H_
