// Outputs that a user names. A regular file is replaced by renaming a finished file over it. A
// rename onto a device or a FIFO would destroy the node, and a rename onto a symbolic link would
// leave the file that it names unchanged. So the path is first followed to its end, and only a
// regular file is replaced; everything else is opened and written.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <optional>
#include <system_error>
#include <thread>

#include "megascale/base/error.h"
#include "megascale/base/files.h"

namespace megascale {
namespace {

// The limit of Linux for the symbolic links of one path.
constexpr int kMostLinks = 40;
// A user may start the reader of a FIFO after the writer. Longer than a shell takes to start it.
constexpr std::chrono::seconds kReaderPatience{10};
constexpr std::chrono::milliseconds kReaderPause{20};

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& why) {
  throw Error(ErrorCode::io, fmt::format("cannot write {}: {}", path.string(), why));
}

[[noreturn]] void refuse(const std::filesystem::path& path, int error) {
  refuse(path, std::generic_category().message(error));
}

// Returns N if `path` is /proc/self/fd/N under any name of that directory, such as /dev/fd.
std::optional<int> own_descriptor(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  constexpr std::size_t kMostDigits = 9;  // any number of 9 digits fits in an int
  if (name.empty() || name.size() > kMostDigits ||
      name.find_first_not_of("0123456789") != std::string::npos)
    return std::nullopt;
  std::error_code error;
  const auto own = std::filesystem::canonical("/proc/self/fd", error);
  if (error || std::filesystem::canonical(path.parent_path(), error) != own || error)
    return std::nullopt;
  return std::stoi(name);
}

struct Target {
  std::filesystem::path path;         // is no symbolic link
  std::optional<int> descriptor;      // the path is this descriptor of the process
  std::optional<struct stat> status;  // nothing: there is no such file
};

Target follow(const std::filesystem::path& path) {
  Target target{.path = path};
  std::error_code error;
  for (int links = 0;; ++links) {
    target.descriptor = own_descriptor(target.path);
    if (target.descriptor || !std::filesystem::is_symlink(target.path, error)) break;
    if (links == kMostLinks) refuse(path, ELOOP);
    // A relative link starts at the directory of the link; operator/ keeps an absolute one.
    target.path = target.path.parent_path() / std::filesystem::read_symlink(target.path, error);
    if (error) refuse(path, error.value());
  }
  struct stat status {};
  const int failed = target.descriptor ? ::fstat(*target.descriptor, &status)
                                       : ::stat(target.path.c_str(), &status);
  if (failed == 0) {
    target.status = status;
  } else if (errno != ENOENT || target.descriptor) {
    refuse(path, errno);
  }
  return target;
}

FileHandle open_fifo(const std::filesystem::path& path) {
  const auto end = std::chrono::steady_clock::now() + kReaderPatience;
  for (;;) {
    FileHandle file(::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC));
    if (file.get() >= 0) {
      ::fcntl(file.get(), F_SETFL, 0);  // from now on writes wait for the reader
      return file;
    }
    if (errno != ENXIO) refuse(path, errno);
    if (std::chrono::steady_clock::now() > end) {
      refuse(path, fmt::format("no process has opened this FIFO for reading within {} s",
                               kReaderPatience.count()));
    }
    std::this_thread::sleep_for(kReaderPause);
  }
}

void write_through(const Target& target, std::string_view text) {
  FileHandle file;
  if (target.descriptor) {
    std::fflush(stdout);  // the command's own lines come first
    file = FileHandle(::fcntl(*target.descriptor, F_DUPFD_CLOEXEC, 0));
    if (file.get() < 0) refuse(target.path, errno);
  } else if (S_ISFIFO(target.status->st_mode)) {
    file = open_fifo(target.path);
  } else {
    file = open_file(target.path, OpenMode::append);
  }
  write_all(file, text, target.path);
}

void replace(const Target& target, std::string_view text) {
  std::filesystem::path beside = target.path;
  beside += ".partial";
  // What lies there is the rest of an earlier write, or a link or a FIFO that must not be followed.
  (void)::unlink(beside.c_str());
  FileHandle file(::open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
  if (file.get() < 0) refuse(beside, errno);
  try {
    if (target.status) (void)::fchmod(file.get(), target.status->st_mode & 07777U);
    write_all(file, text, beside);
    sync_file(file, beside);
    if (::rename(beside.c_str(), target.path.c_str()) != 0) refuse(target.path, errno);
  } catch (...) {
    (void)::unlink(beside.c_str());
    throw;
  }
  sync_directory(target.path.has_parent_path() ? target.path.parent_path() : ".");
}

}  // namespace

void write_text_atomically(const std::filesystem::path& path, std::string_view text) {
  const Target target = follow(path);
  if (target.status && S_ISDIR(target.status->st_mode)) refuse(path, EISDIR);
  if (target.descriptor || (target.status && !S_ISREG(target.status->st_mode)))
    return write_through(target, text);
  replace(target, text);
}

std::filesystem::path replaceable_file(const std::filesystem::path& path) {
  Target target = follow(path);
  // A directory is left to the caller: the system refuses to rename a file to it.
  const bool is_kept =
      target.status && !S_ISREG(target.status->st_mode) && !S_ISDIR(target.status->st_mode);
  if (target.descriptor || is_kept)
    refuse(path, "expected a regular file, found a device, a FIFO or a socket");
  return std::move(target.path);
}

}  // namespace megascale
