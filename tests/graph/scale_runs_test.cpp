// Which elements of a flat buffer share a scale, and where shards cut them.
#include "megascale/graph/scale_runs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace megascale::graph {
namespace {

// A matrix with one scale, a parameter without scales, and a stack of three matrices.
const std::vector<FlatSegment> kSegments{{.begin = 0, .count = 10000, .scales = 1},
                                         {.begin = 12288, .count = 100},
                                         {.begin = 16384, .count = 6000, .scales = 3}};
constexpr std::uint64_t kNumel = 24576;

TEST(ScaleRunsTest, AWholeBufferHasARunForEveryScale) {
  const std::vector<ScaleRun> runs = scale_runs(kSegments, 0, kNumel);
  ASSERT_EQ(runs.size(), 4U);
  const std::vector<ScaleRun> want{
      {0, 10000, 0}, {16384, 2000, 1}, {18384, 2000, 2}, {20384, 2000, 3}};
  for (std::size_t i = 0; i < runs.size(); ++i) {
    EXPECT_EQ(runs[i].begin, want[i].begin);
    EXPECT_EQ(runs[i].count, want[i].count);
    EXPECT_EQ(runs[i].scale, want[i].scale);
  }
}

// The scale of every element, found one by one.
TEST(ScaleRunsTest, ShardsCutRunsAndChangeNoScale) {
  const auto scale_at = [](std::uint64_t element) -> std::int64_t {
    if (element < 10000) return 0;
    if (element < 16384 || element >= 22384) return -1;
    return 1 + static_cast<std::int64_t>((element - 16384) / 2000);
  };
  for (const std::uint32_t shards : {1U, 2U, 3U, 6U}) {
    const std::uint64_t shard = kNumel / shards;
    std::uint64_t most = 0;
    for (std::uint64_t s = 0; s < shards; ++s) {
      std::vector<std::int64_t> scales(shard, -1);
      const std::vector<ScaleRun> runs = scale_runs(kSegments, s * shard, shard);
      most = std::max<std::uint64_t>(most, runs.size());
      for (const ScaleRun& run : runs) {
        for (std::uint64_t i = run.begin; i < run.begin + run.count; ++i) {
          EXPECT_EQ(scales.at(i), -1) << "twice";
          scales.at(i) = run.scale;
        }
      }
      for (std::uint64_t i = 0; i < shard; ++i)
        ASSERT_EQ(scales[i], scale_at(s * shard + i)) << shards << " shards, " << s << ", " << i;
    }
    EXPECT_EQ(most_scale_runs(kSegments, kNumel, shards), most) << shards;
  }
}

}  // namespace
}  // namespace megascale::graph
