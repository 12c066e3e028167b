#include "megascale/parallel/rank_grid.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace megascale::parallel {
namespace {

using graph::Axis;
using graph::AxisSizes;
using ::testing::ElementsAre;

// tensor 2, context 1, data 3, pipeline 2
constexpr AxisSizes kSizes{{2, 1, 1, 3, 2}};

TEST(RankGrid, TensorIsInnermostAndPipelineOutermost) {
  const RankGrid grid(kSizes);
  EXPECT_EQ(grid.world_size(), 12U);
  EXPECT_THAT(grid.group(0, {Axis::tensor}), ElementsAre(0, 1));
  EXPECT_THAT(grid.group(3, {Axis::data}), ElementsAre(1, 3, 5));
  EXPECT_THAT(grid.group(3, {Axis::pipeline}), ElementsAre(3, 9));
  EXPECT_THAT(grid.group(7, {Axis::tensor, Axis::data}), ElementsAre(6, 7, 8, 9, 10, 11));
  EXPECT_THAT(grid.group(5, {}), ElementsAre(5));
}

TEST(RankGrid, CoordinatesAndRanksAreInverse) {
  const RankGrid grid(AxisSizes{{2, 3, 1, 2, 4}});
  for (std::uint32_t rank = 0; rank < grid.world_size(); ++rank) {
    EXPECT_EQ(grid.rank(grid.coordinates(rank)), rank);
    for (std::uint8_t bits = 0; bits < 32; ++bits) {
      graph::AxisSet axes;
      for (std::size_t i = 0; i < graph::kAxisCount; ++i) {
        if ((bits >> i & 1U) != 0 && static_cast<Axis>(i) != Axis::expert)
          axes.insert(static_cast<Axis>(i));
      }
      const auto group = grid.group(rank, axes);
      ASSERT_EQ(group.size(), axes.group_size(grid.sizes()));
      EXPECT_EQ(group[axes.group_index(grid.sizes(), grid.coordinates(rank))], rank);
    }
  }
}

TEST(RankGrid, NeighboursGoAroundTheEnd) {
  const RankGrid grid(kSizes);
  EXPECT_EQ(grid.neighbour(7, Axis::pipeline, 1), 1U);
  EXPECT_EQ(grid.neighbour(1, Axis::pipeline, -1), 7U);
  EXPECT_EQ(grid.neighbour(0, Axis::data, -1), 4U);
}

}  // namespace
}  // namespace megascale::parallel
