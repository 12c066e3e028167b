#include "megascale/parallel/rank_grid.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "megascale/base/error.h"

namespace megascale::parallel {
namespace {

using graph::Axis;
using graph::AxisSet;
using graph::AxisSizes;
using graph::Coordinates;
using graph::HostFactor;
using graph::kDenseAxes;
using graph::kExpertAxes;
using ::testing::ElementsAre;

// tensor 2, context 1, data 3; no experts; pipeline 2
constexpr AxisSizes kSizes{{2, 1, 3, 1, 1, 1, 2}};

// Layouts whose expert borders fall on dense ones, inside them, and across them (6 = 3 x 2 = 2 x
// 3).
std::vector<AxisSizes> layouts() {
  std::vector<AxisSizes> all;
  for (const auto& [dense, expert_tensor, expert] :
       std::vector<std::tuple<std::array<std::uint32_t, 3>, std::uint32_t, std::uint32_t>>{
           {{1, 1, 1}, 1, 1},
           {{2, 1, 3}, 1, 1},
           {{2, 3, 2}, 2, 3},
           {{4, 1, 2}, 2, 2},
           {{3, 2, 1}, 2, 3},
           {{1, 2, 6}, 1, 4},
           {{2, 2, 2}, 1, 8}}) {
    for (const std::uint32_t stages : {1U, 3U}) {
      all.push_back({{dense[0], dense[1], dense[2], expert_tensor, expert, 1, stages}});
    }
  }
  return all;
}

std::vector<AxisSet> sets() {
  std::vector<AxisSet> all;
  for (unsigned bits = 0; bits < 1U << graph::kAxisCount; ++bits) {
    const AxisSet axes = AxisSet::from_bits(static_cast<std::uint8_t>(bits));
    if (!axes.is_mixed()) all.push_back(axes);
  }
  return all;
}

TEST(RankGrid, TensorIsInnermostAndPipelineOutermost) {
  const RankGrid grid(kSizes);
  EXPECT_EQ(grid.world_size(), 12U);
  EXPECT_EQ(grid.stage_size(), 6U);
  EXPECT_THAT(grid.group(0, {Axis::tensor}), ElementsAre(0, 1));
  EXPECT_THAT(grid.group(3, {Axis::data}), ElementsAre(1, 3, 5));
  EXPECT_THAT(grid.group(3, {Axis::pipeline}), ElementsAre(3, 9));
  EXPECT_THAT(grid.group(7, {Axis::tensor, Axis::data}), ElementsAre(6, 7, 8, 9, 10, 11));
  EXPECT_THAT(grid.group(5, {}), ElementsAre(5));
}

// Megatron-LM's order: the ranks of an expert tensor group are neighbours, then those that have
// other experts, then those that have the same ones.
TEST(RankGrid, ExpertTensorIsInnermostThenExpertThenExpertData) {
  const RankGrid grid(AxisSizes{{4, 1, 3, 2, 3, 1, 2}});
  EXPECT_EQ(grid.sizes()[Axis::expert_data], 2U);
  EXPECT_THAT(grid.group(7, {Axis::expert_tensor}), ElementsAre(6, 7));
  EXPECT_THAT(grid.group(7, {Axis::expert}), ElementsAre(7, 9, 11));
  EXPECT_THAT(grid.group(7, {Axis::expert_data}), ElementsAre(1, 7));
  EXPECT_THAT(grid.group(7, {Axis::expert_data, Axis::pipeline}), ElementsAre(1, 7, 13, 19));
  EXPECT_THAT(grid.group(14, {Axis::expert_tensor, Axis::expert}),
              ElementsAre(12, 13, 14, 15, 16, 17));
}

TEST(RankGrid, CoordinatesAndRanksAreInverseInBothFactorisations) {
  for (const AxisSizes& sizes : layouts()) {
    const RankGrid grid(sizes);
    for (std::uint32_t rank = 0; rank < grid.world_size(); ++rank) {
      const Coordinates place = grid.coordinates(rank);
      EXPECT_EQ(grid.rank(place), rank);
      const std::uint32_t in_stage = rank % grid.stage_size();
      EXPECT_EQ(kDenseAxes.group_index(grid.sizes(), place), in_stage);
      EXPECT_EQ(kExpertAxes.group_index(grid.sizes(), place), in_stage);
    }
  }
}

// By definition: ranks that agree on all other axes of the factorisation.
TEST(RankGrid, GroupsAreTheRanksThatDifferInTheirAxesOnly) {
  for (const AxisSizes& sizes : layouts()) {
    const RankGrid grid(sizes);
    for (const AxisSet axes : sets()) {
      const AxisSet all = axes.meets(kExpertAxes) ? kExpertAxes | AxisSet{Axis::pipeline}
                                                  : kDenseAxes | AxisSet{Axis::pipeline};
      const AxisSet others = all.without(axes);
      for (std::uint32_t rank = 0; rank < grid.world_size(); ++rank) {
        std::vector<std::uint32_t> expected;
        for (std::uint32_t other = 0; other < grid.world_size(); ++other) {
          if (others.group_index(grid.sizes(), grid.coordinates(other)) ==
              others.group_index(grid.sizes(), grid.coordinates(rank))) {
            expected.push_back(other);
          }
        }
        const auto group = grid.group(rank, axes);
        ASSERT_EQ(group, expected) << graph::to_string(axes) << " of rank " << rank;
        ASSERT_EQ(group.size(), axes.group_size(grid.sizes()));
        EXPECT_EQ(group[axes.group_index(grid.sizes(), grid.coordinates(rank))], rank);
      }
    }
  }
}

TEST(RankGridDeathTest, SetsOfBothFactorisationsAndSizesThatDoNotFitAreBugs) {
  const RankGrid grid(AxisSizes{{2, 1, 2, 1, 2, 1, 1}});
  EXPECT_DEATH((void)grid.group(0, {Axis::tensor, Axis::expert}), "tensor.expert mixes");
  const AxisSet mixed{Axis::context, Axis::expert_data};
  EXPECT_DEATH((void)mixed.group_size(grid.sizes()), "context.expert_data mixes");
  EXPECT_DEATH(RankGrid(AxisSizes{{2, 1, 3, 4, 1, 1, 1}}), "6 ranks of a stage .* expert_tensor 4");
}

TEST(RankGrid, NeighboursGoAroundTheEnd) {
  const RankGrid grid(kSizes);
  EXPECT_EQ(grid.neighbour(7, Axis::pipeline, 1), 1U);
  EXPECT_EQ(grid.neighbour(1, Axis::pipeline, -1), 7U);
  EXPECT_EQ(grid.neighbour(0, Axis::data, -1), 4U);
  const RankGrid experts(AxisSizes{{4, 1, 3, 2, 3, 1, 2}});
  EXPECT_EQ(experts.neighbour(5, Axis::expert, 1), 1U);
  EXPECT_EQ(experts.neighbour(0, Axis::expert, -1), 4U);
}

// The members of a group by host, or nothing where hosts hold different numbers of them.
std::optional<std::map<std::uint32_t, std::vector<std::uint32_t>>> by_host(
    const std::vector<std::uint32_t>& members, std::uint32_t ranks_per_host) {
  std::map<std::uint32_t, std::vector<std::uint32_t>> hosts;
  for (const std::uint32_t member : members) hosts[member / ranks_per_host].push_back(member);
  for (const auto& [host, of_host] : hosts) {
    if (of_host.size() != hosts.begin()->second.size()) return {};
  }
  return hosts;
}

// Inside: the members on my host. Between: those with my place on their hosts. Both by definition,
// and refused exactly where some group over the axes is cut in parts of different sizes.
TEST(RankGrid, GroupsAreFactoredByHost) {
  int factored = 0, refused = 0;
  for (AxisSizes sizes : layouts()) {
    for (const std::uint32_t ranks_per_host : {1U, 2U, 3U, 4U, 6U, 8U, 12U, 100U}) {
      sizes.ranks_per_host = ranks_per_host;
      const RankGrid grid(sizes);
      for (const AxisSet axes : sets()) {
        bool even = true;
        std::set<std::size_t> per_host;
        for (std::uint32_t rank = 0; rank < grid.world_size(); ++rank) {
          const auto hosts = by_host(grid.group(rank, axes), ranks_per_host);
          even = even && hosts;
          if (hosts) per_host.insert(hosts->begin()->second.size());
        }
        SCOPED_TRACE(graph::to_string(axes) + " on hosts of " + std::to_string(ranks_per_host));
        if (!even || per_host.size() != 1) {
          EXPECT_THROW((void)grid.group(0, axes, HostFactor::inside), Error);
          ++refused;
          continue;
        }
        ++factored;
        for (std::uint32_t rank = 0; rank < grid.world_size(); ++rank) {
          const auto group = grid.group(rank, axes);
          const auto hosts = *by_host(group, ranks_per_host);
          const auto& mine = hosts.at(rank / ranks_per_host);
          const auto place = std::find(mine.begin(), mine.end(), rank) - mine.begin();
          std::vector<std::uint32_t> between;
          for (const auto& [host, members] : hosts) between.push_back(members[place]);
          ASSERT_EQ(grid.group(rank, axes, HostFactor::inside), mine);
          ASSERT_EQ(grid.group(rank, axes, HostFactor::between), between);
          const std::uint32_t me = axes.group_index(grid.sizes(), grid.coordinates(rank));
          for (const auto factor : {HostFactor::none, HostFactor::inside, HostFactor::between}) {
            const auto members = grid.group(rank, axes, factor);
            ASSERT_EQ(members.size(), graph::factor_size(grid.sizes(), axes, factor));
            EXPECT_EQ(members[graph::factor_index(grid.sizes(), axes, factor, me)], rank);
          }
        }
      }
    }
  }
  EXPECT_GT(factored, 1000);
  EXPECT_GT(refused, 100);
}

TEST(RankGrid, AHostThatCutsAGroupUnevenlyIsNamed) {
  AxisSizes sizes{{1, 1, 6, 1, 1, 1, 1}};
  sizes.ranks_per_host = 4;
  try {
    (void)RankGrid(sizes).group(0, {Axis::data}, HostFactor::between);
    FAIL() << "hosts of 4 ranks hold 4 and 2 of 6";
  } catch (const Error& error) {
    EXPECT_THAT(error.message(), ::testing::HasSubstr("hosts of 4 ranks cut groups over data"));
    EXPECT_THAT(error.message(), ::testing::HasSubstr("6 members that stand 1 ranks apart"));
  }
}

}  // namespace
}  // namespace megascale::parallel
