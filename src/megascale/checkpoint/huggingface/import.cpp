// Imports a Hugging Face model. The tensors of all files are indexed by name without the family's
// prefix, since some files have it and some do not. The table in tensor_map.h then says which part
// of our tensors each one is. Pieces only remember where their bytes are; a save converts them one
// at a time, so the model may be larger than memory. Weights in 8 bits are then multiplied by their
// scales, in the order of the file, before rows are moved.
#include "megascale/checkpoint/huggingface/import.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <map>
#include <set>
#include <system_error>

#include "megascale/base/error.h"
#include "megascale/base/files.h"
#include "megascale/checkpoint/huggingface/block_scales.h"
#include "megascale/checkpoint/huggingface/family.h"
#include "megascale/checkpoint/huggingface/model_json.h"
#include "megascale/checkpoint/huggingface/tensor_map.h"
#include "megascale/checkpoint/json_text.h"
#include "megascale/checkpoint/safetensors.h"
#include "megascale/config/adapter_targets.h"
#include "megascale/config/derived.h"
#include "megascale/config/load.h"

namespace megascale::checkpoint::huggingface {
namespace {

// All tensors of a model directory, by name without the family's prefix. The pieces of an import
// share one object, which keeps the files mapped.
class ModelFiles {
 public:
  ModelFiles(const std::filesystem::path& directory, ModelType type) {
    const std::filesystem::path single = directory / "model.safetensors",
                                index = directory / "model.safetensors.index.json";
    std::error_code ignored;
    if (std::filesystem::exists(single, ignored)) {
      add(single, type);
    } else if (std::filesystem::exists(index, ignored)) {
      add_indexed(directory, index, type);
    } else {
      throw Error(
          ErrorCode::bad_input,
          fmt::format(
              "{}: expected model.safetensors or model.safetensors.index.json, found neither",
              directory.string()));
    }
  }
  struct Entry {
    const SafetensorsFile* file = nullptr;
    const StoredTensor* tensor = nullptr;
    std::string path;
    [[nodiscard]] std::span<const std::byte> bytes() const { return file->bytes(*tensor); }
  };
  [[nodiscard]] const Entry* find(const std::string& theirs) const {
    const auto found = entries_.find(theirs);
    return found == entries_.end() ? nullptr : &found->second;
  }
  [[nodiscard]] const std::map<std::string, Entry>& entries() const noexcept { return entries_; }
  // The files by name.
  [[nodiscard]] const std::map<std::string, const SafetensorsFile*>& files() const noexcept {
    return names_;
  }

 private:
  void add(const std::filesystem::path& path, ModelType type) {
    files_.push_back(std::make_unique<SafetensorsFile>(path));
    names_[path.filename().string()] = files_.back().get();
    const std::string_view prefix = prefix_of(type);
    for (const StoredTensor& tensor : files_.back()->header().tensors) {
      std::string name =
          tensor.name.starts_with(prefix) ? tensor.name.substr(prefix.size()) : tensor.name;
      if (!entries_.emplace(std::move(name), Entry{files_.back().get(), &tensor, path.string()})
               .second) {
        throw Error(ErrorCode::bad_input,
                    fmt::format("{}: expected each tensor once, found \"{}\" again", path.string(),
                                tensor.name));
      }
    }
  }
  void add_indexed(const std::filesystem::path& directory, const std::filesystem::path& index,
                   ModelType type) {
    const JsonSource source{index.string(), ErrorCode::bad_input};
    const nlohmann::json json = parse_json(read_text(index), source, 8);
    const nlohmann::json& weight_map = member(json, "weight_map", source, {});
    if (!weight_map.is_object())
      throw source.error(
          fmt::format("expected \"weight_map\" to be an object, found {}", shown(weight_map)));
    for (const auto& [tensor, file] : weight_map.items()) {
      const std::string name = file.is_string() ? file.get<std::string>() : std::string();
      if (name.empty() || name.front() == '.' ||
          name.find_first_of(std::string_view("/\0", 2)) != std::string::npos) {
        throw source.error(
            fmt::format("expected the name of a file in this directory for \"{}\", found {}",
                        shown(std::string_view(tensor)), shown(file)));
      }
      if (!names_.contains(name)) add(directory / name, type);
      if (names_[name]->find(tensor) == nullptr) {
        throw source.error(fmt::format("expected \"{}\" in {}, found none there",
                                       shown(std::string_view(tensor)), name));
      }
    }
  }

  std::vector<std::unique_ptr<SafetensorsFile>> files_;
  std::map<std::string, const SafetensorsFile*> names_;
  std::map<std::string, Entry> entries_;
};

// Weights that are not finite would make every step of a training fail, long after the import.
// `first`: the number of the first of them in their tensor.
void require_finite(std::span<const float> values, const ModelFiles::Entry& entry,
                    std::int64_t first) {
  const auto wrong = std::find_if_not(values.begin(), values.end(),
                                      [](float value) { return std::isfinite(value); });
  if (wrong == values.end()) return;
  throw Error(
      ErrorCode::bad_input,
      fmt::format("{}: expected finite weights in \"{}\", found {} as element {}", entry.path,
                  entry.tensor->name, *wrong, first + (wrong - values.begin())));
}

// Refuses the type or the shape of a weight.
[[noreturn]] void refuse_weight(const ModelFiles::Entry& entry, const Extents& shape,
                                std::string_view advice) {
  throw Error(
      ErrorCode::bad_input,
      fmt::format("{}: expected \"{}\" to be floating-point {}, as config.json says, found {} {}{}",
                  entry.path, entry.tensor->name, to_string(shape), to_string(entry.tensor->type),
                  to_string(entry.tensor->shape), advice));
}

// Returns the tensor of the scales of a weight in 8 bits.
const ModelFiles::Entry& find_scales(const ModelFiles& files, const ModelFiles::Entry& entry,
                                     const TensorMapping& mapping,
                                     const std::optional<ScaleBlocks>& blocks) {
  const Extents matrix = mapping.their_shape();
  if (!blocks) {
    refuse_weight(entry, matrix,
                  ": without quantization_config in config.json the blocks of its scales are "
                  "unknown; take config.json from where the weights are from");
  }
  const Extents shape = blocks->scales_of(matrix);
  const std::string name = mapping.theirs + std::string(kScalesSuffix);
  const ModelFiles::Entry* scales = files.find(name);
  if (scales == nullptr) {
    throw Error(ErrorCode::bad_input,
                fmt::format("{}: expected the tensor \"{}{}\", floating-point {}, with the scales "
                            "of \"{}\", which is F8_E4M3, found none: take all files from where "
                            "the weights are from",
                            entry.path, entry.tensor->name, kScalesSuffix, to_string(shape),
                            entry.tensor->name));
  }
  if (scales->tensor->shape != shape || !can_convert(scales->tensor->type)) {
    throw Error(
        ErrorCode::bad_input,
        fmt::format("{}: expected \"{}\" to be floating-point {}, a scale for every block of {} x "
                    "{} of \"{}\" {}, found {} {}: compare weight_block_size in config.json with "
                    "the files",
                    scales->path, scales->tensor->name, to_string(shape), blocks->rows,
                    blocks->columns, entry.tensor->name, to_string(matrix),
                    to_string(scales->tensor->type), to_string(scales->tensor->shape)));
  }
  return *scales;
}

std::vector<float> read_scales(const ModelFiles::Entry& entry) {
  std::vector<float> scales(*checked_numel(entry.tensor->shape));
  to_float32(entry.tensor->type, entry.bytes(), scales);
  const auto wrong = std::find_if_not(
      scales.begin(), scales.end(), [](float scale) { return std::isfinite(scale) && scale > 0; });
  if (wrong == scales.end()) return scales;
  throw Error(ErrorCode::bad_input,
              fmt::format("{}: expected finite scales above 0 in \"{}\", found {} as element {}: "
                          "take this file again from where the weights are from",
                          entry.path, entry.tensor->name, *wrong, wrong - scales.begin()));
}

// Where the values of a weight are in the files. Entries are elements of a std::map, so references
// to them stay valid as long as the files.
struct Source {
  const ModelFiles::Entry* weight = nullptr;
  const ModelFiles::Entry* scales = nullptr;  // null: the weight is not in 8 bits
  ScaleBlocks blocks;
};

Source find_source(const ModelFiles& files, const ModelFiles::Entry& entry,
                   const TensorMapping& mapping, const std::optional<ScaleBlocks>& blocks) {
  const Extents shape = mapping.their_shape();
  const StoredType type = entry.tensor->type;
  if (entry.tensor->shape != shape) refuse_weight(entry, shape, "");
  if (type == StoredType::float8_e4m3 && shape.size() == 2) {
    const ModelFiles::Entry& scales = find_scales(files, entry, mapping, blocks);
    return {&entry, &scales, *blocks};
  }
  if (!can_convert(type)) {
    const bool is_float8 = type == StoredType::float8_e4m3 || type == StoredType::float8_e5m2;
    refuse_weight(entry, shape,
                  is_float8 ? ": in 8 bits only matrices of type F8_E4M3 are read; use files in "
                              "bfloat16"
                            : "");
  }
  return {&entry};
}

// Reads the part of their tensor that is meant, in their order.
void read_part(const Source& source, const TensorMapping& mapping, std::span<float> values) {
  const std::span<const std::byte> bytes = mapping.part_of(source.weight->bytes());
  if (source.scales == nullptr) {
    to_float32(source.weight->tensor->type, bytes, values);
    return;
  }
  const std::vector<float> scales = read_scales(*source.scales);
  multiply_scales({.codes = bytes,
                   .scales = scales,
                   .first_row = static_cast<std::size_t>(mapping.their_row),
                   .columns = static_cast<std::size_t>(source.weight->tensor->shape[1]),
                   .blocks = source.blocks},
                  values);
}

Piece make_piece(const std::shared_ptr<const ModelFiles>& files, const Source& source,
                 const TensorMapping& mapping) {
  const Box box = mapping.box();
  // The lambda keeps `files` alive, and so the entries of `source`.
  auto fill = [files, source, mapping](std::span<std::byte> out) {
    const std::span<float> values(reinterpret_cast<float*>(out.data()), out.size() / sizeof(float));
    read_part(source, mapping, values);
    require_finite(values, *source.weight, mapping.their_row * std::ssize(values) / mapping.rows);
    if (mapping.keeps_order()) return;
    const std::vector<float> ours = to_ours(mapping, {values.begin(), values.end()});
    std::copy(ours.begin(), ours.end(), values.begin());
  };
  return {.name = mapping.ours,
          .dtype = DType::float32,
          .global_shape = mapping.shape,
          .offset = box.offset,
          .shape = box.shape,
          .bytes = {},
          .fill = std::move(fill)};
}

bool holds_the_same(const ModelFiles::Entry* a, const ModelFiles::Entry* b) {
  if (a == nullptr || b == nullptr) return a == b;
  const auto left = a->bytes(), right = b->bytes();
  return a->tensor->type == b->tensor->type && left.size() == right.size() &&
         std::memcmp(left.data(), right.data(), left.size()) == 0;
}

// If the head is tied, files may still hold a copy of it. The copy is skipped, but must equal the
// embedding.
void check_tied_head(const ModelFiles& files, const std::string& head_name,
                     const std::string& embedding) {
  const ModelFiles::Entry* head = files.find(head_name);
  const ModelFiles::Entry* table = files.find(embedding);
  if (head == nullptr || table == nullptr) return;
  const auto scales_of = [&](const std::string& name) {
    return files.find(name + std::string(kScalesSuffix));
  };
  if (!holds_the_same(head, table) || !holds_the_same(scales_of(head_name), scales_of(embedding))) {
    throw Error(ErrorCode::bad_input,
                fmt::format("{}: expected {} to equal \"{}\", as config.json says "
                            "tie_word_embeddings = true, found other values",
                            head->path, head_name, table->tensor->name));
  }
}

// Returns the number of the layer of a tensor without its prefix; -1 if it is of none.
std::int64_t layer_of(std::string_view name) {
  constexpr std::string_view kLayers = "layers.";
  std::int64_t layer = -1;
  if (name.starts_with(kLayers))
    (void)std::from_chars(name.data() + kLayers.size(), name.data() + name.size(), layer);
  return std::max<std::int64_t>(layer, -1);
}

// Returns the full names of the tensors of the first `layers` layers behind the last one of the model.
std::set<std::string> prediction_tensors(const ModelFiles& files, const ModelConfig& model,
                                         std::int64_t layers) {
  std::set<std::string> names;
  for (const auto& [name, entry] : files.entries()) {
    const std::int64_t behind = layer_of(name) - model.num_layers;
    if (behind >= 0 && behind < layers) names.insert(entry.tensor->name);
  }
  return names;
}

void refuse_unknown(const ModelFiles& files, ModelType type, const std::set<std::string>& known,
                    const std::set<std::string>& left_out) {
  std::vector<Error> errors;
  for (const auto& [name, entry] : files.entries()) {
    if (known.contains(name) || left_out.contains(entry.tensor->name) || is_buffer(type, name))
      continue;
    errors.emplace_back(ErrorCode::bad_input,
                        fmt::format("{}: expected only tensors of a {} model, found \"{}\"",
                                    entry.path, family_of(type).name, entry.tensor->name));
    if (errors.size() == 8) break;
  }
  if (!errors.empty()) throw join_errors(errors);
}

}  // namespace

Imported open_model(const std::filesystem::path& directory) try {
  const std::filesystem::path json = directory / "config.json";
  ParsedModelJson parsed = parse_model_json(read_text(json), json.string());
  const ModelConfig& model = parsed.model;
  Imported imported{.config = resolve(Config{.model = model}), .notes = std::move(parsed.notes)};
  const std::filesystem::path tokenizer = directory / "tokenizer.json";
  std::error_code ignored;
  if (model.vocab_size != 256 || std::filesystem::exists(tokenizer, ignored)) {
    imported.config.data.tokenizer = std::filesystem::absolute(tokenizer).string();
  }
  const auto files = std::make_shared<const ModelFiles>(directory, model.type);
  if (static_cast<std::uint64_t>(model.num_layers) > files->entries().size()) {
    throw Error(
        ErrorCode::bad_input,
        fmt::format("{}: expected tensors of {} layers, as config.json says, found {} in all",
                    directory.string(), model.num_layers, files->entries().size()));
  }
  std::set<std::string> known;
  std::set<const ModelFiles::Entry*> weights, weights_in_8_bits;
  for (const TensorMapping& mapping : tensor_map(model)) {
    const ModelFiles::Entry* entry = files->find(mapping.theirs);
    if (entry == nullptr) {
      throw Error(ErrorCode::bad_input,
                  fmt::format("{}: expected the tensor \"{}\" (with or without \"{}\"), found none",
                              directory.string(), mapping.theirs, prefix_of(model.type)));
    }
    const Source source = find_source(*files, *entry, mapping, parsed.scale_blocks);
    imported.weights.push_back(make_piece(files, source, mapping));
    known.insert(mapping.theirs);
    weights.insert(entry);
    if (source.scales == nullptr) continue;
    known.insert(mapping.theirs + std::string(kScalesSuffix));
    weights_in_8_bits.insert(entry);
  }
  if (parsed.scale_blocks) {
    imported.notes.push_back(
        fmt::format("{}: {} of {} weights are in 8 bits; they are multiplied by their scales, and "
                    "an export writes them without this key in bfloat16 or float32",
                    kQuantization, weights_in_8_bits.size(), weights.size()));
  }
  if (!model.untie_embeddings_and_output_weights) {
    const std::string head(head_name(model.type));
    check_tied_head(*files, head, tensor_map(model).front().theirs);
    known.insert({head, head + std::string(kScalesSuffix)});
  }
  const auto left_out = prediction_tensors(*files, model, parsed.prediction_layers);
  refuse_unknown(*files, model.type, known, left_out);
  imported.origin = read_origin(directory, model.type, files->files());
  leave_out(imported.origin, left_out);
  return imported;
} catch (Error& error) {
  error.add_context(fmt::format("importing {}", directory.string()));
  throw;
}

SaveReport save_imported(const Imported& imported, const std::filesystem::path& checkpoints,
                         const SaveOptions& options) {
  std::vector<Piece> pieces = imported.weights;
  std::set<std::string> names;
  for (const Piece& weight : imported.weights) {
    if (!names.insert(weight.name).second) continue;  // another part of the same tensor
    // Weights beside adapters are frozen and have no moments.
    if (has_adapters(imported.config.model) && !is_adapter_name(weight.name)) continue;
    for (const std::string_view suffix : {kFirstMomentSuffix, kSecondMomentSuffix}) {
      Piece moment =
          whole_piece(weight.name + std::string(suffix), DType::float32, weight.global_shape, {});
      moment.fill = [](std::span<std::byte> out) {
        std::fill(out.begin(), out.end(), std::byte{});
      };
      pieces.push_back(std::move(moment));
    }
  }
  const Config& config = imported.config;
  return save(checkpoints,
              {.step = 0,
               .consumed_samples = 0,
               .sample_digest = {},
               .seed = config.train.seed,
               .data_seed = config.data.seed,
               .update = {},
               .config = to_toml(config),
               .origin = to_text(imported.origin),
               .tokenizer = imported.tokenizer},
              pieces, options);
}

}  // namespace megascale::checkpoint::huggingface
