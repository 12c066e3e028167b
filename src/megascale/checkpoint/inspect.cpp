// Collects the summary of a checkpoint from its manifest and renders it as JSON.
#include "megascale/checkpoint/inspect.h"

#include <nlohmann/json.hpp>

#include "megascale/checkpoint/open.h"
#include "megascale/checkpoint/storage.h"

namespace megascale::checkpoint {

Inspection inspect(const std::filesystem::path& path) {
  const Opened opened(path, Check::on_read);
  Inspection inspection{.path = path,
                        .generation = opened.manifest().generation,
                        .world_size = opened.manifest().world_size,
                        .state = opened.state(),
                        .files = opened.manifest().shards.size(),
                        .nbytes = directory_nbytes(path),
                        .tensors = {}};
  for (const auto& [name, tensor] : opened.tensors()) {
    inspection.tensors.push_back({name, tensor.dtype, tensor.shape, tensor.pieces.size()});
    if (!name.ends_with(kFirstMomentSuffix) && !name.ends_with(kSecondMomentSuffix)) {
      inspection.parameters += checked_numel(tensor.shape).value_or(0);
    }
  }
  return inspection;
}

std::string to_json(const Inspection& inspection) {
  nlohmann::ordered_json json;
  json["path"] = inspection.path.string();
  json["generation"] = inspection.generation;
  json["world_size"] = inspection.world_size;
  const RunState& state = inspection.state;
  json["step"] = state.step;
  json["consumed_samples"] = state.consumed_samples;
  json["sample_digest"] = state.sample_digest;
  json["seed"] = state.seed;
  json["data_seed"] = state.data_seed;
  json["updates"] = state.update.updates;
  json["skipped"] = state.update.skipped;
  json["files"] = inspection.files;
  json["nbytes"] = inspection.nbytes;
  json["parameters"] = inspection.parameters;
  json["tensors"] = nlohmann::ordered_json::array();
  for (const TensorSummary& tensor : inspection.tensors) {
    json["tensors"].push_back({{"name", tensor.name},
                               {"dtype", to_string(tensor.dtype)},
                               {"shape", tensor.shape},
                               {"pieces", tensor.pieces}});
  }
  json["config"] = state.config;
  // A path may contain bytes that are not UTF-8; they are replaced.
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace megascale::checkpoint
