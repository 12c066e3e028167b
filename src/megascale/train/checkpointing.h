#ifndef MEGASCALE_TRAIN_CHECKPOINTING_H_
#define MEGASCALE_TRAIN_CHECKPOINTING_H_

#include <cstdint>
#include <set>
#include <span>
#include <string>

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

// Saves a checkpoint. All ranks of a job call it: each writes its pieces, and rank 0 commits. If
// any rank fails, it throws the same Error on every rank, and former checkpoints are unchanged.
// Returns SaveReport::notes on rank 0, nothing on other ranks.
std::vector<std::string> save_together(comm::Coordination& coordination,
                                       const std::filesystem::path& directory,
                                       const checkpoint::RunState& state,
                                       std::span<const checkpoint::Piece> pieces,
                                       std::int64_t keep_last);

}  // namespace megascale::train

#endif  // MEGASCALE_TRAIN_CHECKPOINTING_H_
