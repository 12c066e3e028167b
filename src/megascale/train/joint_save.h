#ifndef MEGASCALE_TRAIN_JOINT_SAVE_H_
#define MEGASCALE_TRAIN_JOINT_SAVE_H_

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "megascale/checkpoint/save.h"
#include "megascale/comm/coordination.h"
#include "megascale/train/host_layout.h"

// Saving of a checkpoint by all ranks of a job.
namespace megascale::train {

// The ranks of several hosts, which do not share memory (host_save.h).
struct HostPlan {
  HostLayout layout;
  PeerChoice peers;
};

// How the ranks of a job save a checkpoint together.
struct JointSave {
  std::filesystem::path directory;
  std::int64_t keep_last = 0;  // SaveOptions::keep_last
  // Returns the epoch of the run as the owner of the directory. Rank 0 calls it before it makes the
  // first file, and again right before the commit. If it throws an Error, nothing is committed. May
  // be empty.
  std::function<std::int64_t()> require_owner;
  std::optional<checkpoint::AttemptMark> attempt = {};  // SaveOptions::attempt
  std::int64_t next_interval = 0;                       // JointSaveReport::next_interval; of rank 0
  checkpoint::ActionHook before_action;                 // SaveOptions::before_action
  checkpoint::WritePace* pace = nullptr;                // SaveOptions::pace
  // Set: `directory` is in the memory of each host. Otherwise all ranks see the same directory.
  std::optional<HostPlan> hosts = {};
};
// Of rank 0; other ranks only have the times and the interval.
struct JointSaveReport {
  std::uint64_t nbytes = 0;        // of the pieces of all ranks
  double written_seconds = 0;      // from the call until all ranks knew that it is committed
  double read_back_seconds = 0;    // from then until all ranks had read back what they wrote
  std::int64_t next_interval = 0;  // JointSave::next_interval, on all ranks
  std::vector<std::string> notes;  // SaveReport::notes
};
// Returns the options of a rank's part of a save.
[[nodiscard]] checkpoint::SaveOptions save_options(const comm::Coordination& coordination,
                                                   const JointSave& save);
// Saves a checkpoint. All ranks of a job call it: each writes its pieces, rank 0 commits, and each
// reads its pieces back. If any rank fails, it throws the same Error on every rank, and former
// checkpoints are unchanged.
JointSaveReport save_together(comm::Coordination& coordination, const JointSave& save,
                              const checkpoint::RunState& state,
                              std::span<const checkpoint::Piece> pieces);

}  // namespace megascale::train

#endif  // MEGASCALE_TRAIN_JOINT_SAVE_H_
