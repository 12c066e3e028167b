#include "megascale/parallel/draw_schedule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

namespace megascale::parallel {
namespace {

TEST(DrawText, RowsOfStages) {
  const Schedule schedule = one_forward_one_backward(2, 2);
  EXPECT_EQ(draw_text(schedule, replay(schedule)),
            "1f1b: 2 stages, 2 micro-batches, makespan 9, idle 33.3 %\n"
            "stage 0 |F0|F1|.....|B0   |..|B1   |  idle 33.3 %, 2 in flight\n"
            "stage 1 |..|F0|B0   |F1|B1   |.....|  idle 33.3 %, 1 in flight\n");
}

TEST(DrawText, SameForProportionalDurations) {
  const Schedule schedule = zero_bubble_h1(3, 4);
  const std::string unit = draw_text(schedule, replay(schedule));
  const std::string seven = draw_text(schedule, replay(schedule, {7, 7, 7, 0}));
  EXPECT_EQ(unit.substr(unit.find('\n')), seven.substr(seven.find('\n')));
  EXPECT_NE(unit, seven);  // the makespan
}

TEST(DrawText, ChunksAndItemsWithoutTime) {
  const Schedule chunks = interleaved(1, 2, 1);
  EXPECT_EQ(draw_text(chunks, replay(chunks)),
            "interleaved: 1 stage, 2 chunks each, 1 micro-batch, makespan 6, idle 0.0 %\n"
            "stage 0 |F0/0|F0/1|B0/1     |B0/0     |  idle 0.0 %, 2 in flight\n");
  const Schedule split = zero_bubble_h1(1, 1);
  EXPECT_EQ(draw_text(split, replay(split, {1, 1, 0, 0})),
            "zb-h1: 1 stage, 1 micro-batch, makespan 2, idle 0.0 %\n"
            "stage 0 |F0|B0|  idle 0.0 %, 1 in flight\n");
}

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t found = 0;
  for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + 1)) ++found;
  return found;
}

TEST(DrawSvg, ACellForEveryItemInPlace) {
  const Schedule schedule = interleaved(4, 2, 8);
  const Replay times = replay(schedule);
  const std::string svg = draw_svg(schedule, times);
  const std::regex cell(R"re(<title>([FBW][0-9]+/[0-9]+) from ([0-9]+) to ([0-9]+)</title>)re"
                        R"re(<rect x="([0-9.]+)" y="([0-9.]+)" width="([0-9.]+)")re");
  std::vector<std::size_t> seen(schedule.stages);
  for (std::sregex_iterator match(svg.begin(), svg.end(), cell), end; match != end; ++match) {
    const auto number = [&](std::size_t group) { return std::stod((*match)[group].str()); };
    const auto stage = static_cast<std::uint32_t>((number(5) - 30) / 26);
    const std::size_t i = seen.at(stage)++;
    EXPECT_EQ((*match)[1], to_string(schedule.items[stage].at(i)));
    EXPECT_EQ(number(2), static_cast<double>(times.times[stage][i].start));
    EXPECT_DOUBLE_EQ(number(4), 64 + 22 * number(2));
    EXPECT_DOUBLE_EQ(number(6), 22 * (number(3) - number(2)));
  }
  for (std::uint32_t stage = 0; stage < schedule.stages; ++stage) {
    EXPECT_EQ(seen[stage], schedule.items[stage].size());
  }
  EXPECT_EQ(count(svg, "<g "), count(svg, "</g>"));
  EXPECT_EQ(count(svg, "<text "), count(svg, "</text>"));
  EXPECT_EQ(count(svg, "weight gradient"), 0U);
}

TEST(DrawSvg, LongSchedulesStayNarrowAndNamesAreEscaped) {
  Schedule schedule = zero_bubble_h1(2, 2000);
  schedule.name = "a<b>&c";
  const std::string svg = draw_svg(schedule, replay(schedule));
  EXPECT_THAT(svg, ::testing::HasSubstr("a&lt;b&gt;&amp;c: 2 stages"));
  EXPECT_THAT(svg, ::testing::HasSubstr("width=\"4034\""));
  EXPECT_THAT(svg, ::testing::HasSubstr("weight gradient"));
  EXPECT_EQ(count(svg, "<g class=\"item\">"), 2U * 3 * 2000);
}

}  // namespace
}  // namespace megascale::parallel
