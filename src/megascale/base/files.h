#ifndef MEGASCALE_BASE_FILES_H_
#define MEGASCALE_BASE_FILES_H_

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>

// Files with errors that name the path and the reason. All functions throw Error (io) unless they
// say otherwise.
namespace megascale {

// An owned file descriptor, closed on destruction.
class FileHandle {
 public:
  FileHandle() noexcept = default;
  explicit FileHandle(int fd) noexcept : fd_(fd) {}
  FileHandle(FileHandle&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileHandle& operator=(FileHandle&& other) noexcept;
  FileHandle(const FileHandle&) = delete;
  FileHandle& operator=(const FileHandle&) = delete;
  ~FileHandle();
  [[nodiscard]] int get() const noexcept { return fd_; }

 private:
  int fd_ = -1;
};

enum class OpenMode { read, create, append };
[[nodiscard]] FileHandle open_file(const std::filesystem::path& path, OpenMode mode);
// Writes all of `bytes`; a full disk is an Error that names the path.
void write_all(const FileHandle& file, std::span<const std::byte> bytes,
               const std::filesystem::path& path);
void write_all(const FileHandle& file, std::string_view text, const std::filesystem::path& path);
// fsync of an open file, and of a directory (so that a rename in it is durable).
void sync_file(const FileHandle& file, const std::filesystem::path& path);
void sync_directory(const std::filesystem::path& directory);

[[nodiscard]] std::string read_text(const std::filesystem::path& path);
// Replaces `path` as a whole: written beside, synced, renamed. A reader sees the old or the new
// content, never a part.
void write_text_atomically(const std::filesystem::path& path, std::string_view text);
void make_directories(const std::filesystem::path& path);

// A whole file mapped read-only. An empty file maps to an empty span.
class MappedFile {
 public:
  MappedFile() noexcept = default;
  explicit MappedFile(const std::filesystem::path& path);
  MappedFile(MappedFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}
  MappedFile& operator=(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();
  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return bytes_; }

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace megascale

#endif  // MEGASCALE_BASE_FILES_H_
