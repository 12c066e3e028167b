// Reads tensors of checkpoints. A tensor that lies in one file as a whole is a view of the mapped
// file; its bytes are compared with their digest at the first call.
#include "megascale/checkpoint.h"

#include <fmt/format.h>

#include <map>
#include <mutex>
#include <set>

#include "megascale/base/digest.h"
#include "megascale/base/files.h"
#include "megascale/checkpoint/open.h"
#include "megascale/checkpoint/shard.h"

namespace megascale {

struct Checkpoint::State {
  explicit State(checkpoint::Opened of) : opened(std::move(of)) {}

  // Returns the piece that holds all of the tensor; null if there is none.
  [[nodiscard]] const checkpoint::StoredPiece* whole(const checkpoint::LogicalTensor& tensor) const;
  std::shared_ptr<const MappedFile> map(const checkpoint::ShardFile& shard);
  // Throws Error (corrupt_data) if the bytes are not those that were saved.
  void verify(const std::string& file, const checkpoint::StoredPiece& piece,
              std::span<const std::byte> bytes);

  const checkpoint::Opened opened;
  std::mutex mutex;
  std::map<std::string, std::shared_ptr<const MappedFile>> mapped;  // by name of the file
  std::set<const checkpoint::StoredPiece*> verified;
};

namespace {

TensorInfo info_of(std::string_view name, const checkpoint::LogicalTensor& tensor) {
  return {std::string(name), std::string(to_string(tensor.dtype)), tensor.shape};
}

}  // namespace

const checkpoint::StoredPiece* Checkpoint::State::whole(
    const checkpoint::LogicalTensor& tensor) const {
  if (tensor.pieces.size() != 1) return nullptr;
  const checkpoint::PieceRef at = tensor.pieces.front();
  return &opened.manifest().shards[at.shard].pieces[at.piece];
}

std::shared_ptr<const MappedFile> Checkpoint::State::map(const checkpoint::ShardFile& shard) {
  const std::lock_guard lock(mutex);
  auto& known = mapped[shard.file];
  if (!known) {
    auto file = std::make_shared<const MappedFile>(opened.path() / shard.file);
    if (file->bytes().size() != shard.nbytes) {
      throw Error(ErrorCode::corrupt_data, fmt::format("{}: expected {} bytes, found {}",
                                                       (opened.path() / shard.file).string(),
                                                       shard.nbytes, file->bytes().size()));
    }
    known = std::move(file);
  }
  known->require_whole();
  return known;
}

void Checkpoint::State::verify(const std::string& file, const checkpoint::StoredPiece& piece,
                               std::span<const std::byte> bytes) {
  {
    const std::lock_guard lock(mutex);
    if (verified.contains(&piece)) return;
  }
  checkpoint::require_digest(opened.path() / file, piece, digest128(bytes));
  const std::lock_guard lock(mutex);
  verified.insert(&piece);
}

Checkpoint::Checkpoint(const std::filesystem::path& path)
    : state_(std::make_shared<State>(checkpoint::open_path(path, {}, checkpoint::Check::on_read))) {
}

const std::filesystem::path& Checkpoint::path() const noexcept { return state_->opened.path(); }

std::int64_t Checkpoint::step() const noexcept { return state_->opened.state().step; }

std::string Checkpoint::configuration() const { return state_->opened.state().config; }

std::vector<TensorInfo> Checkpoint::tensors() const {
  std::vector<TensorInfo> all;
  for (const auto& [name, tensor] : state_->opened.tensors()) all.push_back(info_of(name, tensor));
  return all;
}

TensorData Checkpoint::tensor(std::string_view name) const {
  const checkpoint::LogicalTensor& tensor = state_->opened.tensor(name);
  TensorData data{.info = info_of(name, tensor), .bytes = {}, .owner = {}};
  if (const checkpoint::StoredPiece* piece = state_->whole(tensor)) {
    const auto& shard = state_->opened.manifest().shards[tensor.pieces.front().shard];
    const auto mapped = state_->map(shard);
    data.bytes = mapped->bytes().subspan(piece->begin, piece->end - piece->begin);
    state_->verify(shard.file, *piece, data.bytes);
    data.mapped = true;
    data.owner = mapped;
    return data;
  }
  std::size_t nbytes = itemsize(tensor.dtype);
  for (const std::int64_t extent : tensor.shape) nbytes *= static_cast<std::size_t>(extent);
  const auto copy = std::make_shared<std::vector<std::byte>>(nbytes);
  state_->opened.read(name, *copy);
  data.bytes = *copy;
  data.owner = copy;
  return data;
}

}  // namespace megascale
