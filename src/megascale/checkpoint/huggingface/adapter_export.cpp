// Writes adapters as PEFT does. A layer of ours that is several of theirs gives each of them the whole A and
// its rows of B.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "megascale/base/error.h"
#include "megascale/checkpoint/huggingface/adapter_files.h"
#include "megascale/checkpoint/huggingface/adapter_map.h"
#include "megascale/checkpoint/huggingface/checkpoint_values.h"
#include "megascale/checkpoint/huggingface/output_directory.h"
#include "megascale/config/derived.h"

namespace megascale::checkpoint::huggingface {
namespace {

std::string adapter_json(const ModelConfig& model, const std::vector<AdapterMapping>& adapters) {
  std::vector<std::string> modules;
  for (const AdapterMapping& adapter : adapters) {
    const std::string module = target_module(adapter.module);
    if (std::find(modules.begin(), modules.end(), module) == modules.end())
      modules.push_back(module);
  }
  const double alpha = model.lora.alpha;
  nlohmann::ordered_json json{{"peft_type", "LORA"},
                              {"task_type", "CAUSAL_LM"},
                              {"base_model_name_or_path", nullptr},
                              {"r", model.lora.rank},
                              {"lora_alpha", alpha},
                              {"lora_dropout", 0.0},
                              {"target_modules", modules},
                              {"bias", "none"},
                              // GPT-2's linear layers have transposed weights; adapters have not.
                              {"fan_in_fan_out", model.type == ModelType::gpt2},
                              {"use_rslora", false},
                              {"use_dora", false},
                              {"inference_mode", true}};
  if (alpha == std::floor(alpha)) json["lora_alpha"] = static_cast<std::int64_t>(alpha);
  return json.dump(2) + "\n";
}

}  // namespace

ExportReport export_adapters(const Opened& checkpoint, const std::filesystem::path& output) try {
  const ModelConfig model = exportable_model(checkpoint);
  if (!has_adapters(model)) {
    throw Error(ErrorCode::bad_input,
                fmt::format("{}: expected a checkpoint with adapters, found lora.rank = 0 in its "
                            "configuration; export it without --adapters",
                            checkpoint.path().string()));
  }
  const std::vector<AdapterMapping> adapters = adapter_map(model);
  std::vector<const TensorMapping*> parts;
  for (const AdapterMapping& adapter : adapters) {
    for (const TensorMapping* part : {&adapter.a, &adapter.b}) {
      check_tensor(checkpoint, *part);
      parts.push_back(part);
    }
  }
  ExportReport report{.files = {"adapter_config.json", "adapter_model.safetensors"}};
  std::vector<StoredTensor> tensors;
  for (const TensorMapping* part : parts) {
    tensors.push_back(
        {.name = part->theirs, .type = StoredType::float32, .shape = part->their_shape()});
    report.nbytes += *checked_numel(part->box().shape) * sizeof(float);
  }
  // The library transformers refuses files without the key "format".
  const std::string header = make_safetensors_header(tensors, {{"format", "pt"}});
  write_directory(output, report.nbytes, [&](const std::filesystem::path& directory) {
    const Storage storage;
    write_file(directory / report.files[0], adapter_json(model, adapters), storage);
    const std::filesystem::path path = directory / report.files[1];
    const FileHandle file = storage.create_file(path);
    storage.write(file, std::as_bytes(std::span(header)), path);
    for (const TensorMapping* part : parts) {
      const std::vector<float> values = to_theirs(*part, read_values(checkpoint, *part));
      storage.write(file, std::as_bytes(std::span(values)), path);
    }
    storage.sync(file, path);
  });
  return report;
} catch (Error& error) {
  error.add_context(fmt::format("exporting the adapters of {} to {}", checkpoint.path().string(),
                                output.string()));
  throw;
}

}  // namespace megascale::checkpoint::huggingface
