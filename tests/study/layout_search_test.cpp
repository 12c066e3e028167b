#include "megascale/study/search/layout_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "megascale/base/error.h"
#include "megascale/config/derived.h"
#include "megascale/config/load.h"
#include "megascale/study/search/tuning.h"

namespace megascale::study {
namespace {

Config job_of(std::int64_t ranks) {
  return parse_config(
      "", "test",
      std::vector<std::string>{"model.num_layers=4", "model.hidden_size=256",
                               "model.num_attention_heads=4", "model.seq_length=128",
                               "model.dtype=bfloat16", "train.global_batch_size=8",
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
