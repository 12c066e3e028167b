// The lattice of layouts of experts: 20 steps of each against one rank. With the routes of one rank
// the bounds of dense layouts hold; with routes of its own a layout may choose otherwise only where
// two scores are as good as equal. Every fifth layout also runs with a process for each rank.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <map>
#include <optional>

#include "megascale/checkpoint/layout.h"
#include "megascale/comm/ucx/ucx_worker.h"
#include "support/scratch_directory.h"
#include "support/watchdog.h"
#include "train/rank_processes.h"
#include "train/routed_replay.h"

namespace megascale {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

constexpr double kLatticeBound = 1e-5;  // as of dense models (train/equality.h)
constexpr double kLargestGap = 1e-5;    // of the scores of choices that differ
constexpr std::int64_t kLatticeSteps = 20;

struct LatticePoint {
  std::string name;
  Settings settings;
  bool lamb = false;
};

Settings long_run(const RoutedLayout& layout) {
  return settings(layout) + Settings{fmt::format("train.train_iters={}", kLatticeSteps)};
}

bool is_valid(const Laboratory& laboratory, const Settings& all) {
  try {
    (void)laboratory.config(all);
    return true;
  } catch (const Error&) {
    return false;
  }
}

// Every valid layout of up to 8 ranks in both modes. The other aspects take turns, each with a
// period of its own; one that does not fit a layout is left out there.
std::vector<LatticePoint> routed_lattice(const Laboratory& laboratory) {
  const std::vector<std::vector<Settings>> turns{
      {{}, {"parallel.zero_stage=1"}, {"parallel.zero_stage=2"}, {"parallel.zero_stage=3"}},
      {{},
       {"parallel.pipeline_schedule=zb-h1"},
       {"parallel.virtual_pipeline_size=2", "parallel.pipeline_schedule=interleaved"},
       {"parallel.pipeline_schedule=gpipe"},
       {"parallel.virtual_pipeline_size=2", "parallel.pipeline_schedule=interleaved"}},
      {{}, {"recompute.granularity=selective_moe"}, {"recompute.granularity=full"}},
      {{}, {}, {}, {}, {}, {}, {"optimizer.name=lamb"}},
      {{},
       {"overlap.expert_pieces=2"},
       {"overlap.context_pieces=2"},
       {},
       {"overlap.expert_pieces=2", "overlap.context_pieces=2"},
       {"overlap.expert_pieces=2"},
       {"overlap.context_pieces=2"},
       {"overlap.expert_pieces=2"},
       {},
       {"overlap.expert_pieces=2"},
       {"overlap.expert_pieces=2", "overlap.context_pieces=2"}},
  };
  std::vector<LatticePoint> points;
  std::size_t number = 0;
  for (const int tensor : {1, 2})
    for (const int context : {1, 2})
      for (const int data : {1, 2, 4})
        for (const int pipeline : {1, 2})
          for (const int expert : {1, 2, 4})
            for (const char* mode : {"alltoall", "allgather"}) {
              const int ranks = tensor * context * data * pipeline;
              if (ranks > 8 || ranks == 1 || (expert == 1 && mode[3] == 'g')) continue;
              LatticePoint point{
                  .name = fmt::format("tensor{} context{} data{} pipeline{} expert{} {}", tensor,
                                      context, data, pipeline, expert, mode),
                  .settings = long_run({"", tensor, context, data, pipeline, expert}) +
                              Settings{std::string("moe.token_dispatcher_type=") + mode}};
              if (!is_valid(laboratory, point.settings)) continue;
              for (const auto& turn : turns) {
                const Settings& more = turn[number % turn.size()];
                if (more.empty() || !is_valid(laboratory, point.settings + more)) continue;
                for (const std::string& one : more) point.name += " " + one;
                point.settings = point.settings + more;
                point.lamb = point.lamb || more.front() == "optimizer.name=lamb";
              }
              ++number;
              points.push_back(std::move(point));
            }
  return points;
}

// Checkpoints of each step of a run without clipping whose first moments are the gradients, since they
// keep nothing of the steps before. AdamW divides a gradient by its size plus adam_eps. With the
// usual 1e-8 a gradient of that size makes a step of lr / 2, so its rounding decides where the weight goes:
// one weight with a gradient of 8.6e-9 (others have 1e-4) made 0.99 of the difference of all weights after
// the first step, and gradients of later steps differed by up to 1.3e-5. A larger adam_eps keeps runs
// together, so that gradients of all steps are those of equal weights.
std::filesystem::path run_for_gradients(Laboratory& laboratory, const Settings& all) {
  return laboratory
      .run(all + Settings{"optimizer.clip_grad=0", "optimizer.adam_beta1=0",
                          "optimizer.adam_eps=1e-6", "checkpoint.interval=1",
                          "checkpoint.background=false"})
      .checkpoints;
}

// The largest difference of the gradients of all steps (worst_gradient_difference).
double worst_gradient_of_steps(const std::filesystem::path& got,
                               const std::filesystem::path& want) {
  double worst = 0;
  for (std::int64_t step = 1; step <= kLatticeSteps; ++step) {
    const auto gradients = [&](const std::filesystem::path& checkpoints) {
      return read_tensors(checkpoint::open_path(checkpoints / checkpoint::step_name(step)));
    };
    const double difference = worst_gradient_difference(gradients(got), gradients(want));
    if (std::isnan(difference)) return difference;
    worst = std::max(worst, difference);
  }
  return worst;
}

TEST(RoutedLatticeTest, TwentyStepsOfEveryLayoutAreThoseOfOneRank) {
  Laboratory laboratory;
  const ScratchDirectory scratch;
  struct Reference {
    Outcome outcome;
    std::filesystem::path gradients;
    std::filesystem::path routes;
  };
  std::map<bool, Reference> references;  // by optimizer
  const auto reference = [&](bool lamb) -> const Reference& {
    Reference& found = references[lamb];
    if (!found.routes.empty()) return found;
    const Settings all =
        long_run({"", 1, 1, 1, 1, 1}) + (lamb ? Settings{"optimizer.name=lamb"} : Settings{});
    found.routes = scratch / (lamb ? "lamb" : "adamw");
    found.outcome = laboratory.run(all + recorded(found.routes));
    found.gradients = run_for_gradients(laboratory, all + replayed(found.routes));
    return found;
  };
  const std::vector<LatticePoint> points = routed_lattice(laboratory);
  EXPECT_GE(points.size(), 40U);
  const auto shape = routes_of(laboratory.config(points.front().settings));
  double worst_loss = 0, worst_norm = 0, worst_gradient = 0, worst_gap = 0;
  std::int64_t differing = 0, choices = 0;
  int processes = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const LatticePoint& point = points[i];
    const Watchdog watchdog(point.name, std::chrono::seconds(600));
    SCOPED_TRACE(point.name);
    try {
      const Reference& one = reference(point.lamb);
      const Settings replay = point.settings + replayed(one.routes);
      const Outcome got = laboratory.run(replay);
      ASSERT_EQ(got.losses.size(), static_cast<std::size_t>(kLatticeSteps));
      const double loss =
          std::max(worst_relative_difference(got.losses, one.outcome.losses),
                   worst_relative_difference(got.validation_losses, one.outcome.validation_losses));
      const double norm = worst_relative_difference(got.gradient_norms, one.outcome.gradient_norms);
      const double gradient =
          worst_gradient_of_steps(run_for_gradients(laboratory, replay), one.gradients);
      EXPECT_LE(loss, kLatticeBound);
      EXPECT_LE(norm, kLatticeBound);
      EXPECT_LE(gradient, kLatticeBound);
      const std::filesystem::path own = scratch / fmt::format("own{}", i);
      (void)laboratory.run(point.settings + recorded(own));
      const RouteDifferences routes = compare_routes(own, one.routes, shape);
      EXPECT_LT(routes.worst_gap, kLargestGap) << routes.differing << " choices differ";
      if (i % 5 == 0 && comm::ucx_is_available()) {
        EXPECT_EQ(first_difference(run_as_processes(laboratory, replay), got), "") << "processes";
        ++processes;
      }
      worst_loss = std::max(worst_loss, loss);
      worst_norm = std::max(worst_norm, norm);
      worst_gradient = std::max(worst_gradient, gradient);
      worst_gap = std::max(worst_gap, routes.worst_gap);
      differing += routes.differing;
      choices += routes.choices;
      std::printf("%s: loss %.1e, norm %.1e, gradient %.1e, %lld choices differ\n",
                  point.name.c_str(), loss, norm, gradient,
                  static_cast<long long>(routes.differing));
      std::fflush(stdout);
    } catch (const std::exception& error) {
      ADD_FAILURE() << error.what();
    }
  }
  std::printf(
      "%zu layouts, %d of them with processes too; worst relative difference to one rank: losses "
      "%.2e, gradient norms %.2e, gradients %.2e; %lld of %lld choices differ, worst gap of scores "
      "%.2e\n",
      points.size(), processes, worst_loss, worst_norm, worst_gradient,
      static_cast<long long>(differing), static_cast<long long>(choices), worst_gap);
}

}  // namespace
}  // namespace megascale
