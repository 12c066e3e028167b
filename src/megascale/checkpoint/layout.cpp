// Names of checkpoint directories. A step has exactly one name: parsing refuses signs and more
// leading zeros than step_name() writes.
#include "megascale/checkpoint/layout.h"

#include <fmt/format.h>

#include <charconv>

namespace megascale::checkpoint {

std::string step_name(std::int64_t step) { return fmt::format("step-{:08}", step); }

std::optional<std::int64_t> parse_step_name(std::string_view name) noexcept {
  constexpr std::string_view kPrefix = "step-";
  if (!name.starts_with(kPrefix)) return std::nullopt;
  name.remove_prefix(kPrefix.size());
  if (name.size() < 8 || (name.size() > 8 && name.front() == '0') || name.front() == '-')
    return std::nullopt;
  std::int64_t step = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), step);
  if (error != std::errc() || end != name.data() + name.size()) return std::nullopt;
  return step;
}

bool is_leftover_name(std::string_view name) noexcept {
  constexpr std::size_t kIdSize = 32;
  for (const std::string_view prefix : {kPartialPrefix, kRemovedPrefix}) {
    if (!name.starts_with(prefix) || name.size() < prefix.size() + kIdSize + 1) continue;
    const std::string_view id = name.substr(name.size() - kIdSize);
    const std::string_view step = name.substr(prefix.size(), name.size() - prefix.size() - kIdSize);
    return id.find_first_not_of("0123456789abcdef") == std::string_view::npos &&
           step.ends_with('-') && parse_step_name(step.substr(0, step.size() - 1)).has_value();
  }
  return false;
}

bool is_aside_name(std::string_view name) noexcept {
  for (const std::string_view prefix : {kDoubtfulPrefix, kPassedOverPrefix}) {
    if (!name.starts_with(prefix)) continue;
    const std::string_view rest = name.substr(prefix.size());
    const std::size_t number = rest.find('-', rest.find('-') + 1);  // after "step-00000200"
    if (!parse_step_name(rest.substr(0, number))) continue;
    return number == std::string_view::npos ||
           rest.find_first_not_of("0123456789", number + 1) == std::string_view::npos;
  }
  return false;
}

}  // namespace megascale::checkpoint
