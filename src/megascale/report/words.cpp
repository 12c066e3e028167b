#include "megascale/report/words.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace megascale::report {

std::string bytes_text(std::uint64_t nbytes) {
  constexpr std::array kUnits{"bytes", "KiB", "MiB", "GiB", "TiB", "PiB"};
  double value = static_cast<double>(nbytes);
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < kUnits.size()) {
    value /= 1024;
    ++unit;
  }
  return fmt::format("{:.{}f} {}", value, unit == 0 ? 0 : 2, kUnits[unit]);
}

std::string percent_text(double share) {
  return std::isnan(share) ? "?" : fmt::format("{:.1f} %", 100 * share);
}

std::string more_text(double ratio) {
  return std::isfinite(ratio) ? fmt::format("{:+.1f} %", 100 * (ratio - 1)) : "?";
}

std::string seconds_text(double seconds) {
  if (std::isnan(seconds)) return "?";
  if (std::abs(seconds) < 1e-3) return fmt::format("{:.3g} us", seconds * 1e6);
  if (std::abs(seconds) < 1) return fmt::format("{:.3g} ms", seconds * 1e3);
  return fmt::format("{:.3g} s", seconds);
}

std::string duration_text(double seconds) {
  if (!std::isfinite(seconds)) return "?";
  const auto whole = static_cast<std::int64_t>(seconds);
  return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

std::string count_text(double count) {
  if (!std::isfinite(count)) return "?";
  const std::string digits = fmt::format("{:.0f}", count);
  const std::size_t first = count < 0 ? 1 : 0;
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > first && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

std::string number_text(double value) {
  return std::isnan(value) ? "?" : fmt::format("{:.4g}", value);
}

}  // namespace megascale::report
