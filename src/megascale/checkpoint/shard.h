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

// Shards: the safetensors files of a checkpoint, written by one rank each and read by anybody.
namespace megascale::checkpoint {

// A part of a logical tensor that a rank saves. Names, shapes and offsets are those of the whole
// model: no rank, no flat buffer and no padding is visible in a checkpoint.
struct Piece {
  std::string name;
  DType dtype = DType::float32;
  std::vector<std::int64_t> global_shape;  // every extent >= 1
  std::vector<std::int64_t> offset, shape;
  std::span<const std::byte> bytes;  // row-major, borrowed until the save returns
  // Instead of `bytes`: writes the piece into a buffer of its size, which exists for this piece
  // only. For tensors that are made on the way (imports), so that a model larger than memory can be
  // saved.
  std::function<void(std::span<std::byte>)> fill;
};
// A whole tensor as one piece.
[[nodiscard]] Piece whole_piece(std::string name, DType dtype,
                                const std::vector<std::int64_t>& shape,
                                std::span<const std::byte> bytes);
[[nodiscard]] std::uint64_t piece_nbytes(const Piece& piece) noexcept;

// What a shard's file says about itself, in its __metadata__.
struct ShardIdentity {
  std::string generation;
  std::int64_t step = 0, rank = 0, world_size = 1;
};

// Writes `pieces` as shard files in `directory`, syncs them and reads them back; a file grows to at
// most `nbytes_max`, unless one piece alone is larger. A rank without pieces writes one empty file.
// Throws Error.
[[nodiscard]] std::vector<ShardFile> write_shard_files(const std::filesystem::path& directory,
                                                       const ShardIdentity& identity,
                                                       std::span<const Piece> pieces,
                                                       std::uint64_t nbytes_max,
                                                       const Storage& storage);

// Checks size, header, generation, and that the file is the one it is named as; throws Error naming
// it.
void check_shard_header(const ReadFile& file, const ShardFile& shard,
                        const std::string& generation);
// Reads a piece once and compares its digest; `visit` sees its blocks in order (offset within the
// piece, bytes) before the digest is known. Throws Error (corrupt_data) naming file, piece and both
// digests.
void read_piece(const ReadFile& file, const StoredPiece& piece,
                const std::function<void(std::uint64_t, std::span<const std::byte>)>& visit = {});

}  // namespace megascale::checkpoint

#endif  // MEGASCALE_CHECKPOINT_SHARD_H_
