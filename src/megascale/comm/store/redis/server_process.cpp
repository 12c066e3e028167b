// Starts redis-server as a child process. Its configuration, which contains the secret, is passed
// through an unnamed file in memory as standard input, so it appears neither on a command line nor
// on a disk.
#include "megascale/comm/store/redis/server_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <sstream>
#include <system_error>
#include <thread>

#include "megascale/base/environment.h"

namespace megascale::comm {
namespace {

// Returns a port that is free at this moment. If another process takes it before the server does,
// the caller tries again.
std::uint16_t free_port() {
  const auto address = resolve({.host = "127.0.0.1", .port = 0});
  if (!address) throw Error(address.error());
  const auto socket = make_socket(*address);
  if (!socket) throw Error(socket.error());
  sockaddr_in bound{};
  socklen_t nbytes = sizeof bound;
  if (::bind(socket->get(), reinterpret_cast<const sockaddr*>(&address->storage),
             address->nbytes) != 0 ||
      ::getsockname(socket->get(), reinterpret_cast<sockaddr*>(&bound), &nbytes) != 0)
    throw Error(ErrorCode::io,
                fmt::format("no free port: {}", std::generic_category().message(errno)));
  return ntohs(bound.sin_port);
}

// Returns an unnamed file in memory with `text` as content.
FileHandle memory_file(const std::string& text) {
  FileHandle file(::memfd_create("redis.conf", MFD_CLOEXEC));
  if (file.get() < 0)
    throw Error(ErrorCode::io,
                fmt::format("memfd_create: {}", std::generic_category().message(errno)));
  write_all(file, text, "redis.conf");
  (void)::lseek(file.get(), 0, SEEK_SET);
  return file;
}

}  // namespace

std::filesystem::path RedisServerProcess::find() {
  const char* path = environment_variable("PATH");
  std::istringstream folders(path == nullptr ? "/usr/bin" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::filesystem::path program = std::filesystem::path(folder) / "redis-server";
    if (::access(program.c_str(), X_OK) == 0) return program;
  }
  return {};
}

RedisServerProcess::RedisServerProcess(const JobSecret& secret, std::size_t max_clients) {
  const std::filesystem::path program = find();
  if (program.empty()) {
    throw Error(
        ErrorCode::unsupported,
        "no redis-server in PATH: install it (Debian: redis-server), or use the embedded store");
  }
  constexpr int kTries = 5;
  for (int i = 0; i < kTries; ++i) {
    address_.port = free_port();
    spawn(program, fmt::format("bind 127.0.0.1\nport {}\nrequirepass {}\nmaxclients {}\n"
                               "tcp-backlog 65535\nsave \"\"\nappendonly no\nloglevel warning\n"
                               "logfile /dev/null\n",
                               address_.port, secret.text(), max_clients));
    if (wait_until_listening()) return;
    stop();
  }
  throw Error(ErrorCode::failed, fmt::format("{} did not start to listen on {}", program.string(),
                                             to_string(address_)));
}

RedisServerProcess::~RedisServerProcess() { stop(); }

void RedisServerProcess::spawn(const std::filesystem::path& program,
                               const std::string& configuration) {
  const FileHandle input = memory_file(configuration);
  std::string name = program.string(), dash = "-";
  const std::array<char*, 3> arguments{name.data(), dash.data(), nullptr};
  const FileHandle null = FileHandle(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  pid_ = ::fork();
  if (pid_ < 0)
    throw Error(ErrorCode::io, fmt::format("fork: {}", std::generic_category().message(errno)));
  if (pid_ != 0) return;
  (void)::prctl(PR_SET_PDEATHSIG, SIGKILL);
  (void)::dup2(input.get(), STDIN_FILENO);
  (void)::dup2(null.get(), STDOUT_FILENO);
  ::execv(arguments[0], arguments.data());
  ::_exit(127);
}

bool RedisServerProcess::wait_until_listening() const {
  constexpr std::chrono::seconds kLimit{10};
  const auto end = std::chrono::steady_clock::now() + kLimit;
  const auto address = resolve(address_);
  while (address && std::chrono::steady_clock::now() < end) {
    if (::waitpid(pid_, nullptr, WNOHANG | WNOWAIT) == pid_) return false;
    const auto socket = make_socket(*address);
    // On the loopback address connect() succeeds or fails at once, also on a non-blocking socket.
    if (socket) {
      (void)::connect(socket->get(), reinterpret_cast<const sockaddr*>(&address->storage),
                      address->nbytes);
      sockaddr_in peer{};
      socklen_t nbytes = sizeof peer;
      if (::getpeername(socket->get(), reinterpret_cast<sockaddr*>(&peer), &nbytes) == 0)
        return true;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}

void RedisServerProcess::stop() noexcept {
  if (pid_ <= 0) return;
  (void)::kill(pid_, SIGKILL);
  (void)::waitpid(pid_, nullptr, 0);
  pid_ = -1;
}

double RedisServerProcess::cpu_seconds() const {
  clockid_t clock{};
  timespec time{};
  if (::clock_getcpuclockid(pid_, &clock) != 0 || ::clock_gettime(clock, &time) != 0) return 0;
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

}  // namespace megascale::comm
