#ifndef MEGASCALE_BASE_PRIVATE_FILE_H_
#define MEGASCALE_BASE_PRIVATE_FILE_H_

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

// Files that only their owner may access: keys, secrets, tokens. Any thread may call the functions.
namespace megascale {

// Returns the first `most` bytes of a file. Throws Error: bad_usage if users other than the owner may
// access it, or if the owner is neither this user nor root; io if it cannot be read or is not a
// regular file.
[[nodiscard]] std::string read_private_file(const std::filesystem::path& path, std::size_t most);
// Replaces a file, with mode 0600 from its first byte on. A reader sees the old or the new content,
// also after a crash. Throws Error (io).
void write_private_file(const std::filesystem::path& path, std::string_view text);
// Creates a directory of mode 0700 and its missing parents. Throws Error: bad_usage if the
// directory exists and users other than its owner may access it, or if it has another owner; io if
// it cannot be created.
void make_private_directory(const std::filesystem::path& path);
// Throws Error (bad_usage) as make_private_directory() does, and if there is no such directory.
void require_private_directory(const std::filesystem::path& path);

}  // namespace megascale

#endif  // MEGASCALE_BASE_PRIVATE_FILE_H_
