// Starts this program in a child (spawn.h), and reads the child's stdout from a pipe.
#include "megascale/launch/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

#include "megascale/base/error.h"
#include "megascale/base/files.h"
#include "megascale/launch/spawn.h"

namespace megascale::launch {
namespace {

[[noreturn]] void fail(const char* call) {
  throw Error(ErrorCode::io, fmt::format("{}: {}", call, std::generic_category().message(errno)));
}

std::string read_all(int file) {
  std::string text;
  std::array<char, 4096> buffer{};
  for (;;) {
    const ssize_t count = ::read(file, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail("read");
    if (count == 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(count));
  }
}

}  // namespace

std::string run_this_program(const std::vector<std::string>& arguments) {
  std::vector<std::string> command{"megascale"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) fail("pipe2");
  FileHandle from_child(ends[0]), to_parent(ends[1]);
  const pid_t pid = spawn({.arguments = command, .out = to_parent.get()});
  to_parent = FileHandle();
  const std::string text = read_all(from_child.get());
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0) {
    if (errno != EINTR) fail("waitpid");
  }
  if (status == 0) return text;
  const std::string how = WIFSIGNALED(status)
                              ? fmt::format("was ended by signal {}", WTERMSIG(status))
                              : fmt::format("ended with exit code {}", WEXITSTATUS(status));
  throw Error(ErrorCode::failed,
              fmt::format("{} (process {}) {}", fmt::join(arguments.begin(), arguments.end(), " "),
                          pid, how));
}

}  // namespace megascale::launch
