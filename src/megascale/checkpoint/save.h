#ifndef MEGASCALE_CHECKPOINT_SAVE_H_
#define MEGASCALE_CHECKPOINT_SAVE_H_

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "megascale/checkpoint/manifest.h"
#include "megascale/checkpoint/shard.h"
#include "megascale/checkpoint/storage.h"

// Saving. A checkpoint is written beside (DIR/.partial-step-00000200-GENERATION), every file synced
// and read back, the directory synced, and committed by one rename to DIR/step-00000200; the parent
// is synced after it. So whenever the process or the machine stops, DIR holds the checkpoints it
// held before, or those and the new one; never a part under a committed name. Partial directories
// are ignored by readers; a later successful save removes and reports them.
namespace megascale::checkpoint {

struct SaveOptions {
  std::int64_t rank = 0, world_size = 1;
  std::int64_t keep_last = 0;  // checkpoints up to this step, the new one included; 0 = all
  std::uint64_t shard_nbytes_max = std::uint64_t{4} << 30;  // a larger piece gets a file of its own
  ActionHook before_action;                                 // tests
};

struct SaveReport {
  std::filesystem::path path;  // of the committed checkpoint
  std::uint64_t nbytes = 0;    // of its files
  std::vector<std::filesystem::path>
      removed;  // older checkpoints beyond keep_last, and leftovers of saves that did not finish
  std::vector<std::string> notes;  // what did not work after the commit, which stays good
};

// Saves on one rank: the three steps below. `directory` is made where it is missing. An existing
// checkpoint of the same step is replaced, by one exchange of the two directories. Throws Error,
// and then all former checkpoints are as they were: no space (checked first), no permission, a full
// disk, a piece that is missing or there twice, another process saving here. Retention: after the
// commit, checkpoints older than the keep_last newest good ones up to this step are removed (good:
// its manifest, headers and sizes are right); the new one, whose every byte was read back from the
// disk, and those of later steps never are.
SaveReport save(const std::filesystem::path& directory, const RunState& state,
                std::span<const Piece> pieces, const SaveOptions& options = {});

// The steps, for several ranks. Rank 0 begins and sends `partial`, `generation` and `step` to all;
// every rank writes its shards and sends the result (to_text) to rank 0; rank 0 commits. Each
// element must be in the pieces of exactly one rank.
struct PendingSave {
  std::filesystem::path directory;
  std::filesystem::path partial;  // empty once the save is committed
  std::string generation;
  std::int64_t step = 0;
  FileHandle lock;  // of `directory`: held by rank 0 until it commits or gives up
};
// `nbytes`: of the pieces of all ranks, for the check of space.
[[nodiscard]] PendingSave begin_save(const std::filesystem::path& directory, std::int64_t step,
                                     std::uint64_t nbytes, const SaveOptions& options = {});
// Any rank; the directory of `pending` must be the same file system on all. Its lock is not needed
// here.
[[nodiscard]] std::vector<ShardFile> write_shards(const PendingSave& pending,
                                                  std::span<const Piece> pieces,
                                                  const SaveOptions& options = {});
// Rank 0, when every rank has written. Needs state.step == pending.step. After an Error the caller
// abandons.
SaveReport commit_save(PendingSave& pending, const RunState& state, std::vector<ShardFile> shards,
                       const SaveOptions& options = {});
// Rank 0, when a rank or the commit has failed: removes what this save has written, unless it is
// committed. Never throws.
void abandon_save(const PendingSave& pending, const SaveOptions& options = {}) noexcept;

}  // namespace megascale::checkpoint

#endif  // MEGASCALE_CHECKPOINT_SAVE_H_
