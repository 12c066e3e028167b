#ifndef MEGASCALE_CHECKPOINT_LAYOUT_H_
#define MEGASCALE_CHECKPOINT_LAYOUT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// Names in a directory of checkpoints.
namespace megascale::checkpoint {

inline constexpr std::string_view kManifestName = "manifest.json";
inline constexpr std::string_view kPartialPrefix = ".partial-";  // a save that was not committed
inline constexpr std::string_view kRemovedPrefix =
    ".removed-";  // a checkpoint whose removal has begun

[[nodiscard]] std::string step_name(std::int64_t step);  // "step-00000200"
// The step of such a name; empty for any other.
[[nodiscard]] std::optional<std::int64_t> parse_step_name(std::string_view name) noexcept;

}  // namespace megascale::checkpoint

#endif  // MEGASCALE_CHECKPOINT_LAYOUT_H_
