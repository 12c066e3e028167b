#include "megascale/checkpoint/box.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

namespace megascale::checkpoint {
namespace {

// Row-major numbers of the elements of `box` in a tensor of `shape`: the slow definition everything
// is compared with.
std::vector<std::uint64_t> elements(const Box& box, const Extents& shape) {
  std::vector<std::uint64_t> numbers{0};
  for (std::size_t a = 0; a < shape.size(); ++a) {
    std::vector<std::uint64_t> next;
    for (const std::uint64_t number : numbers) {
      for (std::int64_t i = 0; i < box.shape[a]; ++i) {
        next.push_back(number * static_cast<std::uint64_t>(shape[a]) +
                       static_cast<std::uint64_t>(box.offset[a] + i));
      }
    }
    numbers = std::move(next);
  }
  return numbers;
}

struct Random {
  std::mt19937 engine;
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(engine);
  }
  Extents shape(std::size_t axes) {
    Extents extents;
    for (std::size_t a = 0; a < axes; ++a) extents.push_back(between(1, 6));
    return extents;
  }
  Box inside(const Box& outer) {
    Box box = outer;
    for (std::size_t a = 0; a < outer.shape.size(); ++a) {
      const std::int64_t begin = between(0, outer.shape[a] - 1);
      box.offset[a] = outer.offset[a] + begin;
      box.shape[a] = between(1, outer.shape[a] - begin);
    }
    return box;
  }
};

TEST(BoxTest, NumelRefusesNegativeAndHuge) {
  EXPECT_EQ(checked_numel(Extents{}), 1U);
  EXPECT_EQ(checked_numel(Extents{3, 0, 5}), 0U);
  EXPECT_EQ(checked_numel(Extents{3, 4}), 12U);
  EXPECT_EQ(checked_numel(Extents{std::int64_t{1} << 61}), std::uint64_t{1} << 61);
  EXPECT_FALSE(checked_numel(Extents{std::int64_t{1} << 62}));
  EXPECT_FALSE(checked_numel(Extents{std::int64_t{1} << 32, std::int64_t{1} << 32}));
  EXPECT_FALSE(checked_numel(Extents{0, std::int64_t{1} << 32, std::int64_t{1} << 32}));
  EXPECT_FALSE(checked_numel(Extents{-1}));
}

TEST(BoxTest, LiesInsideHasNoOverflow) {
  EXPECT_TRUE(lies_inside({{1, 0}, {2, 4}}, Extents{3, 4}));
  EXPECT_FALSE(lies_inside({{1, 0}, {3, 4}}, Extents{3, 4}));
  EXPECT_FALSE(lies_inside({{0, 0}, {0, 4}}, Extents{3, 4}));
  EXPECT_FALSE(lies_inside({{0}, {3}}, Extents{3, 4}));
  EXPECT_FALSE(lies_inside({{INT64_MAX - 1}, {INT64_MAX}}, Extents{10}));
  EXPECT_TRUE(lies_inside({{}, {}}, Extents{}));
}

TEST(BoxTest, RunsCopyExactlyThePart) {
  for (unsigned seed = 0; seed < 2000; ++seed) {
    Random random{std::mt19937(seed)};
    const Extents shape = random.shape(seed % 5);
    const Box source = random.inside(whole(shape));
    const Box part = random.inside(source);
    // A destination around the part.
    Box destination = part;
    for (std::size_t a = 0; a < shape.size(); ++a) {
      const std::int64_t before = random.between(0, part.offset[a]);
      destination.offset[a] -= before;
      destination.shape[a] += before + random.between(0, shape[a] - part.offset[a] - part.shape[a]);
    }
    const auto held = elements(source, shape);
    std::vector<std::int64_t> out(*checked_numel(destination.shape), -1);
    std::uint64_t next_source = 0;
    for (const CopyRun& run : copy_runs(part, source, destination)) {
      EXPECT_GE(run.source, next_source) << "runs are in the order of the source";
      next_source = run.source + run.count;
      for (std::uint64_t i = 0; i < run.count; ++i) {
        ASSERT_LT(run.source + i, held.size()) << "seed " << seed;
        ASSERT_LT(run.destination + i, out.size()) << "seed " << seed;
        ASSERT_EQ(out[run.destination + i], -1) << "written twice, seed " << seed;
        out[run.destination + i] = static_cast<std::int64_t>(held[run.source + i]);
      }
    }
    const auto wanted = elements(destination, shape);
    const auto in_part = elements(part, shape);
    for (std::size_t i = 0; i < out.size(); ++i) {
      const bool inside = std::find(in_part.begin(), in_part.end(), wanted[i]) != in_part.end();
      ASSERT_EQ(out[i], inside ? static_cast<std::int64_t>(wanted[i]) : -1)
          << "seed " << seed << " element " << i;
    }
  }
}

TEST(BoxTest, WholeRowsAreOneRun) {
  EXPECT_EQ(copy_runs(whole({7, 5}), whole({7, 5}), whole({7, 5})).size(), 1U);
  EXPECT_EQ(copy_runs({{2, 0}, {3, 5}}, whole({7, 5}), {{2, 0}, {3, 5}}).size(), 1U);
  EXPECT_EQ(copy_runs({{2, 1}, {3, 4}}, whole({7, 5}), {{2, 1}, {3, 4}}).size(), 3U);
}

TEST(BoxTest, RangesAreFewBoxesInOrder) {
  for (unsigned seed = 0; seed < 2000; ++seed) {
    Random random{std::mt19937(seed)};
    const Extents shape = random.shape(seed % 5);
    const auto numel = static_cast<std::int64_t>(*checked_numel(shape));
    const std::int64_t begin = random.between(0, numel - 1), end = random.between(begin + 1, numel);
    const auto boxes =
        boxes_of_range(shape, static_cast<std::uint64_t>(begin), static_cast<std::uint64_t>(end));
    std::vector<std::uint64_t> found;
    for (const Box& box : boxes) {
      ASSERT_TRUE(lies_inside(box, shape));
      for (const std::uint64_t number : elements(box, shape)) found.push_back(number);
    }
    std::vector<std::uint64_t> wanted(static_cast<std::size_t>(end - begin));
    std::iota(wanted.begin(), wanted.end(), static_cast<std::uint64_t>(begin));
    ASSERT_EQ(found, wanted) << "seed " << seed << " " << to_string(shape) << " " << begin << " to "
                             << end;
    EXPECT_LE(boxes.size(), std::max<std::size_t>(1, 2 * shape.size() - 1)) << "seed " << seed;
  }
}

TEST(BoxTest, TilingErrorFindsEveryGapAndOverlap) {
  EXPECT_FALSE(tiling_error(Extents{}, std::vector<Box>{{}}));
  EXPECT_TRUE(tiling_error(Extents{}, std::vector<Box>{{}, {}}));
  EXPECT_TRUE(tiling_error(Extents{}, std::vector<Box>{}));
  for (unsigned seed = 0; seed < 1000; ++seed) {
    Random random{std::mt19937(seed)};
    const Extents shape = random.shape(1 + seed % 3);
    std::vector<Box> boxes;
    std::vector<int> times(*checked_numel(shape), 0);
    // Often a tiling (cut at random into ranges), sometimes with one box more or less.
    const std::uint64_t numel = times.size();
    for (std::uint64_t at = 0; at < numel;) {
      const auto end = static_cast<std::uint64_t>(
          random.between(static_cast<std::int64_t>(at) + 1, static_cast<std::int64_t>(numel)));
      for (const Box& box : boxes_of_range(shape, at, end)) boxes.push_back(box);
      at = end;
    }
    if (random.between(0, 2) == 0) boxes.push_back(random.inside(whole(shape)));
    if (random.between(0, 2) == 0)
      boxes.erase(boxes.begin() + random.between(0, static_cast<std::int64_t>(boxes.size()) - 1));
    std::shuffle(boxes.begin(), boxes.end(), random.engine);
    for (const Box& box : boxes) {
      for (const std::uint64_t number : elements(box, shape)) ++times[number];
    }
    const bool tiles =
        std::all_of(times.begin(), times.end(), [](int count) { return count == 1; });
    EXPECT_EQ(!tiling_error(shape, boxes).has_value(), tiles) << "seed " << seed;
  }
}

}  // namespace
}  // namespace megascale::checkpoint
