#include "megascale/report/plot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "megascale/report/words.h"

namespace megascale::report {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::size_t count(const std::string& text, std::string_view word) {
  std::size_t found = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
    ++found;
  return found;
}

TEST(PlotTest, TicksAreRoundAndInside) {
  EXPECT_THAT(round_ticks(0, 10, 5), ElementsAre(0, 2, 4, 6, 8, 10));
  EXPECT_THAT(round_ticks(1, 199, 4), ElementsAre(50, 100, 150));
  EXPECT_LE(round_ticks(1e-9, 3e7, 8).size(), 10U);
}

TEST(PlotTest, AGapBreaksTheLineAndALoneValueIsAPoint) {
  const double gap = std::nan("");
  const std::string svg =
      line_plot({"loss", {{"training", {1, 2, 3, 4, 5}, {5, 4, gap, 3, gap}}}, {4}});
  EXPECT_EQ(count(svg, "M"), 2U) << svg;
  EXPECT_EQ(count(svg, "<circle"), 1U) << svg;
  EXPECT_EQ(count(svg, "class=\"mark\""), 1U) << svg;
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
}

TEST(PlotTest, APlotWithoutValuesSaysSo) {
  EXPECT_THAT(line_plot({"loss", {{"", {1}, {std::nan("")}}}, {}}), HasSubstr("no values"));
  EXPECT_THAT(line_plot({"loss", {}, {}}), HasSubstr("no values"));
}

TEST(PlotTest, OneValueAndEqualValuesAreDrawn) {
  EXPECT_THAT(line_plot({"one", {{"", {3}, {0}}}, {}}), HasSubstr("<circle"));
  EXPECT_THAT(line_plot({"equal", {{"", {1, 2}, {7, 7}}}, {}}), Not(HasSubstr("nan")));
}

TEST(PlotTest, NamesCannotBecomeMarkup) {
  const std::string svg = line_plot({"<b>&", {{"a\"", {1}, {1}}, {"<c>", {1}, {2}}}, {}});
  EXPECT_THAT(svg, HasSubstr("&lt;b&gt;&amp;"));
  EXPECT_THAT(svg, Not(HasSubstr("<c>")));
  const std::vector<Bar> bars{{"<x>", "1", 1}};
  EXPECT_THAT(bar_plot("t", bars), HasSubstr("&lt;x&gt;"));
}

TEST(WordsTest, NumbersAsPeopleReadThem) {
  EXPECT_EQ(count_text(1234567), "1,234,567");
  EXPECT_EQ(count_text(999), "999");
  EXPECT_EQ(bytes_text(1536), "1.50 KiB");
  EXPECT_EQ(duration_text(3725), "1:02:05");
  EXPECT_EQ(seconds_text(0.0312), "31.2 ms");
  EXPECT_EQ(more_text(0.9), "-10.0 %");
  EXPECT_EQ(percent_text(std::nan("")), "?");
}

}  // namespace
}  // namespace megascale::report
