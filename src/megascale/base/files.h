#ifndef MEGASCALE_BASE_FILES_H_
#define MEGASCALE_BASE_FILES_H_

#include <cstddef>
#include <cstdint>
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

// Only read_stream waits for another process. The other modes refuse a FIFO, unless it is opened
// for writing and a process reads it.
enum class OpenMode {
  read,         // a regular file, which must exist
  read_stream,  // also a FIFO or a device; waits until a process writes to the FIFO
  create,       // for writing; an existing file is emptied
  append,       // for writing at the end; the file is created if it does not exist
  update        // for reading and writing; the file is created if it does not exist, else kept
};
[[nodiscard]] FileHandle open_file(const std::filesystem::path& path, OpenMode mode);
// Writes all of `bytes`. `path` is used in the message of an error only.
void write_all(const FileHandle& file, std::span<const std::byte> bytes,
               const std::filesystem::path& path);
void write_all(const FileHandle& file, std::string_view text, const std::filesystem::path& path);
// Reads up to bytes.size() bytes from the byte `offset` on. Returns their number, which is smaller
// only at the end of the file.
[[nodiscard]] std::size_t read_at(const FileHandle& file, std::uint64_t offset,
                                  std::span<std::byte> bytes, const std::filesystem::path& path);
// Writes all of `bytes` from the byte `offset` on.
void write_at(const FileHandle& file, std::uint64_t offset, std::span<const std::byte> bytes,
              const std::filesystem::path& path);
// Makes a regular file `nbytes` long, and sets the place of the next write to its end. Does nothing
// to another kind of file.
void truncate_file(const FileHandle& file, std::uint64_t nbytes, const std::filesystem::path& path);
// Wait until a file's content is on the disk (fsync). For a directory: until the names in it are,
// so that a rename is durable.
void sync_file(const FileHandle& file, const std::filesystem::path& path);
void sync_directory(const std::filesystem::path& directory);

// Returns the whole content of a file. `mode` is read or read_stream.
[[nodiscard]] std::string read_text(const std::filesystem::path& path,
                                    OpenMode mode = OpenMode::read);
// Replaces the content of a regular file: writes PATH.partial, syncs it, and renames it to `path`.
// A reader sees the old or the new content, never a mixture, also after a crash. The file keeps its
// permissions. A symbolic link stays: the file that it names is replaced. Anything else is written
// through and never replaced: a device, a FIFO, and /dev/stdout or /dev/fd/N, which is written as
// the open descriptor of this process. A FIFO without a reader is an error after 10 seconds.
void write_text_atomically(const std::filesystem::path& path, std::string_view text);
// Returns the path of the regular file that a writer of `path` must replace: `path`, or the end of
// its symbolic links. The file need not exist. Throws Error (io) if it is a device, a FIFO or a
// socket, which a rename would destroy.
[[nodiscard]] std::filesystem::path replaceable_file(const std::filesystem::path& path);
// Creates a directory and its missing parents. An existing directory is no error.
void make_directories(const std::filesystem::path& path);

// A regular file mapped into memory, read-only and as a whole. An empty file gives an empty span.
// The span is valid as long as the object lives.
class MappedFile {
 public:
  MappedFile() noexcept = default;
  explicit MappedFile(const std::filesystem::path& path);
  MappedFile(MappedFile&& other) noexcept { *this = std::move(other); }
  MappedFile& operator=(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();
  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return bytes_; }
  // Throws Error (corrupt_data) if the file has become shorter since it was mapped: reading the
  // missing bytes would end the process with SIGBUS.
  void require_whole() const;

 private:
  std::span<const std::byte> bytes_;
  FileHandle file_;
  std::filesystem::path path_;
};

}  // namespace megascale

#endif  // MEGASCALE_BASE_FILES_H_
