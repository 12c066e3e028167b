#ifndef MEGASCALE_CONTROL_KEYWORDS_H_
#define MEGASCALE_CONTROL_KEYWORDS_H_

#include <string_view>

namespace megascale::control {

// Returns what a line of a rank's output tells, in a word for people ("memory", "disk", "device",
// "lost peer", ...), or nothing (an empty text) if it holds no keyword of the table.
[[nodiscard]] std::string_view keyword_in(std::string_view line) noexcept;

}  // namespace megascale::control

#endif  // MEGASCALE_CONTROL_KEYWORDS_H_
