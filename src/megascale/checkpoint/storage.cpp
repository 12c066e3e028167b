// Disk access for checkpoints, by system calls, because durability depends on the exact calls. New
// files are created exclusively; files and directories are synced separately. A checkpoint is
// replaced by exchanging two names in one call (renameat2), so a checkpoint of that step exists at
// any moment. Every change first calls the hook, by which tests stop a save at any point.
#include "megascale/checkpoint/storage.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <system_error>

#include "megascale/base/error.h"

namespace megascale::checkpoint {
namespace {

[[noreturn]] void throw_io(std::string_view action, const std::filesystem::path& path, int error) {
  throw Error(ErrorCode::io, fmt::format("cannot {} {}: {}", action, path.string(),
                                         std::generic_category().message(error)));
}

// Brings what was appended to a file to the disk, window by window: starts to write the window that
// ends at or before `end`, and waits for the windows before it. Where the system cannot do this, the
// sync of the file does all the work.
void write_back(const FileHandle& file, std::uint64_t end) {
  constexpr auto kWindow = static_cast<off_t>(Storage::kWindow);
  const auto begin = static_cast<off_t>(end) / kWindow * kWindow - kWindow;
  if (begin < 0) return;
  (void)::sync_file_range(file.get(), begin, kWindow, SYNC_FILE_RANGE_WRITE);
  if (begin == 0) return;
  constexpr unsigned kWait =
      SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER;
  (void)::sync_file_range(file.get(), 0, begin, kWait);
  (void)::posix_fadvise(file.get(), begin - kWindow, kWindow, POSIX_FADV_DONTNEED);
}

}  // namespace

std::string_view to_string(Action action) noexcept {
  switch (action) {
    case Action::create_directory:
      return "create_directory";
    case Action::create_file:
      return "create_file";
    case Action::write:
      return "write";
    case Action::sync_file:
      return "sync_file";
    case Action::sync_directory:
      return "sync_directory";
    case Action::rename:
      return "rename";
    case Action::remove:
      return "remove";
  }
  return "?";
}

void Storage::create_directory(const std::filesystem::path& path) const {
  before(Action::create_directory, path);
  if (::mkdir(path.c_str(), 0777) != 0) throw_io("create directory", path, errno);
}

void Storage::create_directories(const std::filesystem::path& path) const {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) return;
  const std::filesystem::path absolute = std::filesystem::absolute(path).lexically_normal();
  // "a/b/" names the same directory as "a/b", but its parent_path() would be "a/b".
  const std::filesystem::path named = absolute.has_filename() ? absolute : absolute.parent_path();
  if (std::filesystem::is_directory(named, error)) return;
  create_directories(named.parent_path());
  create_directory(named);
  sync_directory(named.parent_path());
}

FileHandle Storage::create_file(const std::filesystem::path& path) const {
  before(Action::create_file, path);
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd < 0) throw_io("create", path, errno);
  return FileHandle(fd);
}

void Storage::write(const FileHandle& file, std::span<const std::byte> bytes,
                    const std::filesystem::path& path) const {
  while (!bytes.empty()) {
    const auto block = bytes.first(std::min(bytes.size(), kBlock));
    before_block(block.size(), path);
    write_all(file, block, path);
    bytes = bytes.subspan(block.size());
    const off_t end = ::lseek(file.get(), 0, SEEK_CUR);
    if (end > 0 && static_cast<std::uint64_t>(end) % kWindow < block.size())
      write_back(file, static_cast<std::uint64_t>(end));
  }
}

void Storage::reserve(const FileHandle& file, std::uint64_t nbytes,
                      const std::filesystem::path& path) const {
  if (nbytes == 0) return;
  const std::string action = fmt::format("reserve {} bytes for", nbytes);
  // A reservation that fails for lack of space first takes all that is free, and a neighbour that
  // writes meanwhile fails too. So what cannot fit is refused before.
  struct statvfs status {};
  if (::fstatvfs(file.get(), &status) == 0 &&
      std::uint64_t{status.f_bavail} * status.f_frsize < nbytes)
    throw_io(action, path, ENOSPC);
  int error = 0;
  do {
    error = ::fallocate(file.get(), 0, 0, static_cast<off_t>(nbytes)) == 0 ? 0 : errno;
  } while (error == EINTR);
  if (error == 0 || error == EOPNOTSUPP || error == ENOSYS) return;
  throw_io(action, path, error);
}

void Storage::before_block(std::uint64_t nbytes, const std::filesystem::path& path) const {
  if (pace_ != nullptr) pace_->before_block(nbytes);
  before(Action::write, path);
}

void Storage::sync(const FileHandle& file, const std::filesystem::path& path) const {
  before(Action::sync_file, path);
  sync_file(file, path);
  // Only advice: a file system in memory keeps its pages, and that does no harm.
  (void)::posix_fadvise(file.get(), 0, 0, POSIX_FADV_DONTNEED);
}

void Storage::sync_directory(const std::filesystem::path& path) const {
  before(Action::sync_directory, path);
  megascale::sync_directory(path);
}

void Storage::rename(const std::filesystem::path& from, const std::filesystem::path& to) const {
  before(Action::rename, to);
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return;
  const bool is_unknown = errno == EINVAL || errno == ENOSYS;
  if (is_unknown && ::rename(from.c_str(), to.c_str()) == 0) return;
  throw_io(fmt::format("rename {} to", from.string()), to, errno);
}

bool Storage::exchange(const std::filesystem::path& from, const std::filesystem::path& to) const {
  before(Action::rename, to);
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_EXCHANGE) == 0) return true;
  if (errno == EINVAL || errno == ENOSYS) return false;
  throw_io(fmt::format("exchange {} with", from.string()), to, errno);
}

void Storage::remove_all(const std::filesystem::path& path) const {
  before(Action::remove, path);
  std::error_code error;
  std::filesystem::remove_all(path, error);
  if (error) throw_io("remove", path, error.value());
}

ReadFile::ReadFile(std::filesystem::path path)
    : path_(std::move(path)), file_(open_file(path_, OpenMode::read)) {
  struct stat status {};
  if (::fstat(file_.get(), &status) != 0) throw_io("inspect", path_, errno);
  nbytes_ = static_cast<std::uint64_t>(status.st_size);
}

void ReadFile::read(std::uint64_t offset, std::span<std::byte> out) const {
  while (!out.empty()) {
    const ssize_t count = ::pread(file_.get(), out.data(), out.size(), static_cast<off_t>(offset));
    if (count < 0) {
      if (errno == EINTR) continue;
      throw_io("read", path_, errno);
    }
    if (count == 0) {
      throw Error(ErrorCode::corrupt_data,
                  fmt::format("{}: expected {} more bytes at byte {}, found the end of the file",
                              path_.string(), out.size(), offset));
    }
    offset += static_cast<std::uint64_t>(count);
    out = out.subspan(static_cast<std::size_t>(count));
  }
}

bool is_in_memory(const FileHandle& file) noexcept {
  struct statfs status {};
  return ::fstatfs(file.get(), &status) == 0 && status.f_type == TMPFS_MAGIC;
}

void require_space(const std::filesystem::path& directory, std::uint64_t nbytes,
                   std::string_view purpose) {
  struct statvfs status {};
  if (::statvfs(directory.c_str(), &status) != 0)
    throw_io("find the free space of", directory, errno);
  const std::uint64_t available = std::uint64_t{status.f_bavail} * status.f_frsize;
  if (available < nbytes) {
    throw Error(ErrorCode::io, fmt::format("{} needs {} bytes in {}, {} are free", purpose, nbytes,
                                           directory.string(), available));
  }
}

FileHandle lock_directory(const std::filesystem::path& directory) {
  const std::filesystem::path path = directory / ".lock";
  FileHandle file = open_file(path, OpenMode::append);
  if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) throw_io("lock", path, errno);
    throw Error(ErrorCode::failed, fmt::format("another process is saving to {} (it holds {})",
                                               directory.string(), path.string()));
  }
  return file;
}

std::string random_id() {
  std::array<unsigned char, 16> bits{};
  if (::getrandom(bits.data(), bits.size(), 0) != static_cast<ssize_t>(bits.size())) {
    throw Error(ErrorCode::io, "the system gives no random numbers (getrandom)");
  }
  std::string text;
  for (const unsigned char byte : bits) text += fmt::format("{:02x}", byte);
  return text;
}

std::uint64_t directory_nbytes(const std::filesystem::path& path) {
  std::uint64_t nbytes = 0;
  std::error_code error;
  for (std::filesystem::recursive_directory_iterator it(path, error), end; !error && it != end;
       it.increment(error)) {
    std::error_code ignored;
    if (it->is_regular_file(ignored)) {
      const auto size = it->file_size(ignored);
      if (!ignored) nbytes += size;
    }
  }
  return nbytes;
}

}  // namespace megascale::checkpoint
