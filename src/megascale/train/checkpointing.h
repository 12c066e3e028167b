#ifndef MEGASCALE_TRAIN_CHECKPOINTING_H_
#define MEGASCALE_TRAIN_CHECKPOINTING_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>

#include "megascale/checkpoint/open.h"
#include "megascale/checkpoint/save.h"
#include "megascale/comm/coordination.h"
#include "megascale/config/config.h"
#include "megascale/engine/state_tensors.h"

// Between a rank's state and checkpoints of logical tensors.
namespace megascale::train {

// Where the checkpoints of a run lie: checkpoint.dir, or run_dir/checkpoints.
[[nodiscard]] std::filesystem::path checkpoint_directory(const Config& config);

// Weights, and moments where the parts have them, as the pieces of a save: those that this rank
// saves. Borrows the parts' values.
[[nodiscard]] std::vector<checkpoint::Piece> pieces_of(std::span<const engine::StatePart> parts);

// Names and global shapes of the model's tensors, moments included.
using TensorNames = std::set<std::string, std::less<>>;
[[nodiscard]] TensorNames tensor_names(const plan::ModelState& state);

// Throws Error (bad_input) naming a tensor of the checkpoint that the model lacks.
void require_known_tensors(const checkpoint::Opened& opened, const TensorNames& model);

// Fills the parts from a checkpoint, whatever layout wrote it. Throws Error naming the tensor where
// the checkpoint is of another model: it lacks one, or its shape differs.
void load_parts(const checkpoint::Opened& opened, std::span<const engine::StatePart> parts);

// Saves a checkpoint with all ranks of a job: each writes its pieces, rank 0 commits. Collective.
// Throws the same Error on every rank where any has failed; former checkpoints are then as they
// were. Returns notes, on rank 0.
std::vector<std::string> save_together(comm::Coordination& coordination,
                                       const std::filesystem::path& directory,
                                       const checkpoint::RunState& state,
                                       std::span<const checkpoint::Piece> pieces,
                                       std::int64_t keep_last);

// The checkpoint that a run continues from: checkpoint.load where it is set (it must be good), else
// the newest good one of the run's own directory, if any. What was passed over goes to
// `on_message`.
[[nodiscard]] std::optional<checkpoint::Opened> open_for_resume(
    const Config& config, const std::function<void(const std::string&)>& on_message);

// Why the samples after this checkpoint would not be those that its own run would take next; empty
// where they are.
[[nodiscard]] std::string other_samples(const Config& config, const checkpoint::RunState& state);

}  // namespace megascale::train

#endif  // MEGASCALE_TRAIN_CHECKPOINTING_H_
