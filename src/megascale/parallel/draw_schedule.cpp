// Draws schedules as text and as SVG. Both scale time: text by the greatest common divisor of all
// times, so that every cell has a whole number of characters; SVG to a width limit.
#include "megascale/parallel/draw_schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>

namespace megascale::parallel {
namespace {

// Returns the greatest time that divides all starts and ends.
Ticks common_unit(const Replay& replay) {
  Ticks unit = 0;
  for (const auto& times : replay.times) {
    for (const ItemTime& time : times) unit = std::gcd(std::gcd(unit, time.start), time.end);
  }
  return unit;
}

std::string label(const Schedule& schedule, const ScheduleItem& item) {
  const std::string whole = to_string(item);
  return schedule.chunks > 1 ? whole : whole.substr(0, whole.find('/'));
}

// Returns, for instance, "1 stage" or "2 micro-batches".
std::string counted(std::uint32_t count, std::string_view noun) {
  const std::string_view ending = count == 1 ? "" : noun.ends_with("ch") ? "es" : "s";
  return fmt::format("{} {}{}", count, noun, ending);
}

std::string summary(const Schedule& schedule, const Replay& replay) {
  Ticks idle = 0;
  for (const Ticks of_stage : replay.idle) idle += of_stage;
  const double all = static_cast<double>(replay.makespan) * schedule.stages;
  const std::string chunks =
      schedule.chunks > 1 ? fmt::format("{} chunks each, ", schedule.chunks) : "";
  return fmt::format("{}: {}, {}{}, makespan {}, idle {:.1f} %", schedule.name,
                     counted(schedule.stages, "stage"), chunks,
                     counted(schedule.micro_batches, "micro-batch"), replay.makespan,
                     100 * static_cast<double>(idle) / all);
}

std::string stage_summary(const Replay& replay, std::uint32_t stage) {
  return fmt::format("idle {:.1f} %, {} in flight", 100 * replay.idle_share(stage),
                     replay.in_flight_peak[stage]);
}

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

struct Look {
  std::string_view name, colour;
};
constexpr std::array<Look, kWorkKinds> kLooks{
    {{"forward", "#4a7fd0"}, {"backward", "#4fae6c"}, {"weight gradient", "#e0953c"}}};

// Layout of the SVG, in pixels: margins, height of a row, gap between rows, width of a digit.
constexpr double kLeft = 64, kRight = 170, kTop = 30, kRow = 22, kGap = 4, kCharacter = 6.5;

}  // namespace

std::string draw_text(const Schedule& schedule, const Replay& replay) {
  const Ticks unit = common_unit(replay);
  std::size_t widest = 0;
  for (const auto& items : schedule.items) {
    for (const ScheduleItem& item : items) widest = std::max(widest, label(schedule, item).size());
  }
  // Returns the cell from `from` to `to`: a border, then `content`, padded with `fill`.
  const auto cell = [&](Ticks from, Ticks to, std::string_view content, char fill) {
    const std::size_t width = static_cast<std::size_t>((to - from) / unit) * (widest + 1);
    if (width == 0) return std::string();
    std::string text(width, fill);
    text[0] = '|';
    std::copy(content.begin(), content.end(), text.begin() + 1);
    return text;
  };
  const std::size_t digits = std::to_string(schedule.stages - 1).size();
  std::string text = summary(schedule, replay) + "\n";
  for (std::uint32_t stage = 0; stage < schedule.stages; ++stage) {
    fmt::format_to(std::back_inserter(text), "stage {:>{}} ", stage, digits);
    Ticks at = 0;
    for (std::size_t i = 0; i < schedule.items[stage].size(); ++i) {
      const ItemTime& time = replay.times[stage][i];
      text += cell(at, time.start, "", '.');
      text += cell(time.start, time.end, label(schedule, schedule.items[stage][i]), ' ');
      at = time.end;
    }
    text += cell(at, replay.makespan, "", '.');
    fmt::format_to(std::back_inserter(text), "|  {}\n", stage_summary(replay, stage));
  }
  return text;
}

std::string draw_svg(const Schedule& schedule, const Replay& replay) {
  constexpr double kWidest = 3800, kUnit = 22;
  const double units =
      static_cast<double>(replay.makespan) / static_cast<double>(common_unit(replay));
  const double width = std::min(units * kUnit, kWidest);
  const double scale = width / static_cast<double>(replay.makespan);
  const double bottom = kTop + schedule.stages * (kRow + kGap);
  std::string svg;
  const auto out = std::back_inserter(svg);
  fmt::format_to(
      out,
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{:.0f}\" height=\"{:.0f}\" "
      "font-family=\"sans-serif\" font-size=\"11\">\n<text x=\"{}\" y=\"18\">{}</text>\n",
      kLeft + std::max(width, 460.0) + kRight, bottom + 24, kLeft,
      escaped(summary(schedule, replay)));
  for (std::uint32_t stage = 0; stage < schedule.stages; ++stage) {
    const double top = kTop + stage * (kRow + kGap);
    fmt::format_to(out,
                   "<g class=\"stage\"><text x=\"4\" y=\"{0}\">stage {1}</text>"
                   "<rect x=\"{2}\" y=\"{3}\" width=\"{4:.2f}\" height=\"{5}\" fill=\"#eee\"/>"
                   "<text x=\"{6:.2f}\" y=\"{0}\">{7}</text>\n",
                   top + 15, stage, kLeft, top, width, kRow, kLeft + width + 8,
                   stage_summary(replay, stage));
    for (std::size_t i = 0; i < schedule.items[stage].size(); ++i) {
      const ScheduleItem& item = schedule.items[stage][i];
      const ItemTime& time = replay.times[stage][i];
      const double x = kLeft + static_cast<double>(time.start) * scale;
      const double cell = static_cast<double>(time.end - time.start) * scale;
      const double opacity = 1 - 0.6 * item.chunk / schedule.chunks;
      fmt::format_to(out,
                     "<g class=\"item\"><title>{} from {} to {}</title><rect x=\"{:.2f}\" y=\"{}\" "
                     "width=\"{:.2f}\" height=\"{}\" fill=\"{}\" fill-opacity=\"{:.2f}\" "
                     "stroke=\"#fff\" stroke-width=\"0.5\"/>",
                     to_string(item), time.start, time.end, x, top, cell, kRow,
                     kLooks[static_cast<std::size_t>(item.work)].colour, opacity);
      const std::string number = std::to_string(item.micro_batch);
      if (static_cast<double>(number.size()) * kCharacter + 2 <= cell) {
        fmt::format_to(out, "<text x=\"{:.2f}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
                       x + cell / 2, top + 15, number);
      }
      svg += "</g>\n";
    }
    svg += "</g>\n";
  }
  double x = kLeft;
  for (const Look& look : kLooks) {
    if (&look == &kLooks.back() && !schedule.splits_weight_gradients) break;
    fmt::format_to(out,
                   "<rect x=\"{0}\" y=\"{1}\" width=\"12\" height=\"12\" fill=\"{2}\"/>"
                   "<text x=\"{3}\" y=\"{4}\">{5}</text>\n",
                   x, bottom + 6, look.colour, x + 17, bottom + 16, look.name);
    x += 120;
  }
  return svg + "</svg>\n";
}

}  // namespace megascale::parallel
