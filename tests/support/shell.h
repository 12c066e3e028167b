#ifndef MEGASCALE_TESTS_SUPPORT_SHELL_H_
#define MEGASCALE_TESTS_SUPPORT_SHELL_H_

#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace megascale::testing {

// Runs a command of the shell, whose output is shown. Returns its exit status; -1 if a signal ended
// it.
[[nodiscard]] inline int run_in_shell(const std::string& command) {
  std::fflush(stdout);                              // what was printed before stands before
  const int status = std::system(command.c_str());  // NOLINT(concurrency-mt-unsafe): glibc's is
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace megascale::testing

#endif  // MEGASCALE_TESTS_SUPPORT_SHELL_H_
