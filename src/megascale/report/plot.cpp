#include "megascale/report/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace megascale::report {
namespace {

// Pixels of a plot, and of the margins in which the numbers of the axes stand.
constexpr double kWidth = 620, kHeight = 190, kLeft = 62, kRight = 10, kTop = 8, kBottom = 22;
constexpr double kBarHeight = 20, kBarNames = 190, kBarTexts = 150;

struct Range {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  void add(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  [[nodiscard]] bool empty() const { return !(low <= high); }
  // Makes the range of a single value wide enough to be drawn.
  void widen() {
    if (high > low) return;
    const double by = low == 0 ? 1 : std::abs(low) * 0.1;
    low -= by;
    high += by;
  }
  [[nodiscard]] double place(double value) const { return (value - low) / (high - low); }
};

struct Axes {
  Range x, y;
  [[nodiscard]] double left(double value) const {
    return kLeft + x.place(value) * (kWidth - kLeft - kRight);
  }
  [[nodiscard]] double top(double value) const {
    return kHeight - kBottom - y.place(value) * (kHeight - kTop - kBottom);
  }
};

Axes axes_of(const Plot& plot) {
  Axes axes;
  for (const Series& series : plot.series) {
    for (std::size_t i = 0; i < series.x.size(); ++i) {
      if (!std::isfinite(series.y[i])) continue;
      axes.x.add(series.x[i]);
      axes.y.add(series.y[i]);
    }
  }
  if (axes.y.empty()) return axes;
  axes.x.widen();
  axes.y.widen();
  return axes;
}

std::string grid(const Axes& axes) {
  std::string svg;
  for (const double tick : round_ticks(axes.y.low, axes.y.high, 5)) {
    const double y = axes.top(tick);
    svg += fmt::format(
        "<line class=\"grid\" x1=\"{}\" x2=\"{}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>"
        "<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{:.6g}</text>\n",
        kLeft, kWidth - kRight, y, y, kLeft - 6, y + 4, tick);
  }
  for (const double tick : round_ticks(axes.x.low, axes.x.high, 8)) {
    svg += fmt::format("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{:.10g}</text>\n",
                       axes.left(tick), kHeight - 6, tick);
  }
  return svg;
}

// The lines of a series; a gap begins a new one. A value between two gaps is a point.
std::string path_of(const Axes& axes, const Series& series, std::size_t colour) {
  std::string path, points;
  bool down = false;
  for (std::size_t i = 0; i < series.x.size(); ++i) {
    const bool there = std::isfinite(series.y[i]);
    if (there) {
      const double x = axes.left(series.x[i]), y = axes.top(series.y[i]);
      path += fmt::format("{}{:.1f} {:.1f}", down ? "L" : "M", x, y);
      const bool ends = i + 1 == series.x.size() || !std::isfinite(series.y[i + 1]);
      if (!down && ends)
        points += fmt::format("<circle class=\"s{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.5\"/>",
                              colour, x, y);
    }
    down = there;
  }
  return fmt::format("<path class=\"s{}\" d=\"{}\"/>{}\n", colour, path, points);
}

std::string legend(const Plot& plot) {
  if (plot.series.size() < 2) return "";
  std::string html = "<p class=\"legend\">";
  for (std::size_t s = 0; s < plot.series.size(); ++s)
    html += fmt::format("<span class=\"s{}\">{}</span> ", s % kSeriesColours,
                        escaped_html(plot.series[s].name));
  return html + "</p>\n";
}

std::string figure(const std::string& title, const std::string& more, double height,
                   const std::string& content) {
  const std::string name = escaped_html(title);
  return fmt::format(
      "<figure><figcaption>{}</figcaption>\n{}<svg viewBox=\"0 0 {} {}\" role=\"img\" "
      "aria-label=\"{}\">\n{}</svg></figure>\n",
      name, more, kWidth, height, name, content);
}

}  // namespace

std::vector<double> round_ticks(double low, double high, int most) {
  const double rough = (high - low) / most;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= rough) {
      step = factor * power;
      break;
    }
  }
  std::vector<double> ticks;
  const double first = std::ceil(low / step);
  for (int i = 0; i <= most + 1 && (first + i) * step <= high; ++i)
    ticks.push_back((first + i) * step);
  return ticks;
}

std::string escaped_html(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string line_plot(const Plot& plot) {
  const Axes axes = axes_of(plot);
  if (axes.y.empty())
    return fmt::format("<figure><figcaption>{}</figcaption><p>no values</p></figure>\n",
                       escaped_html(plot.title));
  std::string svg = grid(axes);
  for (const double mark : plot.marks) {
    if (mark < axes.x.low || mark > axes.x.high) continue;
    svg +=
        fmt::format("<line class=\"mark\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\"/>\n",
                    axes.left(mark), kTop, kHeight - kBottom);
  }
  for (std::size_t s = 0; s < plot.series.size(); ++s)
    svg += path_of(axes, plot.series[s], s % kSeriesColours);
  return figure(plot.title, legend(plot), kHeight, svg);
}

std::string bar_plot(const std::string& title, std::span<const Bar> bars) {
  double most = 0;
  for (const Bar& bar : bars) most = std::max(most, bar.value);
  std::string svg;
  double top = 4;
  for (const Bar& bar : bars) {
    const double width = most > 0 ? bar.value / most * (kWidth - kBarNames - kBarTexts) : 0;
    svg += fmt::format(
        "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>"
        "<rect class=\"s0\" x=\"{}\" y=\"{}\" width=\"{:.1f}\" height=\"{}\"/>"
        "<text x=\"{:.1f}\" y=\"{}\">{}</text>\n",
        kBarNames - 8, top + 13, escaped_html(bar.name), kBarNames, top, width, kBarHeight - 5,
        kBarNames + width + 6, top + 13, escaped_html(bar.text));
    top += kBarHeight;
  }
  return figure(title, "", top + 4, svg);
}

}  // namespace megascale::report
