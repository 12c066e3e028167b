#ifndef MEGASCALE_TRAIN_CHECKPOINTING_H_
#define MEGASCALE_TRAIN_CHECKPOINTING_H_

#include <cstdint>
#include <filesystem>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "megascale/checkpoint/open.h"
#include "megascale/checkpoint/save.h"
#include "megascale/comm/coordination.h"
#include "megascale/engine/state_tensors.h"

// Saves the state of a training to checkpoints of logical tensors, and loads it from them.
namespace megascale::train {

// Returns the pieces that this rank saves: weights, then moments if the parts have them. Parts
// without StatePart::saved are left out. The pieces borrow the values of the parts.
[[nodiscard]] std::vector<checkpoint::Piece> pieces_of(std::span<const engine::StatePart> parts);

// Returns the names of the model's tensors on one stage, including those of the moments.
using TensorNames = std::set<std::string, std::less<>>;
[[nodiscard]] TensorNames tensor_names(const plan::ModelState& state);

// Throws Error (bad_input) if the checkpoint holds a tensor that the model lacks; names it.
void require_known_tensors(const checkpoint::Opened& opened, const TensorNames& model);

// Fills the parts from a checkpoint, which may have been saved with any layout of ranks. Throws
// Error (bad_input) naming the tensor if the checkpoint lacks it or has it with another shape or
// dtype; also the errors of Opened::read(). load_weights() leaves the moments as they are.
void load_parts(const checkpoint::Opened& opened, std::span<const engine::StatePart> parts);
void load_weights(const checkpoint::Opened& opened, std::span<const engine::StatePart> parts);

// How the ranks of a job save a checkpoint together.
struct JointSave {
  std::filesystem::path directory;
  std::int64_t keep_last = 0;  // SaveOptions::keep_last
  // Returns the epoch of the run as the owner of the directory. Rank 0 calls it before it makes the
  // first file, and again right before the commit. If it throws an Error, nothing is committed. May
  // be empty.
  std::function<std::int64_t()> require_owner;
  checkpoint::ActionHook before_action;   // SaveOptions::before_action
  checkpoint::WritePace* pace = nullptr;  // SaveOptions::pace
};
// Of rank 0; empty on other ranks.
struct JointSaveReport {
  std::uint64_t nbytes = 0;        // of the pieces of all ranks
  std::vector<std::string> notes;  // SaveReport::notes
};
// Saves a checkpoint. All ranks of a job call it: each writes its pieces, and rank 0 commits. If
// any rank fails, it throws the same Error on every rank, and former checkpoints are unchanged.
JointSaveReport save_together(comm::Coordination& coordination, const JointSave& save,
                              const checkpoint::RunState& state,
                              std::span<const checkpoint::Piece> pieces);

}  // namespace megascale::train

#endif  // MEGASCALE_TRAIN_CHECKPOINTING_H_
