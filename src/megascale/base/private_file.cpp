// A secret is as safe as the mode of its file. So a file that others may read is refused, and a new
// one is created with its final mode: a chmod after the first byte would leave a gap.
#include "megascale/base/private_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <span>
#include <system_error>

#include "megascale/base/error.h"
#include "megascale/base/files.h"

namespace megascale {
namespace {

[[noreturn]] void cannot(const char* what, const std::filesystem::path& path, int error) {
  throw Error(ErrorCode::io, fmt::format("cannot {} {}: {}", what, path.string(),
                                         std::generic_category().message(error)));
}

bool only_this_user(const struct stat& status) {
  return (status.st_mode & (S_IRWXG | S_IRWXO)) == 0 &&
         (status.st_uid == ::geteuid() || status.st_uid == 0);
}

// Removes an unfinished file unless it was renamed.
class Unfinished {
 public:
  explicit Unfinished(std::filesystem::path path) : path_(std::move(path)) {}
  Unfinished(const Unfinished&) = delete;
  Unfinished& operator=(const Unfinished&) = delete;
  ~Unfinished() {
    if (!path_.empty()) (void)::unlink(path_.c_str());
  }
  void keep() noexcept { path_.clear(); }

 private:
  std::filesystem::path path_;
};

}  // namespace

std::string read_private_file(const std::filesystem::path& path, std::size_t most) {
  const FileHandle file = open_file(path, OpenMode::read);
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) cannot("read", path, errno);
  if (!only_this_user(status)) {
    throw Error(
        ErrorCode::bad_usage,
        fmt::format("{}: mode {:04o}, owner {}; a secret is read from a file of mode 0600 of "
                    "this user ({}); run: chmod 600 {}",
                    path.string(), status.st_mode & 07777U, status.st_uid, ::geteuid(),
                    path.string()));
  }
  std::string text(most, '\0');
  text.resize(read_at(file, 0, std::as_writable_bytes(std::span(text.data(), text.size())), path));
  return text;
}

void write_private_file(const std::filesystem::path& path, std::string_view text) {
  std::filesystem::path beside = path;
  beside += ".partial";
  (void)::unlink(beside.c_str());  // the rest of an earlier write
  const FileHandle file(
      ::open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (file.get() < 0) cannot("write", beside, errno);
  Unfinished unfinished(beside);
  write_all(file, text, beside);
  sync_file(file, beside);
  if (::rename(beside.c_str(), path.c_str()) != 0) cannot("write", path, errno);
  unfinished.keep();
  sync_directory(path.has_parent_path() ? path.parent_path() : ".");
}

void require_private_directory(const std::filesystem::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || !S_ISDIR(status.st_mode))
    throw Error(ErrorCode::bad_usage, fmt::format("{}: expected a directory", path.string()));
  if (!only_this_user(status)) {
    throw Error(
        ErrorCode::bad_usage,
        fmt::format("{}: mode {:04o}, owner {}; keys are kept in a directory of mode 0700 of this "
                    "user ({}); run: chmod 700 {}",
                    path.string(), status.st_mode & 07777U, status.st_uid, ::geteuid(),
                    path.string()));
  }
}

void make_private_directory(const std::filesystem::path& path) {
  if (path.has_parent_path()) make_directories(path.parent_path());
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) cannot("create", path, errno);
  require_private_directory(path);
}

}  // namespace megascale
