#ifndef MEGASCALE_BASE_NUMBERS_H_
#define MEGASCALE_BASE_NUMBERS_H_

#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>
#include <system_error>
#include <type_traits>

namespace megascale {

// Returns the number that all of `text` is, in decimal, or nothing. An integer must fit in the type.
// A real number must be finite: "nan", "inf" and "1e999" are refused, since comparisons with bounds
// would let NaN pass. A sign "+" is allowed. Any thread may call it.
template <class Number>
[[nodiscard]] std::optional<Number> parse_number(std::string_view text) noexcept {
  static_assert(std::is_arithmetic_v<Number> && !std::is_same_v<Number, bool>);
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  if constexpr (std::is_floating_point_v<Number>) {
    if (!std::isfinite(number)) return std::nullopt;
  }
  return number;
}

}  // namespace megascale

#endif  // MEGASCALE_BASE_NUMBERS_H_
