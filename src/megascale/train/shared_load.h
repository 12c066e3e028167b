#ifndef MEGASCALE_TRAIN_SHARED_LOAD_H_
#define MEGASCALE_TRAIN_SHARED_LOAD_H_

#include <optional>
#include <span>

#include "megascale/comm/coordination.h"
#include "megascale/train/checkpointing.h"

// Loading of a checkpoint by all ranks of a job, from storage that they share.
namespace megascale::train {

// Fills the targets of all ranks. Each byte of the checkpoint is read once for all near ranks that
// need it (Coordination::near): one of them reads it, compares its digest, and passes it on. All
// ranks call it together, with the same checkpoint. Returns, on all ranks, why the checkpoint must not
// be used: its bytes were changed, or cannot be read. Then targets hold any values. Throws Error if
// ranks are lost.
//
// Memory  a block for sending and one for receiving, and a bit for each near rank and piece.
// Traffic each shared byte travels to the ranks that need it; all near ranks take part in each transfer.
[[nodiscard]] std::optional<Error> load_together(comm::Coordination& coordination,
                                                 const checkpoint::Opened& opened,
                                                 std::span<const Target> targets);

}  // namespace megascale::train

#endif  // MEGASCALE_TRAIN_SHARED_LOAD_H_
