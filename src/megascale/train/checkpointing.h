#ifndef MEGASCALE_TRAIN_CHECKPOINTING_H_
#define MEGASCALE_TRAIN_CHECKPOINTING_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "megascale/checkpoint/open.h"
#include "megascale/checkpoint/save.h"
#include "megascale/config/config.h"
#include "megascale/engine/state_tensors.h"

// Between a rank's arena and checkpoints of logical tensors.
namespace megascale::train {

// Where the checkpoints of a run lie: checkpoint.dir, or run_dir/checkpoints.
[[nodiscard]] std::filesystem::path checkpoint_directory(const Config& config);

// Weights, and moments where the tensors have them, as the pieces of a save. Borrows the arena.
[[nodiscard]] std::vector<checkpoint::Piece> pieces_of(
    std::span<const engine::StateTensor> tensors);

// Fills the tensors from a checkpoint. Throws Error naming the tensor when the checkpoint is of
// another model: a shape differs, or one of the two has a tensor that the other lacks.
void load_tensors(const checkpoint::Opened& opened, std::span<const engine::StateTensor> tensors);

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
