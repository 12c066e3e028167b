#ifndef MEGASCALE_TRAIN_DIRECTORY_OWNER_H_
#define MEGASCALE_TRAIN_DIRECTORY_OWNER_H_

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "megascale/base/files.h"

namespace megascale::train {

// Makes this process the one owner of a directory, so that two runs never write to the same files.
// The directory gets a file ".owner", which is locked (flock) as long as this object lives and says
// who the owner is: host, process, start, and the epoch, a number that grows by one with every
// owner. A random id of the directory passes from owner to owner. The system takes the lock away when
// the process ends for any reason, so a killed run does not block the next one. One thread may use
// it.
//
// A driver gives each attempt of a job a number, its epoch. An attempt takes the directory over from
// an earlier one, although that still holds the lock: its process hangs, or runs on a host that
// nobody reaches. When it goes on, require() tells it.
class DirectoryOwner {
 public:
  static constexpr std::string_view kFileName = ".owner";

  // What the file of the last owner says; empty and 0 if there is none.
  struct Named {
    std::string host;
    std::int64_t attempt = 0;
    std::int64_t process = 0;
  };
  [[nodiscard]] static Named last_owner(const std::filesystem::path& directory);

  // The directory must exist. `attempt` is the epoch of the attempt; 0: no driver watches the run.
  // Throws Error: failed if another process owns it (names that process), or io. If the file system
  // has no locks, the object is made all the same; see is_locked().
  explicit DirectoryOwner(std::filesystem::path directory, std::int64_t attempt = 0);
  [[nodiscard]] bool is_locked() const noexcept { return locked_; }
  // Locks the directory if the owner before has let it go by now.
  void lock_if_free() noexcept;
  // The owner of an earlier attempt, which still holds the lock; empty if there is none.
  [[nodiscard]] const std::string& taken_from() const noexcept { return taken_from_; }
  [[nodiscard]] std::int64_t epoch() const noexcept { return epoch_; }
  // Returns 16 hexadecimal digits that name the directory: the same for all its owners, also after
  // it was renamed, and others for a copy of it.
  [[nodiscard]] std::string identity() const;
  // Throws Error (failed) if the directory has another owner now, because somebody removed the file
  // or the file system has lost the lock.
  void require() const;
  // Returns whether the file that this object has locked is still the one of that name. It is not if
  // the directory was moved or deleted.
  [[nodiscard]] bool is_in_place() const noexcept;

 private:
  std::filesystem::path directory_;
  FileHandle file_;
  bool locked_ = true;
  std::int64_t epoch_ = 0;
  std::string id_;      // of the directory
  std::string record_;  // the content that this owner wrote
  std::string taken_from_;
};

}  // namespace megascale::train

#endif  // MEGASCALE_TRAIN_DIRECTORY_OWNER_H_
