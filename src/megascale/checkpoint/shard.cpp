// Writes and checks shards. While a file is written, the digests of its header and of each piece
// are computed from memory; what the disk has stored is compared with them later (read_back.h). The
// header names generation and file, so that a shard of another save, or two exchanged shards, are
// refused.
#include "megascale/checkpoint/shard.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "megascale/base/digest.h"
#include "megascale/base/error.h"
#include "megascale/checkpoint/file_writer.h"
#include "megascale/checkpoint/json_text.h"
#include "megascale/checkpoint/safetensors.h"

namespace megascale::checkpoint {
namespace {

constexpr std::string_view kShardFormat = "megascale-checkpoint-shard";
constexpr std::size_t kReadBlock = std::size_t{1} << 20;  // bytes in memory while a piece is read

std::string file_name(const ShardIdentity& identity, std::size_t part) {
  std::string name = fmt::format("shard-{:05}-of-{:05}", identity.rank, identity.world_size);
  if (part > 0) name += fmt::format("-part-{:03}", part);
  return name + ".safetensors";
}

// Returns the key of a piece in its file: the tensor's name, followed by the box if the piece is
// only a part of the tensor. Keys must be unique within a file.
std::string key_of(const Piece& piece) {
  if (piece.shape == piece.global_shape) return piece.name;
  return piece.name + to_string(Box{piece.offset, piece.shape});
}

void check_piece(const Piece& piece) {
  const auto refuse = [&](const std::string& message) {
    throw Error(ErrorCode::failed,
                fmt::format("cannot save piece \"{}\": {}", piece.name, message));
  };
  if (piece.name.empty() || piece.global_shape.size() > 8)
    refuse("expected a name and at most 8 axes");
  if (!checked_numel(piece.global_shape) ||
      !lies_inside({piece.offset, piece.shape}, piece.global_shape)) {
    refuse(fmt::format("expected a part of {}, found offset {} and shape {}",
                       to_string(piece.global_shape), to_string(piece.offset),
                       to_string(piece.shape)));
  }
  if (!piece.fill && piece.bytes.size() != piece_nbytes(piece)) {
    refuse(fmt::format("expected {} bytes for {} {}, found {}", piece_nbytes(piece),
                       to_string(piece.dtype), to_string(piece.shape), piece.bytes.size()));
  }
}

ShardFile write_shard_file(const std::filesystem::path& directory, const ShardIdentity& identity,
                           std::size_t part, std::span<const Piece> pieces,
                           const Storage& storage) {
  ShardFile shard{.file = file_name(identity, part), .rank = identity.rank};
  const std::filesystem::path path = directory / shard.file;
  std::vector<StoredTensor> tensors;
  for (const Piece& piece : pieces) {
    tensors.push_back(
        {.name = key_of(piece), .type = stored_type(piece.dtype), .shape = piece.shape});
  }
  const std::string header =
      make_safetensors_header(tensors, {{"format", std::string(kShardFormat)},
                                        {"generation", identity.generation},
                                        {"step", std::to_string(identity.step)},
                                        {"file", shard.file}});
  const auto header_bytes = std::as_bytes(std::span(header.data(), header.size()));
  shard.nbytes = header.size() + (tensors.empty() ? 0 : tensors.back().end);
  FileWriter file(storage, path, shard.nbytes);
  DigestStream header_digest;
  file.append(header_bytes, header_digest);
  shard.header_digest = header_digest.finish();
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const Piece& piece = pieces[i];
    std::vector<std::byte> filled;
    std::span<const std::byte> bytes = piece.bytes;
    if (piece.fill) {
      filled.resize(piece_nbytes(piece));
      piece.fill(filled);
      bytes = filled;
    }
    DigestStream digest;
    file.append(bytes, digest);
    shard.pieces.push_back({.name = piece.name,
                            .dtype = piece.dtype,
                            .global_shape = piece.global_shape,
                            .box = {piece.offset, piece.shape},
                            .begin = header.size() + tensors[i].begin,
                            .end = header.size() + tensors[i].end,
                            .digest = digest.finish()});
  }
  file.finish();
  return shard;
}

}  // namespace

Piece whole_piece(std::string name, DType dtype, const std::vector<std::int64_t>& shape,
                  std::span<const std::byte> bytes) {
  return {.name = std::move(name),
          .dtype = dtype,
          .global_shape = shape,
          .offset = std::vector<std::int64_t>(shape.size(), 0),
          .shape = shape,
          .bytes = bytes,
          .fill = {}};
}

std::uint64_t piece_nbytes(const Piece& piece) noexcept {
  return checked_numel(piece.shape).value_or(0) * itemsize(piece.dtype);
}

std::vector<ShardFile> write_shard_files(const std::filesystem::path& directory,
                                         const ShardIdentity& identity,
                                         std::span<const Piece> pieces, std::uint64_t nbytes_max,
                                         const Storage& storage) {
  for (const Piece& piece : pieces) check_piece(piece);
  std::vector<ShardFile> shards;
  do {
    std::size_t count = 0;
    for (std::uint64_t nbytes = 0; count < pieces.size(); ++count) {
      nbytes += piece_nbytes(pieces[count]);
      if (count > 0 && nbytes > nbytes_max) break;
    }
    shards.push_back(
        write_shard_file(directory, identity, shards.size(), pieces.first(count), storage));
    pieces = pieces.subspan(count);
  } while (!pieces.empty());
  return shards;
}

void check_shard_header(const ReadFile& file, const ShardFile& shard,
                        const std::string& generation) {
  const std::string name = file.path().string();
  const JsonSource source{name};
  if (file.nbytes() != shard.nbytes) {
    throw source.error(fmt::format("expected {} bytes, found {}", shard.nbytes, file.nbytes()));
  }
  std::vector<std::byte> head(8);
  file.read(0, head);
  head.resize(safetensors_header_nbytes(head, file.nbytes(), name));
  file.read(0, head);
  const SafetensorsHeader header = parse_safetensors(head, file.nbytes(), name);
  const auto expect = [&](const char* key, const std::string& wanted) {
    const auto found = header.metadata.find(key);
    if (found == header.metadata.end() || found->second != wanted) {
      throw source.error(fmt::format(
          "expected the {} {} in its metadata, found {}: this shard was not written with this "
          "manifest",
          key, wanted,
          found == header.metadata.end() ? "none" : shown(std::string_view(found->second))));
    }
  };
  expect("generation", generation);
  expect("file", shard.file);
  if (const std::string digest = digest128(head); digest != shard.header_digest) {
    throw source.error(
        fmt::format("expected the header's digest {}, found {}: the header was changed",
                    shard.header_digest, digest));
  }
  const std::uint64_t first = shard.pieces.empty() ? shard.nbytes : shard.pieces.front().begin;
  if (head.size() != first || header.tensors.size() != shard.pieces.size()) {
    throw source.error(
        fmt::format("expected a header of {} bytes with {} tensors, found {} bytes with {}", first,
                    shard.pieces.size(), head.size(), header.tensors.size()));
  }
}

void require_digest(const std::filesystem::path& file, const StoredPiece& piece,
                    const std::string& found) {
  if (found == piece.digest) return;
  throw Error(ErrorCode::corrupt_data,
              fmt::format("{}: expected the digest {} of \"{}\" {} (bytes {} to {}), found {}: its "
                          "bytes were changed",
                          file.string(), piece.digest, piece.name, to_string(piece.box),
                          piece.begin, piece.end, found));
}

void read_piece(const ReadFile& file, const StoredPiece& piece,
                const std::function<void(std::uint64_t, std::span<const std::byte>)>& visit) {
  std::vector<std::byte> buffer(std::min<std::uint64_t>(kReadBlock, piece.end - piece.begin));
  DigestStream stream;
  for (std::uint64_t at = piece.begin; at < piece.end;) {
    const auto block =
        std::span(buffer).first(std::min<std::uint64_t>(buffer.size(), piece.end - at));
    file.read(at, block);
    stream.update(block);
    if (visit) visit(at - piece.begin, block);
    at += block.size();
  }
  require_digest(file.path(), piece, stream.finish());
}

}  // namespace megascale::checkpoint
