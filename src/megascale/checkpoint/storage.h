#ifndef MEGASCALE_CHECKPOINT_STORAGE_H_
#define MEGASCALE_CHECKPOINT_STORAGE_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "megascale/base/files.h"
#include "megascale/checkpoint/write_pace.h"

// Access to the disk for checkpoints. A save makes every change through a Storage, one action at a
// time and in the order of the calls. A test can therefore stop a save before each action, as a
// crash would, or let an action fail. Unless said otherwise, functions throw Error (io) that names
// the path and the reason.
namespace megascale::checkpoint {

// The kinds of changes that a Storage makes.
enum class Action : std::uint8_t {
  create_directory,
  create_file,
  write,
  sync_file,
  sync_directory,
  rename,
  remove
};
[[nodiscard]] std::string_view to_string(Action action) noexcept;

// Called before every action with the path that it changes (for a rename, the new name). If the
// hook throws, the action does not happen.
using ActionHook = std::function<void(Action, const std::filesystem::path&)>;

// Makes changes to the disk, durable only after the matching sync call. Holds nothing but the hook
// and a pointer; threads may share it if the hook allows that.
class Storage {
 public:
  // `pace` decides when a block is written, and may end the writing with its Error; null: at once.
  // It must outlive this object.
  explicit Storage(ActionHook before = {}, WritePace* pace = nullptr)
      : before_(std::move(before)), pace_(pace) {}
  // The directory must not exist.
  void create_directory(const std::filesystem::path& path) const;
  // Creates the missing directories of the path, and syncs the parent of each.
  void create_directories(const std::filesystem::path& path) const;
  // Opens a new file for writing. The file must not exist.
  [[nodiscard]] FileHandle create_file(const std::filesystem::path& path) const;
  // Appends `bytes` in blocks of kBlock; each block is an action. `path` is used in messages. While
  // it writes, the system already brings earlier blocks of the file to the disk, so that at most
  // about 2 x kWindow bytes wait in memory, and the sync at the end is short.
  void write(const FileHandle& file, std::span<const std::byte> bytes,
             const std::filesystem::path& path) const;
  // Gives a new file the size `nbytes` and space for so many bytes, if its file system can do that.
  // Takes nothing if less is free.
  void reserve(const FileHandle& file, std::uint64_t nbytes,
               const std::filesystem::path& path) const;
  // For a caller that writes a block itself: waits for its turn, and calls the hook.
  void before_block(std::uint64_t nbytes, const std::filesystem::path& path) const;
  // Returns when the bytes are on the disk. Also asks the system to drop the file from the page
  // cache, so that reading it back reads the disk where the file system allows that.
  void sync(const FileHandle& file, const std::filesystem::path& path) const;
  // Returns when the directory's entries (created and renamed files) are on the disk.
  void sync_directory(const std::filesystem::path& path) const;
  // Gives a file or directory a name that must be free. Where the file system cannot insist on that
  // (RENAME_NOREPLACE), an empty directory of that name is replaced.
  void rename(const std::filesystem::path& from, const std::filesystem::path& to) const;
  // Exchanges two names atomically. Returns false if the file system does not support that.
  [[nodiscard]] bool exchange(const std::filesystem::path& from,
                              const std::filesystem::path& to) const;
  // Removes a file, or a directory with all its content, as one action.
  void remove_all(const std::filesystem::path& path) const;

  static constexpr std::size_t kBlock = std::size_t{4} << 20;
  static constexpr std::uint64_t kWindow = std::uint64_t{16} << 20;
  [[nodiscard]] WritePace* pace() const noexcept { return pace_; }

 private:
  void before(Action action, const std::filesystem::path& path) const {
    if (before_) before_(action, path);
  }
  ActionHook before_;
  WritePace* pace_;
};

// A regular file that is read with pread(), not mapped: a failing disk is then an Error, not a
// signal (SIGBUS). Several threads may read at the same time.
class ReadFile {
 public:
  // Opens the file. Throws Error (io) if it is missing, unreadable, or not a regular file.
  explicit ReadFile(std::filesystem::path path);
  // The size of the file when it was opened, in bytes.
  [[nodiscard]] std::uint64_t nbytes() const noexcept { return nbytes_; }
  // Fills `out` with the bytes from `offset` on. Throws Error (corrupt_data) if the file ends
  // before that.
  void read(std::uint64_t offset, std::span<std::byte> out) const;
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
  FileHandle file_;
  std::uint64_t nbytes_ = 0;
};

// Returns whether the file lies in a file system that keeps it in memory (tmpfs).
[[nodiscard]] bool is_in_memory(const FileHandle& file) noexcept;
// Throws Error (io) if the file system of `directory` has less than `nbytes` bytes free for this
// user. `purpose` begins the message.
void require_space(const std::filesystem::path& directory, std::uint64_t nbytes,
                   std::string_view purpose);
// Locks `directory` against saves of other processes. The lock is released when the handle is
// closed, or when the process ends for any reason. Throws Error (failed) if another process holds
// it.
[[nodiscard]] FileHandle lock_directory(const std::filesystem::path& directory);
// Returns 128 random bits of the operating system as 32 hexadecimal digits.
[[nodiscard]] std::string random_id();
// Returns the bytes of all files below `path`. Files that cannot be read count as 0. Never throws
// an Error.
[[nodiscard]] std::uint64_t directory_nbytes(const std::filesystem::path& path);

}  // namespace megascale::checkpoint

#endif  // MEGASCALE_CHECKPOINT_STORAGE_H_
