// Finds, checks and reads checkpoints. Only names decide which directories are candidates; a
// checkpoint counts as good after its manifest, headers and, if asked for, digests were checked. A
// read computes the boxes that each piece shares with the request and copies contiguous runs. A
// piece that is not yet verified is read as a whole, because its digest covers all its bytes.
#include "megascale/checkpoint/open.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "megascale/base/digest.h"
#include "megascale/base/files.h"
#include "megascale/base/near_name.h"
#include "megascale/checkpoint/layout.h"
#include "megascale/checkpoint/shard.h"
#include "megascale/checkpoint/storage.h"

namespace megascale::checkpoint {
namespace {

// Bound on the size of a manifest, in bytes, so that a damaged size cannot exhaust the memory.
constexpr std::uint64_t kManifestMax = std::uint64_t{4} << 30;

std::string read_manifest_text(const std::filesystem::path& path) {
  const ReadFile file(path);
  if (file.nbytes() > kManifestMax) {
    throw Error(ErrorCode::corrupt_data, fmt::format("{}: expected at most {} bytes, found {}",
                                                     path.string(), kManifestMax, file.nbytes()));
  }
  std::string text(file.nbytes(), '\0');
  file.read(0, std::as_writable_bytes(std::span(text.data(), text.size())));
  return text;
}

// Checks a file of the tokenizer: its size, and with Check::everything its bytes.
void check_tokenizer_file(const std::filesystem::path& path, const TokenizerFile& expected,
                          Check check) {
  const ReadFile file(path);
  if (file.nbytes() != expected.nbytes) {
    throw Error(ErrorCode::corrupt_data,
                fmt::format("{}: expected {} bytes, found {}", path.string(), expected.nbytes,
                            file.nbytes()));
  }
  if (check != Check::everything) return;
  std::string text(file.nbytes(), '\0');
  file.read(0, std::as_writable_bytes(std::span(text)));
  const std::string digest = digest128(std::as_bytes(std::span(text)));
  if (digest != expected.digest) {
    throw Error(ErrorCode::corrupt_data, fmt::format("{}: expected the digest {}, found {}",
                                                     path.string(), expected.digest, digest));
  }
}

bool may_be_missing(const std::filesystem::path& path, Check check) {
  std::error_code ignored;
  return check == Check::present && !std::filesystem::exists(path, ignored);
}

void throw_none_good(const std::filesystem::path& directory, const std::vector<Error>& problems) {
  Error all = join_errors(problems);
  throw Error(all.code(),
              fmt::format("{}: expected a good checkpoint, found {} that cannot be used:\n{}",
                          directory.string(), problems.size(), all.message()));
}

}  // namespace

Listing list(const std::filesystem::path& directory) {
  Listing listing;
  std::error_code error;
  if (!std::filesystem::exists(directory, error) && !error) return listing;
  for (std::filesystem::directory_iterator it(directory, error), end; !error && it != end;
       it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (const auto step = parse_step_name(name)) {
      listing.checkpoints.push_back({*step, it->path()});
    } else if (is_leftover_name(name)) {
      listing.leftovers.push_back(it->path());
    } else if (is_aside_name(name)) {
      listing.aside.push_back(it->path());
    }
  }
  if (error)
    throw Error(ErrorCode::io,
                fmt::format("cannot list {}: {}", directory.string(), error.message()));
  std::sort(listing.checkpoints.begin(), listing.checkpoints.end(),
            [](const Entry& a, const Entry& b) { return a.step > b.step; });
  std::sort(listing.leftovers.begin(), listing.leftovers.end());
  std::sort(listing.aside.begin(), listing.aside.end());
  return listing;
}

Opened::Opened(std::filesystem::path checkpoint, Check check) : path_(std::move(checkpoint)) {
  const std::filesystem::path manifest_path = path_ / kManifestName;
  manifest_ = parse_manifest(read_manifest_text(manifest_path), manifest_path.string());
  tensors_ = collect_tensors(manifest_, manifest_path.string());
  const auto step = parse_step_name(path_.filename().string());
  if (step && *step != manifest_.state.step) {
    throw Error(ErrorCode::corrupt_data,
                fmt::format("{}: expected step {} as the directory is named, found {}",
                            manifest_path.string(), *step, manifest_.state.step));
  }
  if (manifest_.state.tokenizer && check != Check::manifest) {
    for (const TokenizerFile& file : manifest_.state.tokenizer->files) {
      if (!may_be_missing(path_ / file.name, check))
        check_tokenizer_file(path_ / file.name, file, check);
    }
  }
  std::size_t count = 0;
  for (const ShardFile& shard : manifest_.shards) {
    first_piece_.push_back(count);
    count += shard.pieces.size();
  }
  verified_ = std::make_unique<std::atomic<bool>[]>(count);
  if (check == Check::manifest) return;
  for (std::size_t s = 0; s < manifest_.shards.size(); ++s) {
    const ShardFile& shard = manifest_.shards[s];
    if (may_be_missing(path_ / shard.file, check)) continue;
    const ReadFile file(path_ / shard.file);
    check_shard_header(file, shard, manifest_.generation);
    if (check != Check::everything) continue;
    for (std::size_t p = 0; p < shard.pieces.size(); ++p) {
      read_piece(file, shard.pieces[p]);
      verified_[first_piece_[s] + p] = true;
    }
  }
}

std::atomic<bool>& Opened::verified(PieceRef ref) const noexcept {
  return verified_[first_piece_[ref.shard] + ref.piece];
}

const LogicalTensor& Opened::tensor(std::string_view name) const {
  const auto found = tensors_.find(name);
  if (found != tensors_.end()) return found->second;
  std::vector<std::string> names;
  for (const auto& [known, tensor] : tensors_) names.push_back(known);
  const std::string nearest = nearest_name(name, names);
  throw Error(ErrorCode::bad_input,
              fmt::format("{}: expected a tensor \"{}\", found none{}", path_.string(), name,
                          nearest.empty() ? "" : fmt::format(" (nearest: \"{}\")", nearest)));
}

void Opened::read(std::string_view name, std::span<const std::int64_t> offset,
                  std::span<const std::int64_t> shape, std::span<std::byte> out) const {
  const LogicalTensor& tensor = this->tensor(name);
  const Box wanted{Extents(offset.begin(), offset.end()), Extents(shape.begin(), shape.end())};
  if (!lies_inside(wanted, tensor.shape)) {
    throw Error(ErrorCode::bad_input,
                fmt::format("{}: expected a part of \"{}\" {}, found offset {} and shape {}",
                            path_.string(), name, to_string(tensor.shape), to_string(offset),
                            to_string(shape)));
  }
  const std::size_t size = itemsize(tensor.dtype);
  if (out.size() != *checked_numel(shape) * size) {
    throw Error(ErrorCode::bad_input,
                fmt::format("{}: expected {} bytes for \"{}\" {}, found {}", path_.string(),
                            *checked_numel(shape) * size, name, to_string(wanted), out.size()));
  }
  for (const PieceRef ref : tensor.pieces) {
    const ShardFile& shard = manifest_.shards[ref.shard];
    const StoredPiece& piece = shard.pieces[ref.piece];
    const auto part = intersect(piece.box, wanted);
    if (!part) continue;
    const ReadFile file(path_ / shard.file);
    const std::vector<CopyRun> copies = copy_runs(*part, piece.box, wanted);
    if (*part == piece.box || !verified(ref)) {
      // One pass both copies and digests the bytes. With two reads, the copied bytes could differ
      // from the verified ones.
      std::size_t run = 0;
      read_piece(file, piece, [&](std::uint64_t at, std::span<const std::byte> block) {
        copy_block(copies, run, size, at, block, out);
      });
      verified(ref) = true;
    } else {
      for (const CopyRun& copy : copies) {
        file.read(piece.begin + copy.source * size,
                  out.subspan(copy.destination * size, copy.count * size));
      }
    }
  }
}

void Opened::read(std::string_view name, std::span<std::byte> out) const {
  const LogicalTensor& tensor = this->tensor(name);
  read(name, Extents(tensor.shape.size(), 0), tensor.shape, out);
}

void check_tokenizer(const Opened& opened) {
  if (!opened.state().tokenizer) return;
  for (const TokenizerFile& file : opened.state().tokenizer->files)
    check_tokenizer_file(opened.path() / file.name, file, Check::everything);
}

std::optional<Opened> open_newest(const std::filesystem::path& directory,
                                  const OnProblem& on_problem, Check check, const Accept& accept) {
  std::vector<Error> problems;
  for (const Entry& entry : list(directory).checkpoints) {
    try {
      Opened opened(entry.path, check);
      if (accept) accept(opened.manifest(), entry.path);
      return opened;
    } catch (Error& error) {
      if (error.code() == ErrorCode::unsupported) throw;
      error.add_context(fmt::format("opening checkpoint {}", entry.path.string()));
      if (on_problem) on_problem(error);
      problems.push_back(error);
    }
  }
  if (!problems.empty()) throw_none_good(directory, problems);
  return std::nullopt;
}

std::optional<std::filesystem::path> newest_healthy(const std::filesystem::path& directory,
                                                    std::int64_t before) {
  for (const Entry& entry : list(directory).checkpoints) {
    if (entry.step >= before) continue;
    try {
      if (Opened(entry.path, Check::on_read).state().healthy()) return entry.path;
    } catch (const Error&) {  // damaged: an older one may be good
    }
  }
  return std::nullopt;
}

bool Verification::good() const noexcept {
  return !checkpoints.empty() &&
         std::none_of(checkpoints.begin(), checkpoints.end(),
                      [](const Verdict& verdict) { return verdict.error.has_value(); });
}

Verification verify(const std::filesystem::path& path) {
  Verification verification;
  std::error_code ignored;
  std::vector<Entry> entries;
  const auto named = parse_step_name(path.filename().string());
  if (named || std::filesystem::exists(path / kManifestName, ignored)) {
    entries.push_back({named.value_or(0), path});
  } else {
    Listing listing = list(path);
    entries = std::move(listing.checkpoints);
    verification.leftovers = std::move(listing.leftovers);
    verification.aside = std::move(listing.aside);
  }
  if (entries.empty()) {
    throw Error(
        ErrorCode::bad_input,
        fmt::format("{}: expected a checkpoint or a directory of checkpoints, found neither",
                    path.string()));
  }
  for (const Entry& entry : entries) {
    Verdict verdict{.path = entry.path,
                    .step = entry.step,
                    .nbytes = directory_nbytes(entry.path),
                    .error = std::nullopt};
    try {
      const RunState state = Opened(entry.path).state();
      verdict.step = state.step;
      verdict.skipped_in_a_row = state.skipped_in_a_row;
    } catch (const Error& error) {
      verdict.error = error;
    }
    verification.checkpoints.push_back(std::move(verdict));
  }
  return verification;
}

Opened open_path(const std::filesystem::path& path, const OnProblem& on_problem, Check check,
                 const Accept& accept) {
  std::error_code ignored;
  if (parse_step_name(path.filename().string()) ||
      std::filesystem::exists(path / kManifestName, ignored)) {
    Opened opened(path, check);
    if (accept) accept(opened.manifest(), path);
    return opened;
  }
  auto opened = open_newest(path, on_problem, check, accept);
  if (!opened) {
    throw Error(
        ErrorCode::bad_input,
        fmt::format("{}: expected a checkpoint or a directory of checkpoints, found neither",
                    path.string()));
  }
  return std::move(*opened);
}

}  // namespace megascale::checkpoint
