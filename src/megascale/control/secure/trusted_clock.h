#ifndef MEGASCALE_CONTROL_SECURE_TRUSTED_CLOCK_H_
#define MEGASCALE_CONTROL_SECURE_TRUSTED_CLOCK_H_

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "megascale/base/error.h"

namespace megascale::secure {

// Seconds since 1970, UTC.
using UnixSeconds = std::int64_t;

// By how much the wall clocks of two hosts may differ. New certificates are valid from this long
// before now, so that a host whose clock is behind takes them at once.
inline constexpr std::chrono::seconds kClockSkew{300};

// The wall clock as it was when this process first asked, continued by the monotonic clock: if an
// administrator or NTP sets the wall clock, tokens and certificates do not expire early or live on.
// Any thread may call it.
[[nodiscard]] UnixSeconds trusted_now() noexcept;
// Returns such as "2026-11-24 08:30:00 UTC".
[[nodiscard]] std::string to_utc(UnixSeconds time);
// Reads a whole number with a unit: s, m, h or d, such as "90m". Error: bad_usage.
[[nodiscard]] Result<std::chrono::seconds> parse_duration(std::string_view text);

}  // namespace megascale::secure

#endif  // MEGASCALE_CONTROL_SECURE_TRUSTED_CLOCK_H_
