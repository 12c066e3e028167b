#ifndef MEGASCALE_CHECKPOINT_SAVE_H_
#define MEGASCALE_CHECKPOINT_SAVE_H_

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "megascale/checkpoint/manifest.h"
#include "megascale/checkpoint/shard.h"
#include "megascale/checkpoint/storage.h"

// Saving of checkpoints. A save first writes all files to DIR/.partial-step-00000200-GENERATION, and
// syncs them. One rename to DIR/step-00000200 then commits the checkpoint, and DIR is synced. If the
// process or the machine stops at any moment, DIR holds the earlier checkpoints, either with or
// without the new one. A committed name never holds an incomplete checkpoint. Readers ignore partial
// directories; a later successful save removes and reports them.
//
// After the commit the files are read back. Only if the disk has stored them right are earlier
// checkpoints removed; otherwise the new one is withdrawn.
namespace megascale::checkpoint {

struct SaveOptions {
  std::int64_t rank = 0, world_size = 1;   // this rank, and the number of ranks that save
  std::optional<std::int64_t> epoch = {};  // Manifest::epoch
  // Manifest::attempt. If set, the lock of the directory does not count: a process of an earlier
  // attempt that hangs on another host may still hold it, and fence_saves() has stopped its saves.
  std::optional<AttemptMark> attempt = {};
  // Good checkpoints to keep, counted from the new one backwards; 0 keeps all.
  std::int64_t keep_last = 0;
  // Largest size of a shard file in bytes. A single larger piece gets a file of its own.
  std::uint64_t shard_nbytes_max = std::uint64_t{4} << 30;
  ActionHook before_action;  // see Storage; for tests
  // Decides how fast write_shards() and read_back_shards() are, and may end them; null: as fast as
  // they can.
  WritePace* pace = nullptr;
};

struct SaveReport {
  std::filesystem::path path;  // the committed checkpoint
  std::uint64_t nbytes = 0;    // bytes of its files
  // Older checkpoints beyond keep_last, and directories of saves that did not finish.
  std::vector<std::filesystem::path> removed;
  // Failures after the commit, for instance of a removal. The checkpoint is good all the same.
  std::vector<std::string> notes;
};

// Saves a checkpoint on one rank: the five steps below in one call. Creates `directory` if it is
// missing. An existing checkpoint of the same step is replaced by exchanging the two directories.
//
// The former checkpoints remain unchanged if it throws Error. Reasons are:
//   space (checked first) or a permission is missing, or writing fails;
//   elements of a tensor are missing or stored twice;
//   the disk has stored other bytes;
//   another process saves to `directory`.
// One Error is different: if only the sync of `directory` after the rename fails, the checkpoint is
// committed but may not survive a power failure.
//
// After the commit, old checkpoints are removed: those older than the keep_last newest good
// checkpoints up to this step. A checkpoint counts as good if its manifest, headers and file sizes
// are right. The new checkpoint and those of later steps are never removed. If the new one is not
// healthy (RunState), one more is kept: the newest healthy one before the last update. A checkpoint
// of the last update itself has the weights that have failed.
SaveReport save(const std::filesystem::path& directory, const RunState& state,
                std::span<const Piece> pieces, const SaveOptions& options = {});

// The steps of a save by several ranks. Rank 0 calls begin_save() and sends `partial`, `generation`
// and `step` to all ranks. Every rank calls write_shards() and sends the result as text (to_text)
// to rank 0. Rank 0 calls commit_save(). Every rank calls read_back_shards(). Rank 0 calls
// finish_save(), or withdraw_save() if a rank has failed. Each element of a tensor must be in the
// pieces of exactly one rank.
struct PendingSave {
  std::filesystem::path directory;  // directory of checkpoints
  std::filesystem::path partial;    // empty once the save is committed
  // After the commit: the former checkpoint of the same step, which was exchanged; else empty.
  std::filesystem::path former;
  std::string generation;
  std::int64_t step = 0;
  FileHandle lock;  // lock of `directory`; rank 0 holds it until the save ends
};
// Rank 0. Locks `directory`, checks the free space and creates the partial directory. `nbytes` is
// the size of the pieces of all ranks. Throws Error: failed (another process saves here), or io.
[[nodiscard]] PendingSave begin_save(const std::filesystem::path& directory, std::int64_t step,
                                     std::uint64_t nbytes, const SaveOptions& options = {});
// Every rank. Writes the pieces of this rank into the partial directory, which must be the same
// directory on all ranks (a shared file system). `pending.lock` may be empty.
[[nodiscard]] std::vector<ShardFile> write_shards(const PendingSave& pending,
                                                  std::span<const Piece> pieces,
                                                  const SaveOptions& options = {});
// Rank 0, after every rank has written. `shards` holds the results of all ranks. Requires
// state.step == pending.step. If it throws an Error, the caller calls abandon_save(). The report
// does not say yet what was removed.
SaveReport commit_save(PendingSave& pending, const RunState& state, std::vector<ShardFile> shards,
                       const SaveOptions& options = {});
// Every rank, after the commit. Reads back the shards that this rank has written. Throws Error
// (corrupt_data, io), or the pace's.
void read_back_shards(const PendingSave& pending, std::span<const ShardFile> shards,
                      const SaveOptions& options = {});
// Rank 0, after all ranks have read back. Removes older checkpoints and leftovers, adds that to the
// report, and unlocks the directory.
void finish_save(PendingSave& pending, const RunState& state, const SaveOptions& options,
                 SaveReport& report);
// Rank 0, after the disk has given back other bytes. Takes the committed name away from the
// checkpoint, or gives it back to the former one of the same step, and removes the files. Returns
// what failed in this; empty: nothing.
[[nodiscard]] std::string withdraw_save(PendingSave& pending,
                                        const SaveOptions& options = {}) noexcept;
// Rank 0, after a rank or the commit has failed. Removes the files of this save, unless the
// checkpoint is committed. Failures are ignored; a later save removes the remains.
void abandon_save(const PendingSave& pending, const SaveOptions& options = {}) noexcept;

// Removes what saves and removals that did not finish have left in `directory`, and returns these
// directories. Does nothing if another process is saving
// there, or if the directory does not exist. Throws Error (io).
std::vector<std::filesystem::path> remove_leftovers(const std::filesystem::path& directory);
// Makes all saves under way in `directory` fail, also those of processes that hold its lock: takes
// their partial directories away, with one rename each. Returns these directories by their former
// names. A save that begins later is not stopped; its process must ask who owns the directory before
// it commits (JointSave::require_owner). Throws Error (io).
std::vector<std::filesystem::path> fence_saves(const std::filesystem::path& directory);

}  // namespace megascale::checkpoint

#endif  // MEGASCALE_CHECKPOINT_SAVE_H_
