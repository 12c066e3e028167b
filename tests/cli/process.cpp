#include "cli/process.h"

#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <ostream>
#include <sstream>
#include <stdexcept>

#include "support/sanitizer.h"

namespace megascale::testing {
namespace {

using Clock = std::chrono::steady_clock;

// Instrumented code takes several times as long.
std::chrono::duration<double> patience(double seconds) {
  return std::chrono::duration<double>(kSanitizer.empty() ? seconds : 5 * seconds);
}

// Between fork and exec: plain system calls only.
void redirect(int to, const std::string& path, int pipe_end) {
  const int fd = path.empty() ? pipe_end : ::open(path.c_str(), O_WRONLY | O_CREAT, 0644);
  if (fd < 0 || ::dup2(fd, to) < 0) ::_exit(126);
}

void close_once(int& fd) {
  if (fd >= 0) ::close(fd);
  fd = -1;
}

bool read_some(int& fd, std::string& into) {
  std::array<char, 1 << 14> buffer{};
  const ssize_t count = ::read(fd, buffer.data(), buffer.size());
  if (count > 0) into.append(buffer.data(), static_cast<std::size_t>(count));
  if (count <= 0) close_once(fd);
  return count > 0;
}

}  // namespace

nlohmann::json Finished::json() const {
  nlohmann::json last;
  std::size_t objects = 0;
  std::istringstream lines(out);
  for (std::string line; std::getline(lines, line);) {
    last = nlohmann::json::parse(line, nullptr, false);
    if (!last.is_object()) continue;
    ++objects;
  }
  return objects == 1 && last.is_object() && out.ends_with('\n') ? last : nlohmann::json();
}

std::ostream& operator<<(std::ostream& stream, const Finished& f) {
  stream << "exit " << f.exit_code << " signal " << f.signal << (f.timed_out ? " (time-out)" : "");
  return stream << "\nstdout: " << f.out << "\nstderr: " << f.err;
}

Process::Process(const std::vector<std::string>& arguments, const Setup& setup) {
  std::array<int, 2> out{}, err{};
  if (::pipe2(out.data(), O_CLOEXEC) != 0 || ::pipe2(err.data(), O_CLOEXEC) != 0)
    throw std::runtime_error("pipe2");
  std::vector<char*> argv;
  for (const std::string& word : setup.launcher) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(const_cast<char*>(MEGASCALE_BINARY));
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  pid_ = ::fork();
  if (pid_ < 0) throw std::runtime_error("fork");
  if (pid_ == 0) {
    redirect(STDOUT_FILENO, setup.stdout_to, out[1]);
    redirect(STDERR_FILENO, setup.stderr_to, err[1]);
    if (setup.user != 0 &&
        (::setgroups(0, nullptr) != 0 || ::setgid(setup.user) != 0 || ::setuid(setup.user) != 0))
      ::_exit(125);
    // NOLINTNEXTLINE(concurrency-mt-unsafe): the child has one thread
    for (const std::string& one : setup.environment) ::putenv(const_cast<char*>(one.c_str()));
    ::execvp(argv[0], argv.data());
    ::_exit(127);
  }
  ::close(out[1]);
  ::close(err[1]);
  out_fd_ = out[0];
  err_fd_ = err[0];
}

Process::~Process() {
  if (!reaped_) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  close_once(out_fd_);
  close_once(err_fd_);
}

void Process::send(int signal) const { ::kill(pid_, signal); }

void Process::close_stderr() { close_once(err_fd_); }

bool Process::step(int milliseconds) {
  if (out_fd_ < 0 && err_fd_ < 0) return false;
  std::array<pollfd, 2> fds{pollfd{out_fd_, POLLIN, 0}, pollfd{err_fd_, POLLIN, 0}};
  if (::poll(fds.data(), fds.size(), milliseconds) > 0) {
    if (fds[0].revents != 0) read_some(out_fd_, finished_.out);
    if (fds[1].revents != 0) read_some(err_fd_, finished_.err);
  }
  return out_fd_ >= 0 || err_fd_ >= 0;
}

Finished Process::wait(double timeout_seconds) {
  const auto end = Clock::now() + patience(timeout_seconds);
  int status = 0;
  rusage usage{};
  while (!reaped_) {
    const bool open = step(20);
    reaped_ = ::wait4(pid_, &status, WNOHANG, &usage) == pid_;
    if (!reaped_ && !open) ::usleep(1000);
    if (!reaped_ && !finished_.timed_out && Clock::now() > end) {
      finished_.timed_out = true;
      send(SIGKILL);
    }
  }
  while (step(1000)) {
  }
  if (WIFEXITED(status)) finished_.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) finished_.signal = WTERMSIG(status);
  finished_.peak_resident_kib = usage.ru_maxrss;
  return finished_;
}

bool Process::wait_until(const std::function<bool()>& condition, double timeout_seconds) {
  const auto end = Clock::now() + patience(timeout_seconds);
  while (!condition()) {
    if (!step(1) || Clock::now() > end) return condition();
  }
  return true;
}

Finished megascale(const std::vector<std::string>& arguments, const Setup& setup) {
  return Process(arguments, setup).wait();
}

}  // namespace megascale::testing
