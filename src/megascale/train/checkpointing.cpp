#include "megascale/train/checkpointing.h"

#include <fmt/format.h>

#include <set>

namespace megascale::train {
namespace {

constexpr const char* kFirstMoment = ".first_moment";
constexpr const char* kSecondMoment = ".second_moment";

void load(const checkpoint::Opened& opened, const std::string& name,
          const std::vector<std::int64_t>& shape, std::span<float> out) {
  const auto& tensor = opened.tensor(name);
  if (tensor.shape != shape || tensor.dtype != DType::float32) {
    throw Error(ErrorCode::bad_input,
                fmt::format("{}: tensor {} is {} [{}], the configuration makes it float32 [{}]: "
                            "the checkpoint is of another model",
                            opened.path().string(), name, to_string(tensor.dtype),
                            fmt::join(tensor.shape, ", "), fmt::join(shape, ", ")));
  }
  opened.read(name, std::as_writable_bytes(out));
}

}  // namespace

std::filesystem::path checkpoint_directory(const Config& config) {
  return config.checkpoint.dir.empty() ? std::filesystem::path(config.train.run_dir) / "checkpoints"
                                       : std::filesystem::path(config.checkpoint.dir);
}

std::vector<checkpoint::Piece> pieces_of(std::span<const engine::StateTensor> tensors) {
  std::vector<checkpoint::Piece> pieces;
  const auto add = [&](const engine::StateTensor& tensor, const char* suffix,
                       std::span<const float> values) {
    if (values.empty()) return;
    pieces.push_back({.name = tensor.name + suffix,
                      .dtype = DType::float32,
                      .global_shape = tensor.shape,
                      .offset = std::vector<std::int64_t>(tensor.shape.size(), 0),
                      .shape = tensor.shape,
                      .bytes = std::as_bytes(values)});
  };
  for (const engine::StateTensor& tensor : tensors) add(tensor, "", tensor.weight);
  for (const engine::StateTensor& tensor : tensors) {
    add(tensor, kFirstMoment, tensor.first_moment);
    add(tensor, kSecondMoment, tensor.second_moment);
  }
  return pieces;
}

void load_tensors(const checkpoint::Opened& opened, std::span<const engine::StateTensor> tensors) {
  std::set<std::string, std::less<>> known;
  for (const engine::StateTensor& tensor : tensors)
    known.insert({tensor.name, tensor.name + kFirstMoment, tensor.name + kSecondMoment});
  for (const auto& [name, tensor] : opened.tensors()) {
    if (known.contains(name)) continue;
    throw Error(ErrorCode::bad_input,
                fmt::format("{}: it holds tensor {}, which the configuration's model lacks: the "
                            "checkpoint is of another model",
                            opened.path().string(), name));
  }
  for (const engine::StateTensor& tensor : tensors) {
    load(opened, tensor.name, tensor.shape, tensor.weight);
    if (tensor.first_moment.empty()) continue;
    load(opened, tensor.name + kFirstMoment, tensor.shape, tensor.first_moment);
    load(opened, tensor.name + kSecondMoment, tensor.shape, tensor.second_moment);
  }
}

std::string other_samples(const Config& config, const checkpoint::RunState& state) {
  if (state.step == 0) return {};
  const std::int64_t place = state.step * config.train.global_batch_size;
  if (state.consumed_samples != place) {
    return fmt::format(
        "train.global_batch_size = {}: step {} would begin at sample {}, the checkpoint has "
        "consumed {}",
        config.train.global_batch_size, state.step, place, state.consumed_samples);
  }
  if (state.data_seed != config.data.seed) {
    return fmt::format("data.seed = {}: the checkpoint's samples were ordered by {}",
                       config.data.seed, state.data_seed);
  }
  return {};
}

std::optional<checkpoint::Opened> open_for_resume(
    const Config& config, const std::function<void(const std::string&)>& on_message) {
  const auto report = [&](const Error& error) {
    on_message("checkpoint passed over: " + error.message());
  };
  std::optional<checkpoint::Opened> own =
      checkpoint::open_newest(checkpoint_directory(config), report);
  if (own || config.checkpoint.load.empty()) return own;
  return checkpoint::open_path(config.checkpoint.load, report);
}

}  // namespace megascale::train
