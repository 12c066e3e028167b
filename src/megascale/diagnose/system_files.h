#ifndef MEGASCALE_DIAGNOSE_SYSTEM_FILES_H_
#define MEGASCALE_DIAGNOSE_SYSTEM_FILES_H_

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

// Reads what the kernel says about the machine in /sys and /proc.
namespace megascale::diagnose {

// Returns the first line of a file; empty if it cannot be read.
[[nodiscard]] std::string first_line(const std::filesystem::path& path);
// Returns the value of a line "key : value" or "key: value"; empty if there is none.
[[nodiscard]] std::string value_of_key(const std::filesystem::path& path, std::string_view key);
// Returns the names in a directory, sorted; none if it cannot be read.
[[nodiscard]] std::vector<std::string> names_in(const std::filesystem::path& directory);
// Returns the numbers of a kernel list such as "0-3,8": 0 1 2 3 8; none if it is malformed.
[[nodiscard]] std::vector<int> parse_cpu_list(std::string_view text);

}  // namespace megascale::diagnose

#endif  // MEGASCALE_DIAGNOSE_SYSTEM_FILES_H_
