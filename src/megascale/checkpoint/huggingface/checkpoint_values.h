#ifndef MEGASCALE_CHECKPOINT_HUGGINGFACE_CHECKPOINT_VALUES_H_
#define MEGASCALE_CHECKPOINT_HUGGINGFACE_CHECKPOINT_VALUES_H_

#include <vector>

#include "megascale/checkpoint/huggingface/tensor_map.h"
#include "megascale/checkpoint/open.h"

// What exports read of a checkpoint. Internal to this folder.
namespace megascale::checkpoint::huggingface {

// Returns the model that the configuration in the checkpoint describes. Throws Error: unsupported if
// Hugging Face cannot express it, bad_input if the checkpoint has too few tensors for its layers.
[[nodiscard]] ModelConfig exportable_model(const Opened& checkpoint);
// Throws Error (bad_input) unless the checkpoint has our tensor of the mapping, in its shape.
void check_tensor(const Opened& checkpoint, const TensorMapping& mapping);
// Returns the part of our tensor that the mapping means, as it is in the checkpoint.
[[nodiscard]] std::vector<float> read_values(const Opened& checkpoint,
                                             const TensorMapping& mapping);

}  // namespace megascale::checkpoint::huggingface

#endif  // MEGASCALE_CHECKPOINT_HUGGINGFACE_CHECKPOINT_VALUES_H_
