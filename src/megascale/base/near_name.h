#ifndef MEGASCALE_BASE_NEAR_NAME_H_
#define MEGASCALE_BASE_NEAR_NAME_H_

#include <span>
#include <string>
#include <string_view>

namespace megascale {

// Returns the known name with the smallest edit distance to `name`. Returns an empty text if every
// known name is more than max(2, a third of name's length) edits away.
[[nodiscard]] std::string nearest_name(std::string_view name, std::span<const std::string> known);

}  // namespace megascale

#endif  // MEGASCALE_BASE_NEAR_NAME_H_
