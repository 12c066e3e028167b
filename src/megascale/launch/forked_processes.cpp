// Forks the processes and connects each by two pipes: one carries the start signal, the other the
// report. A report has at most PIPE_BUF bytes, so a write to the pipe is atomic.
#include "megascale/launch/forked_processes.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

#include "megascale/base/error.h"

namespace megascale::launch {
namespace {

[[noreturn]] void fail_call(const char* call) {
  throw Error(ErrorCode::io, fmt::format("{}: {}", call, std::generic_category().message(errno)));
}

std::array<FileHandle, 2> make_pipe() {
  std::array<int, 2> fds{};
  if (::pipe2(fds.data(), O_CLOEXEC) != 0) fail_call("pipe");
  return {FileHandle(fds[0]), FileHandle(fds[1])};
}

// Returns the result of fork(). The child is killed if its parent ends.
pid_t fork_child() {
  const pid_t pid = ::fork();
  if (pid < 0) fail_call("fork");
  if (pid == 0) (void)::prctl(PR_SET_PDEATHSIG, SIGKILL);
  return pid;
}

}  // namespace

void run_forked(std::uint32_t count, const std::function<int(std::uint32_t)>& body) {
  std::vector<pid_t> children;
  for (std::uint32_t index = 0; index < count; ++index) {
    const pid_t child = fork_child();
    if (child == 0) ::_exit(body(index));
    children.push_back(child);
  }
  bool ok = true;
  while (!children.empty()) {
    int status = 0;
    const pid_t ended = ::wait(&status);
    std::erase(children, ended);
    if (ended >= 0 && status == 0) continue;
    for (const pid_t child : children) ::kill(child, SIGKILL);
    ok = false;
    if (ended < 0) break;
  }
  if (!ok) throw Error(ErrorCode::failed, "a rank failed; see above");
}

ForkedWorkers::ForkedWorkers(std::uint32_t count, const Body& body) {
  for (std::uint32_t index = 0; index < count; ++index) {
    auto start = make_pipe(), report = make_pipe();
    const pid_t pid = fork_child();
    if (pid == 0) {
      const std::string text = body(index, [fd = start[0].get()] {
        char signal = 0;
        return ::read(fd, &signal, 1) == 1;
      });
      const bool written =
          ::write(report[1].get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
      ::_exit(written ? 0 : 1);
    }
    children_.push_back({pid, std::move(start[1]), std::move(report[0])});
  }
}

ForkedWorkers::~ForkedWorkers() {
  for (const Child& child : children_) {
    (void)::kill(child.pid, SIGKILL);
    (void)::waitpid(child.pid, nullptr, 0);
  }
}

void ForkedWorkers::start() {
  for (const Child& child : children_) (void)!::write(child.start.get(), "s", 1);
}

void ForkedWorkers::collect(const std::function<void(const std::string&)>& take) {
  std::vector<pollfd> open;
  for (const Child& child : children_) open.push_back({child.report.get(), POLLIN, 0});
  while (!open.empty()) {
    if (::poll(open.data(), open.size(), -1) < 0) {
      if (errno == EINTR) continue;
      fail_call("poll");
    }
    for (const pollfd& ready : open) {
      if (ready.revents == 0) continue;
      std::array<char, PIPE_BUF> buffer{};  // a report arrives in one piece
      const ssize_t nbytes = ::read(ready.fd, buffer.data(), buffer.size());
      if (nbytes <= 0)
        throw Error(ErrorCode::failed, "a process of the ranks ended without a report; see above");
      take(std::string(buffer.data(), static_cast<std::size_t>(nbytes)));
    }
    std::erase_if(open, [](const pollfd& fd) { return fd.revents != 0; });
  }
}

}  // namespace megascale::launch
