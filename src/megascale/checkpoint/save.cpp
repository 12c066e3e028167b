// Saves a checkpoint so that a crash at any moment loses nothing. The new checkpoint is complete and
// durable before one rename gives it its committed name. It is read back before old checkpoints are
// removed, but after the commit: reading takes as long as writing. A removal also begins with a rename, so a half-removed checkpoint never has
// a committed name. A checkpoint of the same step is exchanged with the new one in one system call.
#include "megascale/checkpoint/save.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <system_error>

#include "megascale/base/error.h"
#include "megascale/checkpoint/layout.h"
#include "megascale/checkpoint/open.h"
#include "megascale/checkpoint/read_back.h"

namespace megascale::checkpoint {
namespace {

// Upper estimate of the bytes beside the pieces: headers and manifest take about 600 bytes per
// piece, and the last block of a file is not full.
std::uint64_t overhead_nbytes(std::size_t pieces) {
  return (std::uint64_t{1} << 20) + pieces * 1024;
}

std::string describe_removable(const std::filesystem::path& directory) {
  std::string text;
  const auto add = [&](const char* what, const std::vector<std::filesystem::path>& paths) {
    for (std::size_t i = 0; i < paths.size(); ++i) {
      text += fmt::format("{}{} ({} bytes)", i == 0 ? what : ", ", paths[i].string(),
                          directory_nbytes(paths[i]));
    }
  };
  const Listing listing = list(directory);
  add("; left by saves that did not finish, and free to remove: ", listing.leftovers);
  add("; set aside, since they could not or must not be loaded, and free to remove: ",
      listing.aside);
  return text;
}

// Returns whether manifest, headers and file sizes are right. The pieces are not read.
bool looks_good(const std::filesystem::path& checkpoint) {
  try {
    (void)Opened(checkpoint, Check::on_read);
    return true;
  } catch (const Error&) {
    return false;
  }
}

bool is_there(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::exists(path, error) || error;
}

void rename_into_place(PendingSave& pending, const std::filesystem::path& path,
                       const Storage& storage) {
  if (!is_there(path)) {
    storage.rename(pending.partial, path);
    return;
  }
  // After the exchange, the old checkpoint lies under the partial name. clean_up() removes it with
  // the other leftovers.
  if (storage.exchange(pending.partial, path)) {
    pending.former = pending.partial;
    return;
  }
  // Without an exchange there would be a moment without any checkpoint of this step. That is only
  // acceptable if the old one is damaged.
  if (looks_good(path)) {
    throw Error(
        ErrorCode::io,
        fmt::format(
            "{} exists, and its file system cannot exchange two directories: remove it, or save "
            "to another directory",
            path.string()));
  }
  storage.rename(path,
                 pending.directory / fmt::format("{}{}-{}", kRemovedPrefix, step_name(pending.step),
                                                 pending.generation));
  storage.rename(pending.partial, path);
}

void write_manifest(const PendingSave& pending, const Manifest& manifest, const Storage& storage) {
  const std::filesystem::path path = pending.partial / kManifestName;
  const std::string text = to_text(manifest);
  const FileHandle file = storage.create_file(path);
  storage.write(file, std::as_bytes(std::span(text.data(), text.size())), path);
  storage.sync(file, path);
}

void write_tokenizer(const PendingSave& pending, const TokenizerRecord& tokenizer,
                     const Storage& storage) {
  for (const TokenizerFile& tokenizer_file : tokenizer.files) {
    const std::filesystem::path path = pending.partial / tokenizer_file.name;
    MEGASCALE_CHECK(tokenizer_file.content != nullptr, "a file to write has content");
    const std::string& text = *tokenizer_file.content;
    const FileHandle file = storage.create_file(path);
    storage.write(file, std::as_bytes(std::span(text.data(), text.size())), path);
    storage.sync(file, path);
  }
}

// Removes old checkpoints and leftovers. The checkpoint is already committed, so failures are only
// noted.
void clean_up(const std::filesystem::path& directory, const RunState& state,
              const SaveOptions& options, SaveReport& report) {
  const Storage storage(options.before_action);
  const auto noting = [&](const auto& action) {
    try {
      action();
    } catch (const std::exception& error) {
      report.notes.emplace_back(error.what());
    }
  };
  noting([&] {
    if (options.keep_last == 0) return;
    const std::int64_t step = state.step;
    std::optional<std::filesystem::path> last_healthy;
    if (!state.healthy()) last_healthy = newest_healthy(directory, state.last_update());
    std::int64_t kept = 0;
    for (const Entry& entry : list(directory).checkpoints) {
      if (entry.step > step) continue;
      if (kept < options.keep_last || entry.step == step) {
        if (entry.step == step || looks_good(entry.path)) ++kept;
        continue;
      }
      if (entry.path == last_healthy) continue;
      noting([&] {
        // The rename takes the committed name away in one action, so no reader finds a checkpoint
        // that is half removed.
        storage.rename(entry.path,
                       directory / fmt::format("{}{}-{}", kRemovedPrefix,
                                               entry.path.filename().string(), random_id()));
        report.removed.push_back(entry.path);
      });
    }
  });
  noting([&] {
    // This process holds the lock, so no other process is writing to a leftover.
    for (const auto& leftover : list(directory).leftovers) {
      noting([&] {
        storage.remove_all(leftover);
        if (leftover.filename().string().starts_with(kPartialPrefix))
          report.removed.push_back(leftover);
      });
    }
  });
}

}  // namespace

PendingSave begin_save(const std::filesystem::path& directory, std::int64_t step,
                       std::uint64_t nbytes, const SaveOptions& options) {
  if (step < 0)
    throw Error(ErrorCode::failed,
                fmt::format("cannot save a checkpoint: expected a step >= 0, found {}", step));
  const Storage storage(options.before_action);
  storage.create_directories(directory);
  PendingSave pending{.directory = directory, .step = step, .lock = {}};
  try {
    pending.lock = lock_directory(directory);
  } catch (const Error& error) {
    if (!options.attempt || error.code() != ErrorCode::failed) throw;
  }
  try {
    require_space(directory, nbytes, fmt::format("checkpoint of step {}", step));
  } catch (Error& error) {
    throw Error(error.code(), error.message() + describe_removable(directory));
  }
  pending.generation = random_id();
  pending.partial =
      directory / fmt::format("{}{}-{}", kPartialPrefix, step_name(step), pending.generation);
  storage.create_directory(pending.partial);
  return pending;
}

std::vector<ShardFile> write_shards(const PendingSave& pending, std::span<const Piece> pieces,
                                    const SaveOptions& options) {
  return write_shard_files(pending.partial,
                           {.generation = pending.generation,
                            .step = pending.step,
                            .rank = options.rank,
                            .world_size = options.world_size},
                           pieces, options.shard_nbytes_max,
                           Storage(options.before_action, options.pace));
}

SaveReport commit_save(PendingSave& pending, const RunState& state, std::vector<ShardFile> shards,
                       const SaveOptions& options) {
  MEGASCALE_CHECK(state.step == pending.step, "a save is begun and committed for one step");
  const Storage storage(options.before_action);
  SaveReport report{.path = pending.directory / step_name(pending.step)};
  {
    const Manifest manifest{.generation = pending.generation,
                            .world_size = options.world_size,
                            .epoch = options.epoch,
                            .attempt = options.attempt,
                            .state = state,
                            .shards = std::move(shards)};
    if (manifest.state.tokenizer) write_tokenizer(pending, *manifest.state.tokenizer, storage);
    write_manifest(pending, manifest, storage);
  }
  // Reads the manifest back from the disk, checks the pieces for gaps and overlaps, and checks the
  // headers of all shards. The data of the shards is read back by the ranks that wrote it.
  (void)Opened(pending.partial, Check::on_read);
  storage.sync_directory(pending.partial);
  rename_into_place(pending, report.path, storage);
  pending.partial.clear();  // the checkpoint is committed: abandon_save() must not remove it
  try {
    storage.sync_directory(pending.directory);
  } catch (Error& error) {
    error.add_context(fmt::format(
        "making the rename of {} durable: it is committed, but may not outlive a power failure",
        report.path.string()));
    throw;
  }
  report.nbytes = directory_nbytes(report.path);
  return report;
}

void read_back_shards(const PendingSave& pending, std::span<const ShardFile> shards,
                      const SaveOptions& options) {
  read_back(pending.directory / step_name(pending.step), shards, options.pace);
}

void finish_save(PendingSave& pending, const RunState& state, const SaveOptions& options,
                 SaveReport& report) {
  clean_up(pending.directory, state, options, report);
  pending.lock = FileHandle();
}

std::string withdraw_save(PendingSave& pending, const SaveOptions& options) noexcept try {
  const Storage storage(options.before_action);
  const std::filesystem::path path = pending.directory / step_name(pending.step);
  std::filesystem::path damaged = pending.former;
  if (damaged.empty()) {
    damaged = pending.directory /
              fmt::format("{}{}-{}", kRemovedPrefix, step_name(pending.step), pending.generation);
    storage.rename(path, damaged);
  } else if (!storage.exchange(damaged, path)) {
    return fmt::format("{} cannot be exchanged with the former checkpoint {}", path.string(),
                       damaged.string());
  }
  storage.sync_directory(pending.directory);
  storage.remove_all(damaged);
  pending.lock = FileHandle();
  return "";
} catch (const std::exception& error) {
  return error.what();
}

void abandon_save(const PendingSave& pending, const SaveOptions& options) noexcept {
  try {
    if (!pending.partial.empty() && is_there(pending.partial))
      Storage(options.before_action).remove_all(pending.partial);
  } catch (...) {  // a later save removes the remains
  }
}

std::vector<std::filesystem::path> remove_leftovers(const std::filesystem::path& directory) {
  const std::vector<std::filesystem::path> leftovers = list(directory).leftovers;
  if (leftovers.empty()) return {};
  FileHandle lock;
  try {
    lock = lock_directory(directory);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::failed) return {};
    throw;
  }
  const Storage storage;
  for (const auto& leftover : leftovers) storage.remove_all(leftover);
  return leftovers;
}

std::vector<std::filesystem::path> fence_saves(const std::filesystem::path& directory) {
  const Storage storage;
  std::vector<std::filesystem::path> fenced;
  for (const auto& partial : list(directory).leftovers) {
    const std::string name = partial.filename().string();
    if (!name.starts_with(kPartialPrefix)) continue;
    const std::string step =
        name.substr(kPartialPrefix.size(), name.rfind('-') - kPartialPrefix.size());
    const std::filesystem::path removed =
        directory / fmt::format("{}{}-{}", kRemovedPrefix, step, random_id());
    storage.rename(partial, removed);
    fenced.push_back(partial);
    std::error_code ignored;  // its process may still create files in it
    std::filesystem::remove_all(removed, ignored);
  }
  if (!fenced.empty()) storage.sync_directory(directory);
  return fenced;
}

SaveReport save(const std::filesystem::path& directory, const RunState& state,
                std::span<const Piece> pieces, const SaveOptions& options) try {
  std::uint64_t nbytes = overhead_nbytes(pieces.size()) + state.config.size() +
                         2 * state.origin.size();  // quotes in it are escaped
  for (const Piece& piece : pieces) nbytes += piece_nbytes(piece);
  PendingSave pending = begin_save(directory, state.step, nbytes, options);
  std::vector<ShardFile> shards;
  SaveReport report;
  try {
    shards = write_shards(pending, pieces, options);
    report = commit_save(pending, state, shards, options);
  } catch (...) {
    abandon_save(pending, options);
    throw;
  }
  try {
    read_back_shards(pending, shards, options);
  } catch (Error& error) {
    if (const std::string failed = withdraw_save(pending, options); !failed.empty())
      error.add_context("withdrawing it failed: " + failed);
    throw;
  }
  finish_save(pending, state, options, report);
  return report;
} catch (Error& error) {
  error.add_context(
      fmt::format("saving the checkpoint of step {} to {}", state.step, directory.string()));
  throw;
}

}  // namespace megascale::checkpoint
