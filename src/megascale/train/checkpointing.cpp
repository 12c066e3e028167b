// Connects three descriptions of a state: StatePart (on a rank), Piece (in a save) and the logical
// tensors of a checkpoint. A part is a run of elements of a box, which is not a box itself; so it
// is divided into boxes. In a save of several ranks the ranks exchange text messages through rank
// 0. A rank that has failed sends its error as a message beginning with "!", so that all ranks
// learn the outcome and none waits for it.
#include "megascale/train/checkpointing.h"

#include <fmt/format.h>

#include <set>

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

// Reads the elements of `part` from the tensor `name` into `out`.
void load(const checkpoint::Opened& opened, const std::string& name, const engine::StatePart& part,
          std::span<float> out) {
  const auto& tensor = opened.tensor(name);
  if (tensor.shape != part.global_shape || tensor.dtype != DType::float32) {
    throw Error(ErrorCode::bad_input,
                fmt::format("{}: tensor {} is {} [{}], the configuration makes it float32 [{}]: "
                            "the checkpoint is of another model",
                            opened.path().string(), name, to_string(tensor.dtype),
                            fmt::join(tensor.shape, ", "), fmt::join(part.global_shape, ", ")));
  }
  std::uint64_t done = 0;
  for (const checkpoint::Box& box : boxes_of(part)) {
    const std::uint64_t count = numel(box);
    opened.read(name, box.offset, box.shape, std::as_writable_bytes(out.subspan(done, count)));
    done += count;
  }
}

// Returns the message with which a rank reports a failure. Other messages do not begin with "!".
std::string failure_message(const std::exception& error) {
  return std::string("!").append(error.what());
}
// Throws the Error of the first message that reports a failure. messages[r] is of rank r.
void require_success(std::span<const std::string> messages) {
  for (std::size_t rank = 0; rank < messages.size(); ++rank) {
    if (!messages[rank].empty() && messages[rank][0] == '!') {
      throw Error(ErrorCode::failed, messages.size() == 1 ? messages[rank].substr(1)
                                                          : fmt::format("rank {}: {}", rank,
                                                                        messages[rank].substr(1)));
    }
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

void load_parts(const checkpoint::Opened& opened, std::span<const engine::StatePart> parts) {
  for (const engine::StatePart& part : parts) {
    load(opened, part.name, part, part.weight);
    if (part.first_moment.empty()) continue;
    load(opened, part.name + kFirstMoment, part, part.first_moment);
    load(opened, part.name + kSecondMoment, part, part.second_moment);
  }
}

void load_weights(const checkpoint::Opened& opened, std::span<const engine::StatePart> parts) {
  for (const engine::StatePart& part : parts) load(opened, part.name, part, part.weight);
}

JointSaveReport save_together(comm::Coordination& coordination, const JointSave& save,
                              const checkpoint::RunState& state,
                              std::span<const checkpoint::Piece> pieces) {
  checkpoint::SaveOptions options{.rank = coordination.rank(),
                                  .world_size = coordination.world_size(),
                                  .keep_last = save.keep_last,
                                  .before_action = save.before_action,
                                  .pace = save.pace};
  const std::string about = fmt::format("saving the checkpoint of step {}", state.step);
  std::uint64_t nbytes = 0;
  for (const checkpoint::Piece& piece : pieces) nbytes += checkpoint::piece_nbytes(piece);
  const auto sizes = coordination.gather(std::to_string(nbytes), about);
  const bool leads = coordination.rank() == 0;
  checkpoint::PendingSave pending;
  JointSaveReport report;
  std::string begun;  // "GENERATION PATH"
  if (leads) {
    try {
      for (const std::string& size : sizes) report.nbytes += std::stoull(size);
      if (save.require_owner) options.epoch = save.require_owner();
      pending = checkpoint::begin_save(save.directory, state.step, report.nbytes, options);
      begun = pending.generation + " " + pending.partial.string();
    } catch (const std::exception& error) {
      begun = failure_message(error);
    }
  }
  begun = coordination.broadcast(begun, about);
  require_success({&begun, 1});
  if (!leads) {
    const std::size_t space = begun.find(' ');
    pending.directory = save.directory;
    pending.generation = begun.substr(0, space);
    pending.partial = begun.substr(space + 1);
    pending.step = state.step;
  }
  std::string written;
  try {
    written = checkpoint::to_text(checkpoint::write_shards(pending, pieces, options));
  } catch (const std::exception& error) {
    written = failure_message(error);
  }
  std::vector<std::string> shards;
  try {
    shards = coordination.gather(written, about);
  } catch (const Error&) {  // a rank is lost
    if (leads) checkpoint::abandon_save(pending, options);
    throw;
  }
  std::string outcome;
  if (leads) {
    try {
      require_success(shards);
      std::vector<checkpoint::ShardFile> files;
      for (std::size_t rank = 0; rank < shards.size(); ++rank) {
        for (auto& file : checkpoint::parse_shards(shards[rank], fmt::format("rank {}", rank))) {
          files.push_back(std::move(file));
        }
      }
      if (save.require_owner) options.epoch = save.require_owner();
      report.notes = checkpoint::commit_save(pending, state, std::move(files), options).notes;
    } catch (const std::exception& error) {
      checkpoint::abandon_save(pending, options);
      outcome = failure_message(error);
    }
  }
  outcome = coordination.broadcast(outcome, about);
  require_success({&outcome, 1});
  return report;
}

}  // namespace megascale::train
