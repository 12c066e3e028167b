#ifndef MEGASCALE_CHECKPOINT_LAYOUT_H_
#define MEGASCALE_CHECKPOINT_LAYOUT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// The names of files and directories below a directory of checkpoints. docs/formats/checkpoint.md
// shows the layout.
namespace megascale::checkpoint {

inline constexpr std::string_view kManifestName = "manifest.json";
// Directory of a save that was not committed.
inline constexpr std::string_view kPartialPrefix = ".partial-";
// Directory of a checkpoint whose removal has begun.
inline constexpr std::string_view kRemovedPrefix = ".removed-";

// Returns the directory name of a committed checkpoint, for instance "step-00000200".
[[nodiscard]] std::string step_name(std::int64_t step);
// Returns the step of such a name; empty for every other name.
[[nodiscard]] std::optional<std::int64_t> parse_step_name(std::string_view name) noexcept;
// Returns whether a save or a removal gives this name to a directory that is not finished:
// ".partial-" or ".removed-", the name of a step, "-" and 32 hexadecimal digits.
[[nodiscard]] bool is_leftover_name(std::string_view name) noexcept;

}  // namespace megascale::checkpoint

#endif  // MEGASCALE_CHECKPOINT_LAYOUT_H_
