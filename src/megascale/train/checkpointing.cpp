// Connects three descriptions of a state: StatePart (on a rank), Piece (in a save) and the logical
// tensors of a checkpoint. A part is a run of elements of a box, which is not a box itself; so it
// is divided into boxes.
#include "megascale/train/checkpointing.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace megascale::train {
namespace {

constexpr const char* kFirstMoment = ".first_moment";
constexpr const char* kSecondMoment = ".second_moment";

// Returns the elements of a part as boxes of the logical tensor, in the order of its values.
std::vector<checkpoint::Box> boxes_of(const engine::StatePart& part) {
  auto boxes = checkpoint::boxes_of_range(part.shape, part.begin, part.begin + part.weight.size());
  for (checkpoint::Box& box : boxes) {
    for (std::size_t axis = 0; axis < box.offset.size(); ++axis) {
      box.offset[axis] += part.offset[axis];
    }
  }
  return boxes;
}

std::uint64_t numel(const checkpoint::Box& box) { return *checkpoint::checked_numel(box.shape); }

// Adds the targets of `values`, which are the elements of `part` in the tensor `name`.
void add_targets(std::vector<Target>& targets, const checkpoint::Opened& opened,
                 const std::string& name, const engine::StatePart& part, std::span<float> values) {
  const auto& tensor = opened.tensor(name);
  if (tensor.shape != part.global_shape || tensor.dtype != DType::float32) {
    throw Error(ErrorCode::bad_input,
                fmt::format("{}: tensor {} is {} [{}], the configuration makes it float32 [{}]: "
                            "the checkpoint is of another model",
                            opened.path().string(), name, to_string(tensor.dtype),
                            fmt::join(tensor.shape, ", "), fmt::join(part.global_shape, ", ")));
  }
  std::uint64_t done = 0;
  for (checkpoint::Box& box : boxes_of(part)) {
    const std::uint64_t count = numel(box);
    targets.push_back({.name = name,
                       .box = std::move(box),
                       .out = std::as_writable_bytes(values.subspan(done, count))});
    done += count;
  }
}

}  // namespace

std::vector<checkpoint::Piece> pieces_of(std::span<const engine::StatePart> parts) {
  std::vector<checkpoint::Piece> pieces;
  const auto add = [&](const engine::StatePart& part, const char* suffix,
                       std::span<const float> values) {
    if (values.empty() || !part.saved) return;
    std::uint64_t done = 0;
    for (const checkpoint::Box& box : boxes_of(part)) {
      const std::uint64_t count = numel(box);
      pieces.push_back({.name = part.name + suffix,
                        .dtype = DType::float32,
                        .global_shape = part.global_shape,
                        .offset = box.offset,
                        .shape = box.shape,
                        .bytes = std::as_bytes(values.subspan(done, count))});
      done += count;
    }
  };
  for (const engine::StatePart& part : parts) add(part, "", part.weight);
  for (const engine::StatePart& part : parts) {
    add(part, kFirstMoment, part.first_moment);
    add(part, kSecondMoment, part.second_moment);
  }
  return pieces;
}

TensorNames tensor_names(const plan::ModelState& state) {
  TensorNames names;
  for (const plan::ParameterPlace& place : state.parameters) {
    const std::string& name = place.parameter.name;
    names.insert({name, name + kFirstMoment, name + kSecondMoment});
  }
  return names;
}

void require_known_tensors(const checkpoint::Opened& opened, const TensorNames& model) {
  for (const auto& [name, tensor] : opened.tensors()) {
    if (model.contains(name)) continue;
    throw Error(ErrorCode::bad_input,
                fmt::format("{}: it holds tensor {}, which the configuration's model lacks: the "
                            "checkpoint is of another model",
                            opened.path().string(), name));
  }
}

std::set<std::string> files_with(const checkpoint::Manifest& manifest,
                                 std::span<const engine::StatePart> parts) {
  std::map<std::string, std::vector<checkpoint::Box>, std::less<>> wanted;
  for (const engine::StatePart& part : parts) {
    const std::vector<checkpoint::Box> boxes = boxes_of(part);
    const auto add = [&](const std::string& name) {
      auto& all = wanted[name];
      all.insert(all.end(), boxes.begin(), boxes.end());
    };
    add(part.name);
    if (part.first_moment.empty()) continue;
    add(part.name + kFirstMoment);
    add(part.name + kSecondMoment);
  }
  std::set<std::string> files;
  for (const checkpoint::ShardFile& shard : manifest.shards) {
    const auto is_wanted = [&](const checkpoint::StoredPiece& piece) {
      const auto found = wanted.find(piece.name);
      return found != wanted.end() &&
             std::any_of(found->second.begin(), found->second.end(),
                         [&](const checkpoint::Box& box) { return intersect(box, piece.box); });
    };
    if (std::any_of(shard.pieces.begin(), shard.pieces.end(), is_wanted)) files.insert(shard.file);
  }
  return files;
}

std::vector<Target> targets_of(const checkpoint::Opened& opened,
                               std::span<const engine::StatePart> parts, Wanted wanted) {
  std::vector<Target> targets;
  for (const engine::StatePart& part : parts) {
    add_targets(targets, opened, part.name, part, part.weight);
    if (part.first_moment.empty() || wanted == Wanted::weights) continue;
    add_targets(targets, opened, part.name + kFirstMoment, part, part.first_moment);
    add_targets(targets, opened, part.name + kSecondMoment, part, part.second_moment);
  }
  return targets;
}

void load_parts(const checkpoint::Opened& opened, std::span<const engine::StatePart> parts) {
  for (const Target& target : targets_of(opened, parts))
    opened.read(target.name, target.box.offset, target.box.shape, target.out);
}

}  // namespace megascale::train
