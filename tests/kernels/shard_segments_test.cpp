// Where the tensors of a flat buffer lie in a shard, and what lies between them.
#include "megascale/kernels/shard_segments.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace megascale::kernels {
namespace {

constexpr std::uint64_t kBlock = graph::kFlatAlignment;

// Three tensors; the second one fills its last block.
const std::vector<graph::FlatSegment> kTensors{{.begin = 0, .count = kBlock - 5, .parameter = 3},
                                               {.begin = kBlock, .count = 2 * kBlock},
                                               {.begin = 3 * kBlock, .count = 7}};

KernelSpec spec_of(const std::vector<graph::FlatSegment>& tensors,
                   const graph::Attributes& attributes) {
  KernelSpec spec;
  spec.segments = tensors;
  spec.attributes = &attributes;
  return spec;
}

std::vector<std::pair<std::uint64_t, std::uint64_t>> padding_of(
    const std::vector<graph::FlatSegment>& tensors, std::uint64_t numel) {
  const graph::Attributes none;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;
  for (const FlatRange& range : padding(spec_of(tensors, none), numel))
    ranges.emplace_back(range.begin, range.count);
  return ranges;
}

TEST(ShardSegmentsTest, PaddingIsWhatNoTensorHas) {
  using Ranges = std::vector<std::pair<std::uint64_t, std::uint64_t>>;
  EXPECT_EQ(padding_of(kTensors, 6 * kBlock),
            (Ranges{{kBlock - 5, 5}, {3 * kBlock + 7, 3 * kBlock - 7}}));
  EXPECT_EQ(padding_of({{.begin = 0, .count = kBlock}}, kBlock), Ranges{});
  EXPECT_EQ(padding_of({}, kBlock), (Ranges{{0, kBlock}}));
}

TEST(ShardSegmentsTest, AShardHasThePartsOfTensorsInItsRange) {
  graph::Attributes attributes;
  attributes.set(graph::attribute::shards, std::int64_t{2});
  attributes.set(graph::attribute::shard_axes,
                 std::int64_t{graph::AxisSet{graph::Axis::data}.bits()});
  KernelSpec spec = spec_of(kTensors, attributes);
  spec.axes[graph::Axis::data] = 2;
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    spec.coordinates[static_cast<std::size_t>(graph::Axis::data)] = rank;
    const std::vector<ShardSegment> parts = shard_segments(spec, 2 * kBlock);
    ASSERT_EQ(parts.size(), 2U);
    EXPECT_EQ(parts[0].begin, 0U);
    EXPECT_EQ(parts[0].count, rank == 0 ? kBlock - 5 : kBlock);
    EXPECT_EQ(parts[0].parameter, rank == 0 ? 3U : 0U);
    EXPECT_EQ(parts[1].begin, kBlock);
    EXPECT_EQ(parts[1].count, rank == 0 ? kBlock : 7U);
  }
}

}  // namespace
}  // namespace megascale::kernels
