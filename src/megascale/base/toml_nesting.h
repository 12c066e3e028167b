#ifndef MEGASCALE_BASE_TOML_NESTING_H_
#define MEGASCALE_BASE_TOML_NESTING_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace megascale {

// The TOML parser makes a table within a table for every part of a dotted key, and visits them by
// recursion. A key of tens of thousands of parts would overflow the stack.
inline constexpr std::size_t kMostKeyParts = 32;

// Returns what is wrong with TOML text that must not be parsed, such as "line 3: expected keys of
// at most 32 parts, found a.a.a.a..."; empty if there is nothing. Text that is no TOML is the
// parser's concern.
[[nodiscard]] std::string nesting_problem(std::string_view toml);

}  // namespace megascale

#endif  // MEGASCALE_BASE_TOML_NESTING_H_
