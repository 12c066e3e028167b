// Snapshots of the ranks' state: what a save reads while training goes on.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <deque>
#include <optional>

#include "megascale/engine/run_ranks.h"
#include "support/watchdog.h"
#include "train/training.h"

namespace megascale::testing {
namespace {

using engine::StatePart;
using engine::StateSnapshot;

constexpr std::int64_t kTaken = 2, kMore = 3;

// Layouts of 1 to 8 ranks: every ZeRO stage, every axis, a tied head on one stage and on two.
const std::vector<Settings> kSnapshotLayouts{
    {},
    {"optimizer.name=lamb", "model.untie_embeddings_and_output_weights=true"},
    {"parallel.world_size=2"},
    {"parallel.world_size=2", "parallel.zero_stage=1"},
    {"parallel.world_size=2", "parallel.tensor_model_parallel_size=2"},
    {"parallel.world_size=3", "parallel.zero_stage=2"},
    {"parallel.world_size=3", "parallel.zero_stage=3"},
    {"parallel.world_size=4", "parallel.context_parallel_size=2", "parallel.zero_stage=1"},
    {"parallel.world_size=4", "parallel.pipeline_model_parallel_size=2", "parallel.zero_stage=2"},
    {"parallel.world_size=6", "parallel.pipeline_model_parallel_size=2", "parallel.zero_stage=1"},
    {"parallel.world_size=8", "parallel.tensor_model_parallel_size=2",
     "parallel.pipeline_model_parallel_size=2", "parallel.zero_stage=2"},
    {"parallel.world_size=8", "parallel.tensor_model_parallel_size=2",
     "parallel.pipeline_model_parallel_size=2", "parallel.context_parallel_size=2"}};

struct Training {
  Training(const Laboratory& laboratory, const Settings& layout)
      : config(laboratory.config(all(layout))),
        job(job::plan_job(config)),
        data(open_dataset(config, Split::train)) {}
  static Settings all(const Settings& layout) {
    Settings settings{"model.num_layers=2", "model.hidden_size=16", "model.num_attention_heads=4",
                      "train.micro_batch_size=1"};
    settings.insert(settings.end(), layout.begin(), layout.end());
    return settings;
  }
  using Body = std::function<void(engine::Engine& engine, std::uint32_t rank)>;
  void run(const Body& body) const {
    engine::run_ranks({.config = &config, .job = &job}, [&](const engine::RankEnds& ends) {
      engine::Engine::Options options = ends.engine_options();
      options.train = &data;
      engine::Engine engine(config, job, std::move(options));
      engine.initialize();
      engine.start_at(0);
      body(engine, ends.coordination->rank());
    });
  }
  Config config;
  job::JobPlan job;
  Dataset data;
};

bool same(std::span<const float> a, std::span<const float> b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

// The first difference of a snapshot and of the state in the arena of a rank that stopped there.
std::string first_difference(const StateSnapshot& got, engine::Engine& stopped) {
  std::vector<StatePart> want = stopped.state_to_load();
  std::erase_if(want, [](const StatePart& part) { return !part.saved; });
  if (got.parts().size() != want.size())
    return fmt::format("{} parts, expected {}", got.parts().size(), want.size());
  for (std::size_t i = 0; i < want.size(); ++i) {
    const StatePart &g = got.parts()[i], &w = want[i];
    if (g.name != w.name || g.offset != w.offset || g.shape != w.shape || g.begin != w.begin ||
        !g.saved)
      return fmt::format("part {} is {}, expected {}", i, g.name, w.name);
    if (!same(g.weight, w.weight)) return g.name;
    if (w.first_moment.empty()) return g.name + " has no moments";
    if (!same(g.first_moment, w.first_moment)) return g.name + ".first_moment";
    if (!same(g.second_moment, w.second_moment)) return g.name + ".second_moment";
  }
  const UpdateState update = stopped.update_state();
  if (got.update().updates != update.updates || got.update().skipped != update.skipped)
    return "the update state";
  return "";
}

TEST(SnapshotTest, EqualsTheStateOfARunThatStoppedThereWhileStepsGoOn) {
  const Watchdog watchdog("ranks that go on", std::chrono::seconds(120));
  const Laboratory laboratory;
  for (const Settings& layout : kSnapshotLayouts) {
    SCOPED_TRACE(fmt::format("{}", fmt::join(layout, " ")));
    const Training training(laboratory, layout);
    // By rank: taken once, and taken first after two steps, then after all into the same memory.
    std::deque<std::optional<StateSnapshot>> once(training.job.grid.world_size()),
        again(training.job.grid.world_size());
    training.run([&](engine::Engine& engine, std::uint32_t rank) {
      again[rank].emplace(engine.new_snapshot());
      for (std::int64_t step = 0; step < kTaken; ++step) engine.train_step();
      once[rank].emplace(engine.snapshot());
      engine.snapshot_into(*again[rank]);
      const auto* memory =
          again[rank]->parts().empty() ? nullptr : again[rank]->parts()[0].weight.data();
      for (std::int64_t step = 0; step < kMore; ++step) engine.train_step();
      EXPECT_NE(first_difference(*again[rank], engine), "");
      engine.snapshot_into(*again[rank]);
      EXPECT_EQ(first_difference(*again[rank], engine), "");
      if (memory != nullptr) {
        EXPECT_EQ(again[rank]->parts()[0].weight.data(), memory);
      }
      EXPECT_EQ(again[rank]->step(), kTaken + kMore);
    });
    training.run([&](engine::Engine& engine, std::uint32_t rank) {
      for (std::int64_t step = 0; step < kTaken; ++step) engine.train_step();
      EXPECT_EQ(first_difference(*once[rank], engine), "") << "rank " << rank;
      EXPECT_EQ(once[rank]->step(), kTaken);
    });
  }
}

// All elements are in exactly one rank's snapshot, and its memory is little more than its state.
TEST(SnapshotTest, EveryElementIsInTheSnapshotOfOneRank) {
  const Laboratory laboratory;
  for (const Settings& layout : kSnapshotLayouts) {
    SCOPED_TRACE(fmt::format("{}", fmt::join(layout, " ")));
    const Training training(laboratory, layout);
    std::uint64_t elements = 0;
    for (std::uint32_t rank = 0; rank < training.job.grid.world_size(); ++rank) {
      const engine::SnapshotLayout of_rank(training.job.stage_of(rank).state,
                                           training.job.grid.sizes(),
                                           training.job.grid.coordinates(rank));
      const StateSnapshot snapshot(of_rank);
      std::uint64_t saved = 0;
      for (const StatePart& part : snapshot.parts()) {
        EXPECT_TRUE(part.saved);
        saved += part.weight.size();
      }
      elements += saved;
      EXPECT_GE(of_rank.nbytes(), 3 * sizeof(float) * saved);
      if (saved == 0) {
        EXPECT_EQ(of_rank.nbytes(), 0U);
      }
    }
    EXPECT_EQ(elements, static_cast<std::uint64_t>(training.job.parameter_count()));
  }
}

}  // namespace
}  // namespace megascale::testing
