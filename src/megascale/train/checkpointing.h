#ifndef MEGASCALE_TRAIN_CHECKPOINTING_H_
#define MEGASCALE_TRAIN_CHECKPOINTING_H_

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "megascale/checkpoint/open.h"
#include "megascale/checkpoint/shard.h"
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

// Returns the files of the checkpoint from which load_parts() would read.
[[nodiscard]] std::set<std::string> files_with(const checkpoint::Manifest& manifest,
                                               std::span<const engine::StatePart> parts);

// Values of a part: a box of a logical tensor, and where they go.
struct Target {
  std::string name;
  checkpoint::Box box;
  std::span<std::byte> out;
};
// Returns the targets that fill the parts from a checkpoint, which may have been saved with any layout
// of ranks; without the moments if only the weights are wanted. Throws Error (bad_input) naming the
// tensor if the checkpoint lacks it or has it with another shape or dtype.
enum class Wanted : std::uint8_t { everything, weights };
[[nodiscard]] std::vector<Target> targets_of(const checkpoint::Opened& opened,
                                             std::span<const engine::StatePart> parts,
                                             Wanted wanted = Wanted::everything);

// Fills the parts from a checkpoint. Throws the errors of targets_of() and Opened::read().
void load_parts(const checkpoint::Opened& opened, std::span<const engine::StatePart> parts);

}  // namespace megascale::train

#endif  // MEGASCALE_TRAIN_CHECKPOINTING_H_
