#include "megascale/study/search/layout_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "megascale/base/error.h"
#include "megascale/config/derived.h"
#include "megascale/config/load.h"
#include "megascale/simulate/product_tiles.h"
#include "megascale/study/search/tuning.h"

namespace megascale::study {
namespace {

Config job_of(std::int64_t ranks, std::int64_t window = 0) {
  return parse_config(
      "", "test",
      std::vector<std::string>{"model.num_layers=4", "model.hidden_size=256",
                               "model.num_attention_heads=4", "model.seq_length=128",
                               "model.dtype=bfloat16", "train.global_batch_size=8",
                               "model.sliding_window=" + std::to_string(window),
                               "parallel.world_size=" + std::to_string(ranks)});
}

simulate::Cluster cluster_of(std::int64_t devices_per_node) {
  simulate::Cluster cluster =
      simulate::load_cluster(MEGASCALE_SOURCE_DIR "/clusters/a100-selene.toml");
  cluster.devices_per_node = devices_per_node;
  return cluster;
}

TEST(LayoutSearchTest, CandidatesCoverTheRanksAndComeByEstimate) {
  const auto candidates = candidates_of(job_of(8), cluster_of(4));
  ASSERT_GT(candidates.size(), 20U);
  std::set<std::string> seen;
  for (const Candidate& one : candidates) {
    const ParallelConfig& p = one.config.parallel;
    EXPECT_EQ(p.tensor_model_parallel_size * p.pipeline_model_parallel_size *
                  data_parallel_size(one.config),
              8);
    EXPECT_LE(p.tensor_model_parallel_size, 4);  // inside a node
    EXPECT_EQ(one.config.train.global_batch_size, 8);
    EXPECT_GT(one.estimated_seconds, 0);
    EXPECT_GT(one.estimated_nbytes, 0);
    std::string key;
    for (const std::string& override : one.overrides) key += override + " ";
    EXPECT_TRUE(seen.insert(key).second) << key;  // none twice
  }
  EXPECT_TRUE(std::is_sorted(candidates.begin(), candidates.end(),
                             [](const Candidate& a, const Candidate& b) {
                               return a.estimated_seconds < b.estimated_seconds;
                             }));
}

// The candidate whose overrides are those of another one but for one.
const Candidate* like(const std::vector<Candidate>& all, Candidate one, std::size_t at,
                      const std::string& override) {
  one.overrides[at] = override;
  const auto found = std::find_if(all.begin(), all.end(), [&](const Candidate& other) {
    return other.overrides == one.overrides;
  });
  return found == all.end() ? nullptr : &*found;
}

TEST(LayoutSearchTest, RecomputationTakesTimeAndSavesMemory) {
  const auto candidates = candidates_of(job_of(8), cluster_of(4));
  std::size_t compared = 0;
  for (const Candidate& one : candidates) {
    if (one.overrides.back() != "recompute.granularity=none") continue;
    const Candidate* full =
        like(candidates, one, one.overrides.size() - 1, "recompute.granularity=full");
    ASSERT_NE(full, nullptr);
    EXPECT_GT(full->estimated_seconds, one.estimated_seconds);
    EXPECT_LT(full->estimated_nbytes, one.estimated_nbytes);
    ++compared;
  }
  EXPECT_GT(compared, 5U);
}

TEST(LayoutSearchTest, OneRankHasNoLayoutButMicroBatches) {
  for (const Candidate& one : candidates_of(job_of(1), cluster_of(8))) {
    EXPECT_EQ(one.config.parallel.tensor_model_parallel_size, 1);
    EXPECT_EQ(one.config.parallel.pipeline_model_parallel_size, 1);
  }
}

// On one rank nothing is communicated, so the estimates are all computation.
TEST(LayoutSearchTest, EstimatesUseTheTilesOfTheSimulator) {
  simulate::Cluster few = cluster_of(8), many = cluster_of(8);
  few.device.multiprocessors = 7;
  many.device.multiprocessors = 60;
  const auto on_few = candidates_of(job_of(1), few), on_many = candidates_of(job_of(1), many);
  ASSERT_GT(on_few.size(), 2U);
  for (const Candidate& one : on_few) {
    const auto other = std::find_if(on_many.begin(), on_many.end(), [&](const Candidate& c) {
      return c.overrides == one.overrides;
    });
    ASSERT_NE(other, on_many.end());
    const auto tokens = static_cast<double>(one.config.train.micro_batch_size * 128);
    const auto columns = static_cast<double>(one.config.model.ffn_hidden_size);
    EXPECT_NEAR(
        one.estimated_seconds / other->estimated_seconds,
        simulate::tile_factor(tokens, columns, 7) / simulate::tile_factor(tokens, columns, 60),
        1e-12)
        << tokens << " tokens";
  }
}

// Half of a sequence of 128 is 64: a window of 64 sees 3/4 of the causal pairs, one of 32 sees 7/16.
TEST(LayoutSearchTest, EstimatesCountThePairsThatAWindowShows) {
  const auto seconds = [](std::int64_t window) {
    return candidates_of(job_of(1, window), cluster_of(8)).front().estimated_seconds;
  };
  const double all = seconds(0);
  EXPECT_DOUBLE_EQ(seconds(128), all);
  EXPECT_NEAR((all - seconds(64)) / (all - seconds(32)), (1 - 3.0 / 4) / (1 - 7.0 / 16), 1e-6);
}

TEST(TuningTest, TriesTheShortestEstimatesAndSortsByTime) {
  const Tuning tuning = tune(job_of(4), cluster_of(4), 5, 1, [](const std::string&) {});
  EXPECT_EQ(tuning.simulated, 5U);
  EXPECT_EQ(tuning.tried.size() + tuning.too_large, 5U);
  EXPECT_TRUE(std::is_sorted(
      tuning.tried.begin(), tuning.tried.end(),
      [](const TriedLayout& a, const TriedLayout& b) { return a.step.seconds < b.step.seconds; }));
}

TEST(TuningTest, SaysThatNothingFits) {
  simulate::Cluster cluster = cluster_of(4);
  cluster.device.memory_gib = 1e-4;
  EXPECT_THROW((void)tune(job_of(4), cluster, 5, 1, [](const std::string&) {}), Error);
}

}  // namespace
}  // namespace megascale::study
