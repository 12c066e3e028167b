#ifndef MEGASCALE_REPORT_PLOT_H_
#define MEGASCALE_REPORT_PLOT_H_

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// Plots as SVG text that stands in a page and takes its colours from the page's style (page.cpp): the
// classes s0 to s4 for series, "grid" for lines, and text. Pure.
namespace megascale::report {

inline constexpr std::size_t kSeriesColours = 5;

struct Series {
  std::string name;
  std::vector<double> x, y;  // of equal length, x ascending; a y that is not finite is a gap
};
struct Plot {
  std::string title;  // with the unit
  std::vector<Series> series;
  std::vector<double> marks;  // places on the x axis that are marked by a vertical line
};
// Returns the plot. A plot without a finite value says so.
[[nodiscard]] std::string line_plot(const Plot& plot);

struct Bar {
  std::string name, text;
  double value = 0;  // >= 0
};
// Returns horizontal bars, each with its name and text.
[[nodiscard]] std::string bar_plot(const std::string& title, std::span<const Bar> bars);

// Returns at most about `most` round numbers in [low, high], ascending. high > low.
[[nodiscard]] std::vector<double> round_ticks(double low, double high, int most);
// Replaces the characters that HTML and SVG give a meaning.
[[nodiscard]] std::string escaped_html(std::string_view text);

}  // namespace megascale::report

#endif  // MEGASCALE_REPORT_PLOT_H_
