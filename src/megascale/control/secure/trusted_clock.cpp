#include "megascale/control/secure/trusted_clock.h"

#include <fmt/format.h>
#include <time.h>

#include <charconv>

namespace megascale::secure {

UnixSeconds trusted_now() noexcept {
  using Monotonic = std::chrono::steady_clock;
  struct Anchor {
    std::chrono::system_clock::time_point wall = std::chrono::system_clock::now();
    Monotonic::time_point monotonic = Monotonic::now();
  };
  static const Anchor anchor;
  const auto now = anchor.wall + (Monotonic::now() - anchor.monotonic);
  return std::chrono::floor<std::chrono::seconds>(now).time_since_epoch().count();
}

std::string to_utc(UnixSeconds time) {
  const ::time_t seconds = time;
  std::tm utc{};
  if (::gmtime_r(&seconds, &utc) == nullptr) return fmt::format("{} s after 1970", time);
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02} UTC", utc.tm_year + 1900, utc.tm_mon + 1,
                     utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec);
}

Result<std::chrono::seconds> parse_duration(std::string_view text) {
  constexpr std::int64_t kMostDays = 36'500;
  std::int64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  const std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  const std::int64_t seconds = unit == "s"   ? 1
                               : unit == "m" ? 60
                               : unit == "h" ? 3600
                               : unit == "d" ? 24 * 3600
                                             : 0;
  if (error != std::errc() || seconds == 0 || count < 0 ||
      count > kMostDays * 24 * 3600 / seconds) {
    return tl::unexpected(Error(
        ErrorCode::bad_usage,
        fmt::format("duration \"{}\": expected a number and s, m, h or d, such as 90m", text)));
  }
  return std::chrono::seconds(count * seconds);
}

}  // namespace megascale::secure
