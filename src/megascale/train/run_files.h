#ifndef MEGASCALE_TRAIN_RUN_FILES_H_
#define MEGASCALE_TRAIN_RUN_FILES_H_

#include <mutex>
#include <optional>
#include <string>

#include "megascale/config/config.h"
#include "megascale/train/directory_owner.h"
#include "megascale/train/start_point.h"

namespace megascale::train {

// The directories that a run writes to, owned by this process (rank 0) as long as the object lives:
// the run directory, and the directory of checkpoints. Any thread may use it.
class RunFiles {
 public:
  // Creates the directories, becomes their owner, and removes what unfinished saves of earlier
  // owners have left. With `attempt` (DirectoryOwner) it also ends the saves of earlier attempts that
  // are under way. Reports removals, earlier owners and missing locks to `on_message`. Throws the
  // errors of DirectoryOwner; io.
  RunFiles(const Config& config, const OnMessage& on_message, std::int64_t attempt = 0);
  // Returns the epoch of this owner of the directory of checkpoints. Throws Error (failed) if another
  // run has become the owner of any directory.
  std::int64_t require_owner() const;
  // Returns DirectoryOwner::identity() of the run directory.
  [[nodiscard]] std::string identity() const;
  // Becomes the owner again of directories that were moved or deleted, and creates them. Throws the
  // errors of DirectoryOwner: another run may have begun there.
  void take_again(const Config& config, const OnMessage& on_message);

 private:
  void own(std::optional<DirectoryOwner>& owner, const std::filesystem::path& path,
           const OnMessage& on_message) const;
  std::int64_t attempt_;
  mutable std::mutex mutex_;
  std::optional<DirectoryOwner> run_, checkpoints_;
};

}  // namespace megascale::train

#endif  // MEGASCALE_TRAIN_RUN_FILES_H_
