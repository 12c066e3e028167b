#ifndef MEGASCALE_TRAIN_HOST_SAVE_H_
#define MEGASCALE_TRAIN_HOST_SAVE_H_

#include <span>

#include "megascale/train/joint_save.h"

namespace megascale::train {

// Saves a copy of the state in the memory of several hosts: JointSave::hosts is set. Each host gets the
// manifest, the shards of its ranks, and those that its ranks keep for other hosts. Their digests are
// compared before the copy is committed, on each host by one rename. Older copies are removed when all
// hosts have committed: so if a job dies between the renames, all hosts still have the one before.
// Errors as save_together().
JointSaveReport save_on_hosts(comm::Coordination& coordination, const JointSave& save,
                              const checkpoint::RunState& state,
                              std::span<const checkpoint::Piece> pieces);

// Moves the files of shards between near ranks: every near rank gives the files `given` of its
// directory and gets the files `taken` of the near rank `offset` places after it. A file that exists is
// replaced. All near ranks of the job call it together. Throws Error on all ranks if one fails.
void exchange_files(comm::Coordination& coordination, std::uint32_t offset,
                    const std::filesystem::path& directory,
                    std::span<const checkpoint::ShardFile> given,
                    std::span<const checkpoint::ShardFile> taken, std::string_view about);

}  // namespace megascale::train

#endif  // MEGASCALE_TRAIN_HOST_SAVE_H_
