// The steps of a save on several hosts. Every step ends with an exchange, so all ranks stop at the
// first failure, and the copy before stays.
#include "megascale/train/host_save.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "megascale/base/clock.h"
#include "megascale/base/error.h"
#include "megascale/base/files.h"
#include "megascale/checkpoint/layout.h"
#include "megascale/checkpoint/open.h"
#include "megascale/checkpoint/read_back.h"
#include "megascale/train/agreement.h"

namespace megascale::train {
namespace {

constexpr std::uint64_t kChunk = std::uint64_t{4} << 20;  // bytes of one transfer

// The files of shards as one run of bytes.
class FileRun {
 public:
  FileRun(std::filesystem::path directory, std::span<const checkpoint::ShardFile> files,
          bool writes)
      : directory_(std::move(directory)), files_(files), writes_(writes) {}
  // Reads or writes the next bytes; at the end of the files fewer.
  void next(std::span<std::byte> bytes) {
    while (!bytes.empty() && file_ < files_.size()) {
      const checkpoint::ShardFile& shard = files_[file_];
      const std::filesystem::path path = directory_ / shard.file;
      if (!open_) open_ = open_file(path, writes_ ? OpenMode::create : OpenMode::read);
      const auto part = bytes.first(std::min<std::uint64_t>(bytes.size(), shard.nbytes - done_));
      if (writes_) {
        write_all(*open_, part, path);
      } else if (read_at(*open_, done_, part, path) != part.size()) {
        throw Error(ErrorCode::corrupt_data,
                    fmt::format("{}: expected {} bytes", path.string(), shard.nbytes));
      }
      bytes = bytes.subspan(part.size());
      done_ += part.size();
      if (done_ < shard.nbytes) continue;
      open_.reset();
      ++file_;
      done_ = 0;
    }
  }

 private:
  std::filesystem::path directory_;
  std::span<const checkpoint::ShardFile> files_;
  bool writes_;
  std::size_t file_ = 0;
  std::uint64_t done_ = 0;  // of the file
  std::optional<FileHandle> open_;
};

std::uint64_t nbytes_of(std::span<const checkpoint::ShardFile> files) {
  std::uint64_t nbytes = 0;
  for (const checkpoint::ShardFile& file : files) nbytes += file.nbytes;
  return nbytes;
}

// Returns the largest number of all ranks, on all ranks.
std::uint64_t largest(comm::Coordination& coordination, std::uint64_t mine,
                      std::string_view about) {
  std::uint64_t most = 0;
  for (const std::string& one : coordination.gather(std::to_string(mine), about))
    most = std::max<std::uint64_t>(most, std::stoull(one));
  return std::stoull(coordination.broadcast(std::to_string(most), about));
}

class HostSaving {
 public:
  HostSaving(comm::Coordination& coordination, const JointSave& save,
             const checkpoint::RunState& state)
      : coordination_(coordination),
        save_(save),
        state_(state),
        options_(save_options(coordination, save)),
        about_(fmt::format("making the copy of step {} in the memory of {} hosts", state.step,
                           save.hosts->layout.count)),
        leads_(save.hosts->layout.leads(coordination.rank())),
        committed_(save.directory / checkpoint::step_name(state.step)) {}

  JointSaveReport run(std::span<const checkpoint::Piece> pieces) {
    const std::int64_t begin_ns = monotonic_ns();
    try {
      begin();
      write(pieces);
      give_to_peers();
      commit();
    } catch (...) {
      if (leads_ && !pending_.partial.empty()) checkpoint::abandon_save(pending_, options_);
      throw;
    }
    if (leads_) remove_others();
    joint_.written_seconds = static_cast<double>(monotonic_ns() - begin_ns) * 1e-9;
    return std::move(joint_);
  }

 private:
  // Rank 0 draws the generation; the first rank of each host makes the directory.
  void begin() {
    std::string begun;
    if (coordination_.rank() == 0) {
      begun = message_of([&] {
        if (save_.require_owner) options_.epoch = save_.require_owner();
        return fmt::format("{} {}", checkpoint::random_id(), save_.next_interval);
      });
    }
    begun = coordination_.broadcast(begun, about_);
    require_success({&begun, 1});
    const std::size_t space = begun.find(' ');
    joint_.next_interval = std::stoll(begun.substr(space + 1));
    pending_.directory = save_.directory;
    pending_.generation = begun.substr(0, space);
    pending_.step = state_.step;
    const std::filesystem::path partial =
        save_.directory / fmt::format("{}{}-{}", checkpoint::kPartialPrefix,
                                      checkpoint::step_name(state_.step), pending_.generation);
    agree_on(coordination_, about_, [&] {
      if (leads_) checkpoint::Storage(options_.before_action).create_directory(partial);
      pending_.partial = partial;
    });
  }

  // Writes the shards, and learns those of all ranks.
  void write(std::span<const checkpoint::Piece> pieces) {
    const std::string written = message_of(
        [&] { return checkpoint::to_text(checkpoint::write_shards(pending_, pieces, options_)); });
    const std::vector<std::string> all = coordination_.gather(written, about_);
    std::string text;
    if (coordination_.rank() == 0) {
      text = message_of([&] {
        require_success(all);
        checkpoint::Manifest manifest{.generation = pending_.generation,
                                      .world_size = options_.world_size,
                                      .epoch = options_.epoch,
                                      .attempt = options_.attempt,
                                      .state = state_};
        for (std::size_t rank = 0; rank < all.size(); ++rank) {
          for (auto& file : checkpoint::parse_shards(all[rank], fmt::format("rank {}", rank)))
            manifest.shards.push_back(std::move(file));
        }
        joint_.nbytes = nbytes_of(manifest.shards);
        return checkpoint::to_text(manifest);
      });
    }
    manifest_text_ = coordination_.broadcast(text, about_);
    require_success({&manifest_text_, 1});
    manifest_ = checkpoint::parse_manifest(manifest_text_, about_);
  }

  // One transfer for each distance between a rank and its keeper. Ranks that are far from each other
  // may have different numbers of them, and all ranks must make the same calls.
  void give_to_peers() {
    const auto near = coordination_.near();
    const std::uint32_t me = coordination_.rank() - near.first;
    const PeerChoice& peers = save_.hosts->peers;
    const std::vector<std::uint32_t> offsets = peers.offsets();
    const std::uint64_t transfers = largest(coordination_, offsets.size(), about_);
    for (std::uint64_t i = 0; i < transfers; ++i) {
      const std::uint32_t offset = i < offsets.size() ? offsets[i] : 0;
      const std::uint32_t keeper = (me + near.count - offset) % near.count,
                          other = (me + offset) % near.count;
      std::vector<checkpoint::ShardFile> given, kept;
      if (offset > 0 && peers.keepers[me] == keeper) given = files_of(near.first + me);
      if (offset > 0 && peers.keepers[other] == me) kept = files_of(near.first + other);
      exchange_files(coordination_, offset, pending_.partial, given, kept, about_);
      agree_on(coordination_, about_,
               [&] { checkpoint::read_back(pending_.partial, kept, nullptr); });
    }
  }

  void commit() {
    agree_on(coordination_, about_, [&] {
      if (!leads_) return;
      write_file(checkpoint::kManifestName, manifest_text_);
      if (!state_.tokenizer) return;
      for (const checkpoint::TokenizerFile& file : state_.tokenizer->files) {
        if (file.content != nullptr) write_file(file.name, *file.content);
      }
    });
    agree_on(coordination_, about_, [&] {
      if (coordination_.rank() == 0 && save_.require_owner) save_.require_owner();
    });
    agree_on(coordination_, about_, [&] {
      if (!leads_) return;
      const checkpoint::Storage storage(options_.before_action);
      std::error_code ignored;
      std::filesystem::remove_all(committed_, ignored);  // of the same step: the run did it again
      storage.rename(pending_.partial, committed_);
    });
    pending_.partial.clear();
  }

  void remove_others() {
    std::error_code ignored;
    const checkpoint::Listing listing = checkpoint::list(save_.directory);
    for (const checkpoint::Entry& entry : listing.checkpoints) {
      if (entry.path != committed_) std::filesystem::remove_all(entry.path, ignored);
    }
    for (const auto& leftover : listing.leftovers) std::filesystem::remove_all(leftover, ignored);
  }

  void write_file(std::string_view name, std::string_view text) const {
    const std::filesystem::path path = pending_.partial / name;
    write_all(open_file(path, OpenMode::create), text, path);
  }
  [[nodiscard]] std::vector<checkpoint::ShardFile> files_of(std::uint32_t rank) const {
    std::vector<checkpoint::ShardFile> files;
    for (const checkpoint::ShardFile& file : manifest_.shards) {
      if (file.rank == rank) files.push_back(file);
    }
    return files;
  }

  comm::Coordination& coordination_;
  const JointSave& save_;
  const checkpoint::RunState& state_;
  checkpoint::SaveOptions options_;
  std::string about_;
  bool leads_;  // the ranks of this host
  std::filesystem::path committed_;
  checkpoint::PendingSave pending_;
  std::string manifest_text_;
  checkpoint::Manifest manifest_;
  JointSaveReport joint_;
};

}  // namespace

void exchange_files(comm::Coordination& coordination, std::uint32_t offset,
                    const std::filesystem::path& directory,
                    std::span<const checkpoint::ShardFile> given,
                    std::span<const checkpoint::ShardFile> taken, std::string_view about) {
  const std::uint64_t most = largest(coordination, nbytes_of(given), about);
  FileRun reader(directory, given, /*writes=*/false), writer(directory, taken, /*writes=*/true);
  std::vector<std::byte> out(std::min(kChunk, most)), in(out.size());
  std::string failure;  // said at the end: a rank that stops exchanging would hang the others
  const auto noting = [&](const auto& action) {
    if (!failure.empty()) return;
    failure = message_of([&] {
      action();
      return std::string();
    });
  };
  for (std::uint64_t at = 0; at < most; at += kChunk) {
    noting([&] { reader.next(out); });
    if (offset > 0) coordination.shift(out, in, offset, about);
    noting([&] { writer.next(in); });
  }
  agree(coordination, failure, about);
}

JointSaveReport save_on_hosts(comm::Coordination& coordination, const JointSave& save,
                              const checkpoint::RunState& state,
                              std::span<const checkpoint::Piece> pieces) {
  return HostSaving(coordination, save, state).run(pieces);
}

}  // namespace megascale::train
