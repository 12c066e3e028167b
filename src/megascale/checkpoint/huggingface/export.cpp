// Exports a checkpoint as a Hugging Face model. All tensors are first checked against the table in
// tensor_map.h: none may be missing and none left over. The files are written to a partial
// directory beside the output, synced, and renamed, so an interrupted export never looks complete.
// One tensor at a time is read, transposed if needed, converted and written.
#include "megascale/checkpoint/huggingface/export.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <system_error>

#include "megascale/base/error.h"
#include "megascale/base/files.h"
#include "megascale/checkpoint/huggingface/adapter_map.h"
#include "megascale/checkpoint/huggingface/checkpoint_values.h"
#include "megascale/checkpoint/huggingface/model_json.h"
#include "megascale/checkpoint/huggingface/origin.h"
#include "megascale/checkpoint/huggingface/output_directory.h"
#include "megascale/checkpoint/huggingface/runs.h"
#include "megascale/checkpoint/huggingface/tensor_map.h"
#include "megascale/checkpoint/storage.h"

namespace megascale::checkpoint::huggingface {
namespace {

// Returns the full name of the tensor in the file. The head stands outside the family's prefix.
std::string full_name(const ModelConfig& model, const TensorMapping& mapping) {
  if (mapping.theirs == head_name(model.type)) return mapping.theirs;
  return std::string(prefix_of(model.type)) + mapping.theirs;
}

// Checks that every tensor of the checkpoint is a weight of the model, a part of an adapter, or a moment.
// Otherwise the export would silently lose weights.
void check_complete(const Opened& checkpoint, const std::vector<TensorMapping>& map,
                    const std::vector<AdapterMapping>& adapters) {
  std::set<std::string, std::less<>> known;
  for (const TensorMapping& mapping : map) known.insert(mapping.ours);
  for (const AdapterMapping& adapter : adapters) known.insert({adapter.a.ours, adapter.b.ours});
  for (const auto& [name, tensor] : checkpoint.tensors()) {
    std::string_view weight = name;
    for (const std::string_view suffix : {kFirstMomentSuffix, kSecondMomentSuffix}) {
      if (weight.ends_with(suffix)) weight.remove_suffix(suffix.size());
    }
    if (!known.contains(weight)) {
      throw Error(
          ErrorCode::bad_input,
          fmt::format("{}: expected only tensors of the model of its configuration, found \"{}\"",
                      checkpoint.path().string(), name));
    }
  }
}

// Returns values of ours in the layout and dtype of the export.
std::vector<std::byte> their_bytes(std::vector<float> values, const TensorMapping& mapping,
                                   StoredType dtype) {
  values = to_theirs(mapping, std::move(values));
  std::vector<std::byte> bytes(values.size() * itemsize(dtype));
  from_float32(dtype, values, bytes);
  return bytes;
}

// Writes the files of one export. The constructor checks all tensors before anything is written.
// The files are those of the directory that the weights were imported from, if they can be made
// again and no other type is asked for.
class Exporter {
 public:
  Exporter(const Opened& checkpoint, const ModelConfig& model, const ExportOptions& options)
      : checkpoint_(checkpoint), model_(model), options_(options), map_(tensor_map(model_)) {
    const std::vector<AdapterMapping> adapters = adapter_map(model_);
    check_complete(checkpoint_, map_, adapters);
    for (const TensorMapping& mapping : map_) check_tensor(checkpoint_, mapping);
    for (const AdapterMapping& adapter : adapters) {
      check_tensor(checkpoint_, adapter.a);
      check_tensor(checkpoint_, adapter.b);
      adapters_.emplace(adapter.weight.theirs, adapter);
    }
    if (const std::string& text = checkpoint.state().origin; !text.empty()) {
      origin_ = parse_origin(text, manifest());
      if (auto files = plan_as_origin(origin_, map_, model_.type,
                                      !model_.untie_embeddings_and_output_weights);
          files && (!options_.dtype || all_of_type(*files, *options_.dtype))) {
        files_ = std::move(*files);
        as_origin_ = true;
      }
    }
    if (!as_origin_) plan_own_files();
    for (const FilePlan& file : files_) {
      for (const FilePlan::Part& part : file.parts) report_.nbytes += part.nbytes;
    }
  }
  [[nodiscard]] const ExportReport& report() const noexcept { return report_; }

  void write(const std::filesystem::path& directory) {
    nlohmann::ordered_json weight_map;
    for (const FilePlan& file : files_) {
      write_tensors(directory / file.name, file);
      report_.files.push_back(file.name);
      if (as_origin_) continue;
      for (const FilePlan::Part& part : file.parts)
        weight_map[full_name(model_, *part.mapping)] = file.name;
    }
    if (files_.size() > 1 && !as_origin_) {
      const nlohmann::ordered_json index{{"metadata", {{"total_size", report_.nbytes}}},
                                         {"weight_map", weight_map}};
      write_text(directory, kIndex, index.dump(2) + "\n");
    }
    // Files of our own have one type, whatever the imported ones had.
    const ModelJsonOptions json{
        .dtype = as_origin_ ? options_.dtype : options_.dtype.value_or(StoredType::float32),
        .eos_token_id = options_.eos_token_id};
    if (!origin_.texts.contains(kModelJson))
      write_text(directory, kModelJson, to_model_json(model_, json));
    for (const auto& [name, text] : origin_.texts) {
      if (name == kIndex && !as_origin_) continue;
      write_text(directory, name,
                 name == kModelJson ? update_model_json(text, model_, json) : text);
    }
    copy_tokenizer(directory);
  }

 private:
  static constexpr const char* kModelJson = "config.json";
  static constexpr const char* kIndex = "model.safetensors.index.json";

  [[nodiscard]] static bool all_of_type(std::span<const FilePlan> files, StoredType type) {
    return std::all_of(files.begin(), files.end(), [&](const FilePlan& file) {
      return std::all_of(file.parts.begin(), file.parts.end(), [&](const FilePlan::Part& part) {
        return part.mapping == nullptr ||
               part.type == (part.mapping->stays_float32 ? StoredType::float32 : type);
      });
    });
  }
  [[nodiscard]] std::string manifest() const {
    return (checkpoint_.path() / "manifest.json").string();
  }
  // Plans files of our own: consecutive tensors in files of at most file_nbytes_max bytes.
  void plan_own_files() {
    std::uint64_t size = 0;
    for (const TensorMapping& mapping : map_) {
      const StoredType type = mapping.stays_float32 ? StoredType::float32
                                                    : options_.dtype.value_or(StoredType::float32);
      const FilePlan::Part part{
          &mapping, type, {}, *checked_numel(mapping.box().shape) * itemsize(type)};
      size += part.nbytes;
      const bool starts = mapping.their_row == 0;  // a tensor; files do not divide one
      if (files_.empty() || (starts && size > options_.file_nbytes_max)) {
        files_.emplace_back();
        size = part.nbytes;
      }
      files_.back().parts.push_back(part);
    }
    for (std::size_t f = 0; f < files_.size(); ++f) {
      FilePlan& file = files_[f];
      file.name = files_.size() == 1
                      ? "model.safetensors"
                      : fmt::format("model-{:05}-of-{:05}.safetensors", f + 1, files_.size());
      std::vector<StoredTensor> tensors;
      for (const FilePlan::Part& part : file.parts) {
        if (part.mapping->their_row > 0) continue;
        tensors.push_back({.name = full_name(model_, *part.mapping),
                           .type = part.type,
                           .shape = part.mapping->their_shape()});
      }
      // The library transformers refuses files without the key "format".
      file.header = make_safetensors_header(tensors, {{"format", "pt"}});
    }
  }
  void write_text(const std::filesystem::path& directory, const std::string& name,
                  const std::string& text) {
    write_file(directory / name, text, storage_);
    report_.files.push_back(name);
  }
  // The library transformers opens a tokenizer.json by the class in tokenizer_config.json.
  void copy_tokenizer(const std::filesystem::path& directory) {
    const auto& tokenizer = checkpoint_.state().tokenizer;
    if (!tokenizer) return;
    bool has_json = false, has_config = false;
    for (const TokenizerFile& file : tokenizer->files) {
      has_json = has_json || file.name == "tokenizer.json";
      has_config = has_config || file.name == "tokenizer_config.json";
      write_text(directory, file.name, read_text(checkpoint_.path() / file.name));
    }
    // An imported model gets the files back that it had.
    if (!has_json || has_config || !checkpoint_.state().origin.empty()) return;
    nlohmann::ordered_json config{{"tokenizer_class", "PreTrainedTokenizerFast"},
                                  {"model_max_length", model_.seq_length}};
    if (!options_.eos_token.empty()) config["eos_token"] = options_.eos_token;
    write_text(directory, "tokenizer_config.json", config.dump(2) + "\n");
  }
  // Returns a weight as it is in the checkpoint, plus alpha / rank B A if it has an adapter.
  [[nodiscard]] std::vector<float> merged_values(const TensorMapping& mapping) const {
    std::vector<float> values = read_values(checkpoint_, mapping);
    if (const auto found = adapters_.find(mapping.theirs); found != adapters_.end()) {
      const AdapterMapping& adapter = found->second;
      const LoraConfig& lora = model_.lora;
      add_product(values, read_values(checkpoint_, adapter.a), read_values(checkpoint_, adapter.b),
                  static_cast<std::size_t>(lora.rank),
                  static_cast<float>(lora.alpha / static_cast<double>(lora.rank)));
    }
    return values;
  }
  [[nodiscard]] std::vector<std::byte> bytes_of(const FilePlan::Part& part) const {
    if (part.mapping != nullptr)
      return their_bytes(merged_values(*part.mapping), *part.mapping, part.type);
    return parse_runs(origin_.buffers.at(part.buffer), itemsize(part.type), part.nbytes,
                      JsonSource{manifest()}, part.buffer);
  }
  void write_tensors(const std::filesystem::path& path, const FilePlan& plan) const {
    const FileHandle file = storage_.create_file(path);
    storage_.write(file, std::as_bytes(std::span(plan.header)), path);
    for (const FilePlan::Part& part : plan.parts) storage_.write(file, bytes_of(part), path);
    storage_.sync(file, path);
  }

  const Opened& checkpoint_;
  ModelConfig model_;
  ExportOptions options_;
  std::vector<TensorMapping> map_;
  std::map<std::string, AdapterMapping> adapters_;  // by `theirs` of the weight
  Origin origin_;                                   // empty if the weights were not imported
  bool as_origin_ = false;                          // files_ are those of origin_
  std::vector<FilePlan> files_;
  ExportReport report_;
  Storage storage_;
};

}  // namespace

ExportReport export_model(const Opened& checkpoint, const std::filesystem::path& output,
                          const ExportOptions& options) try {
  MEGASCALE_CHECK(!options.dtype || *options.dtype == StoredType::float32 ||
                      *options.dtype == StoredType::bfloat16,
                  "an export is float32 or bfloat16");
  Exporter exporter(checkpoint, exportable_model(checkpoint), options);
  write_directory(output, exporter.report().nbytes,
                  [&](const std::filesystem::path& directory) { exporter.write(directory); });
  return exporter.report();
} catch (Error& error) {
  error.add_context(fmt::format("exporting {} to {}", checkpoint.path().string(), output.string()));
  throw;
}

}  // namespace megascale::checkpoint::huggingface
