// fork() and execve(). Other threads may hold locks at the fork, so the child makes plain system
// calls only.
#include "megascale/launch/spawn.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <sstream>
#include <system_error>

#include "megascale/base/error.h"

extern char** environ;

namespace megascale::launch {
namespace {

[[noreturn]] void become(const Spawn& how, char* const* argv) {
  if (how.leads_group) (void)::setpgid(0, 0);
  if (how.blocked != nullptr) ::sigprocmask(SIG_SETMASK, how.blocked, nullptr);
  if (how.out >= 0 && ::dup2(how.out, STDOUT_FILENO) < 0) ::_exit(126);
  if (how.err >= 0 && ::dup2(how.err, STDERR_FILENO) < 0) ::_exit(126);
  if (how.kept >= 0) (void)::fcntl(how.kept, F_SETFD, 0);  // not closed by execve()
  ::execve(how.program, argv, how.environment != nullptr ? how.environment : environ);
  ::_exit(127);
}

}  // namespace

pid_t spawn(const Spawn& how) {
  std::vector<char*> argv;
  for (const std::string& argument : how.arguments)
    argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  const pid_t parent = ::getpid(), pid = ::fork();
  if (pid < 0)
    throw Error(ErrorCode::io, fmt::format("fork: {}", std::generic_category().message(errno)));
  if (pid > 0) return pid;
  (void)::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
  become(how, argv.data());
}

FileHandle watch_process(pid_t process) {
  // The C library of Debian 12 declares pidfd_open() for C only.
  FileHandle file(static_cast<int>(::syscall(SYS_pidfd_open, process, 0)));
  if (file.get() >= 0) return file;
  throw Error(ErrorCode::io, fmt::format("pidfd_open: {}", std::generic_category().message(errno)));
}

std::vector<std::string> own_command_line() {
  std::vector<std::string> arguments;
  std::istringstream words(read_text("/proc/self/cmdline"));
  for (std::string word; std::getline(words, word, '\0');) arguments.push_back(word);
  return arguments;
}

}  // namespace megascale::launch
