// checkpoint.dir may lie outside of the run directory, and two runs could share it. So it has an
// owner of its own.
#include "megascale/train/run_files.h"

#include <fmt/format.h>

#include <system_error>

#include "megascale/base/files.h"
#include "megascale/checkpoint/save.h"

namespace megascale::train {

void RunFiles::own(std::optional<DirectoryOwner>& owner, const std::filesystem::path& path,
                   const OnMessage& on_message) const {
  make_directories(path);
  owner = DirectoryOwner(path, attempt_);  // if this throws, the former owner stays
  if (owner->is_locked()) return;
  if (!owner->taken_from().empty()) {
    on_message(
        fmt::format("note: {} was taken over from an earlier attempt, which can no longer save: {}",
                    path.string(), owner->taken_from()));
    return;
  }
  on_message(
      fmt::format("note: the file system of {} has no locks, so a second run in it would not "
                  "be noticed",
                  path.string()));
}

RunFiles::RunFiles(const Config& config, const OnMessage& on_message, std::int64_t attempt)
    : attempt_(attempt) {
  const std::filesystem::path run = config.train.run_dir,
                              checkpoints = checkpoint_directory(config);
  own(run_, run, on_message);
  std::error_code ignored;
  if (!std::filesystem::equivalent(run, checkpoints, ignored))
    own(checkpoints_, checkpoints, on_message);
  // After this process has become the owner: a save that begins later asks who that is.
  if (attempt > 0) {
    for (const auto& save : checkpoint::fence_saves(checkpoints))
      on_message(fmt::format("removed {}, a save of an earlier attempt", save.string()));
  }
  for (const auto& leftover : checkpoint::remove_leftovers(checkpoints))
    on_message(fmt::format("removed {}, which an unfinished save had left", leftover.string()));
}

void RunFiles::take_again(const Config& config, const OnMessage& on_message) {
  const std::lock_guard lock(mutex_);
  if (!run_->is_in_place()) own(run_, config.train.run_dir, on_message);
  if (checkpoints_ && !checkpoints_->is_in_place())
    own(checkpoints_, checkpoint_directory(config), on_message);
}

std::string RunFiles::identity() const {
  const std::lock_guard lock(mutex_);
  return run_->identity();
}

std::int64_t RunFiles::require_owner() const {
  const std::lock_guard lock(mutex_);
  run_->require();
  if (!checkpoints_) return run_->epoch();
  checkpoints_->require();
  return checkpoints_->epoch();
}

}  // namespace megascale::train
