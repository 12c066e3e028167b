#ifndef MEGASCALE_BASE_NEAR_NAME_H_
#define MEGASCALE_BASE_NEAR_NAME_H_

#include <span>
#include <string>
#include <string_view>

namespace megascale {

// The known name with the smallest edit distance to `name`, or empty when none is near enough to be
// meant.
[[nodiscard]] std::string nearest_name(std::string_view name, std::span<const std::string> known);

}  // namespace megascale

#endif  // MEGASCALE_BASE_NEAR_NAME_H_
