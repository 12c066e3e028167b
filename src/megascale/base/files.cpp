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
  if (mode == OpenMode::read) flags |= O_RDONLY;
  if (mode == OpenMode::create) flags |= O_WRONLY | O_CREAT | O_TRUNC;
  if (mode == OpenMode::append) flags |= O_WRONLY | O_CREAT | O_APPEND;
  const int fd = ::open(path.c_str(), flags, 0644);
  if (fd < 0) throw_io(mode == OpenMode::read ? "read" : "write", path, errno);
  return FileHandle(fd);
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

void sync_file(const FileHandle& file, const std::filesystem::path& path) {
  if (::fsync(file.get()) != 0) throw_io("sync", path, errno);
}

void sync_directory(const std::filesystem::path& directory) {
  const int fd = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) throw_io("open directory", directory, errno);
  sync_file(FileHandle(fd), directory);
}

std::string read_text(const std::filesystem::path& path) {
  const FileHandle file = open_file(path, OpenMode::read);
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

void write_text_atomically(const std::filesystem::path& path, std::string_view text) {
  std::filesystem::path beside = path;
  beside += ".partial";
  {
    const FileHandle file = open_file(beside, OpenMode::create);
    write_all(file, text, beside);
    sync_file(file, beside);
  }
  if (::rename(beside.c_str(), path.c_str()) != 0) throw_io("rename to", path, errno);
  sync_directory(path.has_parent_path() ? path.parent_path() : std::filesystem::path("."));
}

void make_directories(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) throw_io("create directory", path, error.value());
}

MappedFile::MappedFile(const std::filesystem::path& path) {
  const FileHandle file = open_file(path, OpenMode::read);
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) throw_io("inspect", path, errno);
  if (!S_ISREG(status.st_mode)) throw_io("map (not a regular file)", path, EINVAL);
  if (status.st_size == 0) return;
  const auto size = static_cast<std::size_t>(status.st_size);
  void* address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (address == MAP_FAILED) throw_io("map", path, errno);
  bytes_ = {static_cast<const std::byte*>(address), size};
}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  return *this;
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

}  // namespace megascale
