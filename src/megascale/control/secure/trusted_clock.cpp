#include "megascale/control/secure/trusted_clock.h"

#include <fmt/format.h>
#include <time.h>

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

}  // namespace megascale::secure
