#ifndef MEGASCALE_TESTS_TRAIN_LAYOUTS_H_
#define MEGASCALE_TESTS_TRAIN_LAYOUTS_H_

#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "train/training.h"

// Runs of one job in several layouts, compared with the run on one rank.
namespace megascale::testing {

struct Layout {
  Settings settings;
  bool same_bits = false;  // as one rank
};

struct LayoutComparison {
  // Runs the job, as Laboratory::run().
  std::function<Outcome(const Settings& settings, const RunOptions& options)> run;
  // Further checks of the five steps of a layout; may be empty.
  std::function<void(const Layout& layout, const Outcome& got, const Outcome& one)> expect_more;
  // Gradients are those of the first step from the weights that one rank has after five, not from new ones.
  bool gradients_after_five_steps = false;
};

// Expects of each layout that five steps have the bits of one rank, or that their losses and the gradients of
// one step are as near as in equality.h. Ranks read the same samples.
inline void expect_layouts_agree(const Settings& base, const std::vector<Layout>& layouts,
                                 const LayoutComparison& of) {
  constexpr double kBound = 1e-5;
  const Outcome one = of.run(base, {.most_steps = 5});
  RunOptions first_step{.most_steps = 1};
  Settings first_settings{"optimizer.clip_grad=0"};
  if (of.gradients_after_five_steps) {
    first_step.load = one.checkpoints;
    first_settings.emplace_back("checkpoint.start=weights");
  }
  const Outcome one_step = of.run(joined({base, first_settings}), first_step);
  for (const Layout& layout : layouts) {
    SCOPED_TRACE(base.front() + " " + ::testing::PrintToString(layout.settings));
    const Settings all = joined({base, layout.settings});
    const Outcome outcome = of.run(all, {.most_steps = 5});
    EXPECT_EQ(outcome.state.sample_digest, one.state.sample_digest);
    if (of.expect_more) of.expect_more(layout, outcome, one);
    if (layout.same_bits) {
      EXPECT_EQ(first_difference(outcome, one), "");
      continue;
    }
    EXPECT_LE(worst_relative_difference(outcome.losses, one.losses), kBound);
    EXPECT_LE(worst_relative_difference(outcome.validation_losses, one.validation_losses), kBound);
    const Outcome step = of.run(joined({all, first_settings}), first_step);
    EXPECT_LE(worst_gradient_difference(step.tensors, one_step.tensors), kBound);
  }
}

}  // namespace megascale::testing

#endif  // MEGASCALE_TESTS_TRAIN_LAYOUTS_H_
