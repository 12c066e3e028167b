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

// Every change that a save makes to the disk goes through a Storage, in the order of the calls, so
// that a test can stop or refuse each one. All functions throw Error (io) that names the path and
// the reason.
namespace megascale::checkpoint {

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

// Called before every action with the path it changes (for a rename: the new name). May throw, then
// the action does not happen.
using ActionHook = std::function<void(Action, const std::filesystem::path&)>;

class Storage {
 public:
  explicit Storage(ActionHook before = {}) : before_(std::move(before)) {}
  void create_directory(const std::filesystem::path& path) const;  // one that does not exist
  // Those of the path that are missing, each made durable in its parent.
  void create_directories(const std::filesystem::path& path) const;
  [[nodiscard]] FileHandle create_file(
      const std::filesystem::path& path) const;  // one that does not exist
  // In blocks of kBlock, each an action of its own.
  void write(const FileHandle& file, std::span<const std::byte> bytes,
             const std::filesystem::path& path) const;
  // After it the bytes are on the disk, and no longer in the page cache where the system lets go of
  // them: reading back then reads the disk.
  void sync(const FileHandle& file, const std::filesystem::path& path) const;
  void sync_directory(const std::filesystem::path& path) const;
  void rename(const std::filesystem::path& from, const std::filesystem::path& to) const;
  // Swaps two names at once. False where the file system cannot.
  [[nodiscard]] bool exchange(const std::filesystem::path& from,
                              const std::filesystem::path& to) const;
  void remove_all(const std::filesystem::path& path) const;

  static constexpr std::size_t kBlock = std::size_t{4} << 20;

 private:
  void before(Action action, const std::filesystem::path& path) const {
    if (before_) before_(action, path);
  }
  ActionHook before_;
};

// A file that is read with pread: a failing disk is an Error, not a signal. Threads may share it.
class ReadFile {
 public:
  explicit ReadFile(std::filesystem::path path);
  [[nodiscard]] std::uint64_t nbytes() const noexcept { return nbytes_; }  // when it was opened
  // Fills `out` from `offset`; the file ending before that is an Error (corrupt_data).
  void read(std::uint64_t offset, std::span<std::byte> out) const;
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
  FileHandle file_;
  std::uint64_t nbytes_ = 0;
};

// Throws Error (io) where the file system of `directory` has less than `nbytes` free for this user.
void require_space(const std::filesystem::path& directory, std::uint64_t nbytes,
                   std::string_view purpose);
// Keeps other processes from saving to `directory`, until the handle is closed or the process ends,
// however it ends. Throws Error (failed) when another holds it.
[[nodiscard]] FileHandle lock_directory(const std::filesystem::path& directory);
// 128 random bits of the system as 32 hexadecimal digits.
[[nodiscard]] std::string random_id();
// Bytes of the files below `path`; what cannot be read counts 0.
[[nodiscard]] std::uint64_t directory_nbytes(const std::filesystem::path& path);

}  // namespace megascale::checkpoint

#endif  // MEGASCALE_CHECKPOINT_STORAGE_H_
