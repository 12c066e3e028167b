#ifndef MEGASCALE_TRAIN_COPIES_DIRECTORY_H_
#define MEGASCALE_TRAIN_COPIES_DIRECTORY_H_

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "megascale/base/files.h"

// The directories of copies in memory: one for each run, which belongs to the user alone.
namespace megascale::train {

// Returns the directory below `root` for the copies of the run that owns a run directory.
// `identity` is DirectoryOwner::identity().
[[nodiscard]] std::filesystem::path memory_directory(const std::filesystem::path& root,
                                                     std::string_view identity);

// Returns why a directory that exists must not be used; empty if it may be used.
[[nodiscard]] std::string why_not_ours(const std::filesystem::path& directory);
// Creates a directory that only this user may use. One that exists is no error if it is such a one.
// Throws Error (io).
void make_private_directory(const std::filesystem::path& directory);
// Removes what is in the directory, except for `kept` and the file of mark_copies(). What cannot be
// removed stays.
void remove_all_but(const std::filesystem::path& directory, const std::filesystem::path& kept);

// Removes the directory with all copies in it, unless it belongs to another user. A failure is only
// reported.
void remove_copies(const std::filesystem::path& directory,
                   const std::function<void(const std::string&)>& on_message);

// Writes to the directory of copies which run they belong to. The file is locked as long as the
// returned handle lives, so that other runs see that the run is alive. Throws Error (io).
[[nodiscard]] FileHandle mark_copies(const std::filesystem::path& directory,
                                     const std::filesystem::path& run_dir);
// Removes the directories of copies below `root` whose run directory was deleted, or moved, and whose
// run is over. Nobody else would ever remove them, and they take memory. Says which. A failure is only
// reported.
void remove_copies_of_deleted_runs(const std::filesystem::path& root,
                                   const std::function<void(const std::string&)>& on_message);

}  // namespace megascale::train

#endif  // MEGASCALE_TRAIN_COPIES_DIRECTORY_H_
