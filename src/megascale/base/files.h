#ifndef MEGASCALE_BASE_FILES_H_
#define MEGASCALE_BASE_FILES_H_

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>

// Reading, writing, mapping and syncing of files. All functions throw Error (io), which names the
// path and the reason, unless their comment says otherwise. Any thread may call them.
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

enum class OpenMode {
  read,    // the file must exist
  create,  // for writing; an existing file is emptied
  append   // for writing at the end; the file is created if it does not exist
};
[[nodiscard]] FileHandle open_file(const std::filesystem::path& path, OpenMode mode);
// Writes all of `bytes`. `path` is used in the message of an error only.
void write_all(const FileHandle& file, std::span<const std::byte> bytes,
               const std::filesystem::path& path);
void write_all(const FileHandle& file, std::string_view text, const std::filesystem::path& path);
// Wait until a file's content is on the disk (fsync). For a directory: until the names in it are,
// so that a rename is durable.
void sync_file(const FileHandle& file, const std::filesystem::path& path);
void sync_directory(const std::filesystem::path& directory);

// Returns the whole content of a file.
[[nodiscard]] std::string read_text(const std::filesystem::path& path);
// Replaces the content of `path`: writes PATH.partial, syncs it, and renames it to `path`. A reader
// sees the old or the new content, never a mixture, also after a crash.
void write_text_atomically(const std::filesystem::path& path, std::string_view text);
// Creates a directory and its missing parents. An existing directory is no error.
void make_directories(const std::filesystem::path& path);

// A regular file mapped into memory, read-only and as a whole. An empty file gives an empty span.
// The span is valid as long as the object lives.
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
