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
// Checkpoints that a resume has set aside: the state may be damaged, or the files are.
inline constexpr std::string_view kDoubtfulPrefix = "doubtful-", kPassedOverPrefix = "passed-over-";

// Returns the directory name of a committed checkpoint, for instance "step-00000200".
[[nodiscard]] std::string step_name(std::int64_t step);
// Returns the step of such a name; empty for every other name.
[[nodiscard]] std::optional<std::int64_t> parse_step_name(std::string_view name) noexcept;
// Returns whether a save or a removal gives this name to a directory that is not finished:
// ".partial-" or ".removed-", the name of a step, "-" and 32 hexadecimal digits.
[[nodiscard]] bool is_leftover_name(std::string_view name) noexcept;
// Returns whether the name is that of a checkpoint that was set aside: "doubtful-" or "passed-over-",
// the name of a step, and from the second one of this step on "-2", "-3" and so on.
[[nodiscard]] bool is_aside_name(std::string_view name) noexcept;

}  // namespace megascale::checkpoint

#endif  // MEGASCALE_CHECKPOINT_LAYOUT_H_
