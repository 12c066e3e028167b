#ifndef MEGASCALE_TESTS_CLI_RANK_MEMORY_H_
#define MEGASCALE_TESTS_CLI_RANK_MEMORY_H_

#include <sys/types.h>

#include <filesystem>
#include <string>

namespace megascale::testing {

// Flips a bit in the arena of a rank's process that trains now, through /proc: in the float32
// element `element` of the first buffer whose name contains `buffer` in the plan that the rank has
// dumped in `run_dir`. Returns an error, or "".
[[nodiscard]] std::string flip_bit(const std::filesystem::path& run_dir, pid_t process,
                                   const std::string& buffer, std::uint64_t element, unsigned bit);

}  // namespace megascale::testing

#endif  // MEGASCALE_TESTS_CLI_RANK_MEMORY_H_
