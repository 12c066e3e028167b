#ifndef MEGASCALE_TESTS_CLI_PIPED_INPUT_H_
#define MEGASCALE_TESTS_CLI_PIPED_INPUT_H_

#include <string>

#include "cli/process.h"

namespace megascale::testing {

// A child that reads its stdin from a file or a FIFO.
inline Setup reads_from(const std::filesystem::path& path) {
  return {.launcher = {"bash", "-c", "exec \"$0\" \"$@\" < '" + path.string() + "'"}};
}

}  // namespace megascale::testing

#endif  // MEGASCALE_TESTS_CLI_PIPED_INPUT_H_
