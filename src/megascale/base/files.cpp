// Thin wrappers over the POSIX file calls. They retry interrupted calls, continue partial writes,
// and turn errno into an Error that names the path and the operation.
#include "megascale/base/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "megascale/base/error.h"

namespace megascale {
namespace {

[[noreturn]] void throw_io(std::string_view action, const std::filesystem::path& path, int error) {
  throw Error(ErrorCode::io, fmt::format("cannot {} {}: {}", action, path.string(),
                                         std::generic_category().message(error)));
}

std::string_view kind_of_file(::mode_t mode) noexcept {
  if (S_ISDIR(mode)) return "a directory";
  if (S_ISFIFO(mode)) return "a FIFO";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

}  // namespace

FileHandle& FileHandle::operator=(FileHandle&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

FileHandle::~FileHandle() {
  if (fd_ >= 0) ::close(fd_);
}

FileHandle open_file(const std::filesystem::path& path, OpenMode mode) {
  int flags = O_CLOEXEC;
  if (mode == OpenMode::read) flags |= O_RDONLY | O_NONBLOCK;
  if (mode == OpenMode::read_stream) flags |= O_RDONLY;
  if (mode == OpenMode::create) flags |= O_WRONLY | O_CREAT | O_TRUNC | O_NONBLOCK;
  if (mode == OpenMode::append) flags |= O_WRONLY | O_CREAT | O_APPEND | O_NONBLOCK;
  if (mode == OpenMode::update) flags |= O_RDWR | O_CREAT | O_NONBLOCK;
  const bool reads = mode == OpenMode::read || mode == OpenMode::read_stream;
  FileHandle file(::open(path.c_str(), flags, 0644));
  if (file.get() < 0) throw_io(reads ? "read" : "write", path, errno);
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) throw_io("inspect", path, errno);
  if (S_ISREG(status.st_mode)) return file;
  if (mode == OpenMode::read) {
    throw Error(ErrorCode::io, fmt::format("cannot read {}: expected a regular file, found {}",
                                           path.string(), kind_of_file(status.st_mode)));
  }
  // O_NONBLOCK was for opening only: later writes wait until a FIFO or a terminal takes them.
  if (mode != OpenMode::read_stream) ::fcntl(file.get(), F_SETFL, flags & O_APPEND);
  return file;
}

void write_all(const FileHandle& file, std::span<const std::byte> bytes,
               const std::filesystem::path& path) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file.get(), bytes.data(), bytes.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      throw_io("write", path, errno);
    }
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

void write_all(const FileHandle& file, std::string_view text, const std::filesystem::path& path) {
  write_all(file, std::as_bytes(std::span(text.data(), text.size())), path);
}

std::size_t read_at(const FileHandle& file, std::uint64_t offset, std::span<std::byte> bytes,
                    const std::filesystem::path& path) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t count = ::pread(file.get(), bytes.data() + done, bytes.size() - done,
                                  static_cast<off_t>(offset + done));
    if (count < 0) {
      if (errno == EINTR) continue;
      throw_io("read", path, errno);
    }
    if (count == 0) break;
    done += static_cast<std::size_t>(count);
  }
  return done;
}

void write_at(const FileHandle& file, std::uint64_t offset, std::span<const std::byte> bytes,
              const std::filesystem::path& path) {
  while (!bytes.empty()) {
    const ssize_t written =
        ::pwrite(file.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written < 0) {
      if (errno == EINTR) continue;
      throw_io("write", path, errno);
    }
    bytes = bytes.subspan(static_cast<std::size_t>(written));
    offset += static_cast<std::uint64_t>(written);
  }
}

void truncate_file(const FileHandle& file, std::uint64_t nbytes,
                   const std::filesystem::path& path) {
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) throw_io("inspect", path, errno);
  if (!S_ISREG(status.st_mode)) return;
  if (::ftruncate(file.get(), static_cast<off_t>(nbytes)) != 0 ||
      ::lseek(file.get(), static_cast<off_t>(nbytes), SEEK_SET) < 0) {
    throw_io("truncate", path, errno);
  }
}

void sync_file(const FileHandle& file, const std::filesystem::path& path) {
  if (::fsync(file.get()) != 0) throw_io("sync", path, errno);
}

void sync_directory(const std::filesystem::path& directory) {
  const int fd = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) throw_io("open directory", directory, errno);
  sync_file(FileHandle(fd), directory);
}

std::string read_text(const std::filesystem::path& path, OpenMode mode) {
  const FileHandle file = open_file(path, mode);
  std::string text;
  char buffer[1 << 16];
  for (;;) {
    const ssize_t count = ::read(file.get(), buffer, sizeof buffer);
    if (count < 0) {
      if (errno == EINTR) continue;
      throw_io("read", path, errno);
    }
    if (count == 0) return text;
    text.append(buffer, static_cast<std::size_t>(count));
  }
}

void make_directories(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) throw_io("create directory", path, error.value());
}

MappedFile::MappedFile(const std::filesystem::path& path)
    : file_(open_file(path, OpenMode::read)), path_(path) {
  struct stat status {};
  if (::fstat(file_.get(), &status) != 0) throw_io("inspect", path, errno);
  if (status.st_size == 0) return;
  const auto size = static_cast<std::size_t>(status.st_size);
  void* address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file_.get(), 0);
  if (address == MAP_FAILED) throw_io("map", path, errno);
  bytes_ = {static_cast<const std::byte*>(address), size};
}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  std::swap(file_, other.file_);
  std::swap(path_, other.path_);
  return *this;
}

void MappedFile::require_whole() const {
  struct stat status {};
  if (::fstat(file_.get(), &status) != 0) throw_io("inspect", path_, errno);
  if (static_cast<std::uint64_t>(status.st_size) >= bytes_.size()) return;
  throw Error(ErrorCode::corrupt_data,
              fmt::format("{}: expected {} bytes, as when it was opened, found {}: the file must "
                          "stay as it is while it is used",
                          path_.string(), bytes_.size(), status.st_size));
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

}  // namespace megascale
