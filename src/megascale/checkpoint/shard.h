#ifndef MEGASCALE_CHECKPOINT_SHARD_H_
#define MEGASCALE_CHECKPOINT_SHARD_H_

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "megascale/checkpoint/manifest.h"
#include "megascale/checkpoint/storage.h"

// Shards are the safetensors files of a checkpoint. Each is written by one rank; any rank may read
// it. This file writes them, and checks them later against the
// manifest.
namespace megascale::checkpoint {

// A part of a logical tensor that a rank saves. Name, shapes and offsets are those of the whole
// model. Ranks, flat buffers and padding are not visible in a checkpoint.
struct Piece {
  std::string name;
  DType dtype = DType::float32;
  std::vector<std::int64_t> global_shape;   // shape of the whole tensor; every extent >= 1
  std::vector<std::int64_t> offset, shape;  // the part that this piece holds
  std::span<const std::byte> bytes;         // row-major; borrowed until the save returns
  // Replaces `bytes` if set: writes the piece into the given buffer of its size. The buffer exists
  // only while this piece is written, so an import can save a model that is larger than memory.
  std::function<void(std::span<std::byte>)> fill;
};
// Returns a piece that holds a whole tensor.
[[nodiscard]] Piece whole_piece(std::string name, DType dtype,
                                const std::vector<std::int64_t>& shape,
                                std::span<const std::byte> bytes);
// Returns the bytes of the piece's elements.
[[nodiscard]] std::uint64_t piece_nbytes(const Piece& piece) noexcept;

// The save and the rank that a shard belongs to. The shard's file states generation and step in its
// `__metadata__`.
struct ShardIdentity {
  std::string generation;  // random, the same in all files of one save
  std::int64_t step = 0, rank = 0, world_size = 1;
};

// Writes `pieces` as shard files in `directory`, and syncs the files. A new file begins before a file
// would exceed `nbytes_max` bytes; a single larger piece gets a file of its own. A rank without
// pieces writes one file without tensors. Returns the manifest entries of the files. Throws Error:
// failed (a piece is not valid), io; the pace's Error.
[[nodiscard]] std::vector<ShardFile> write_shard_files(const std::filesystem::path& directory,
                                                       const ShardIdentity& identity,
                                                       std::span<const Piece> pieces,
                                                       std::uint64_t nbytes_max,
                                                       const Storage& storage);

// Checks that the file has the size, header, generation and file name that the manifest states.
// Does not read the pieces. Throws Error (corrupt_data) naming the file.
void check_shard_header(const ReadFile& file, const ShardFile& shard,
                        const std::string& generation);
// Throws Error (corrupt_data) naming the file, the piece and both digests, unless `found` is the
// digest of the piece.
void require_digest(const std::filesystem::path& file, const StoredPiece& piece,
                    const std::string& found);
// Reads a piece once, block by block, and compares its digest. `visit` gets each block (offset
// within the piece, bytes) in order, before the digest of the whole piece is known. Throws Error
// (corrupt_data) naming the file, the piece and both digests.
void read_piece(const ReadFile& file, const StoredPiece& piece,
                const std::function<void(std::uint64_t, std::span<const std::byte>)>& visit = {});

}  // namespace megascale::checkpoint

#endif  // MEGASCALE_CHECKPOINT_SHARD_H_
