// Exports a checkpoint as a Hugging Face model. All tensors are first checked against the table in
// tensor_map.h: none may be missing and none left over. The files are written to a partial
// directory beside the output, synced, and renamed, so an interrupted export never looks complete.
// One tensor at a time is read, transposed if needed, converted and written.
#include "megascale/checkpoint/huggingface/export.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <system_error>

#include "megascale/base/error.h"
#include "megascale/checkpoint/huggingface/model_json.h"
#include "megascale/checkpoint/huggingface/tensor_map.h"
#include "megascale/checkpoint/storage.h"
#include "megascale/config/load.h"

namespace megascale::checkpoint::huggingface {
namespace {

// Returns the full name of the tensor in the file. lm_head.weight stands outside the family's
// prefix.
std::string full_name(const ModelConfig& model, const TensorMapping& mapping) {
  if (mapping.theirs == "lm_head.weight") return mapping.theirs;
  return std::string(prefix_of(model.type)) + mapping.theirs;
}

void check_tensor(const Opened& checkpoint, const TensorMapping& mapping) {
  const LogicalTensor& tensor = checkpoint.tensor(mapping.ours);
  if (tensor.dtype != DType::float32 || tensor.shape != mapping.shape) {
    throw Error(
        ErrorCode::bad_input,
        fmt::format("{}: expected \"{}\" to be float32 {}, as its configuration says, found {} {}",
                    checkpoint.path().string(), mapping.ours, to_string(mapping.shape),
                    to_string(tensor.dtype), to_string(tensor.shape)));
  }
}

// Checks that every tensor of the checkpoint is a weight of the model or a moment. Otherwise the
// export would silently lose weights.
void check_complete(const Opened& checkpoint, const std::vector<TensorMapping>& map) {
  std::set<std::string, std::less<>> known;
  for (const TensorMapping& mapping : map) known.insert(mapping.ours);
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

// Reads one tensor from the checkpoint, and returns it in the layout and dtype of the export.
std::vector<std::byte> their_bytes(const Opened& checkpoint, const TensorMapping& mapping,
                                   StoredType dtype) {
  const Box box = mapping.box();
  std::vector<float> values(*checked_numel(box.shape));
  checkpoint.read(mapping.ours, box.offset, box.shape, std::as_writable_bytes(std::span(values)));
  if (mapping.transposed) {
    std::vector<float> turned(values.size());
    transpose(values, static_cast<std::size_t>(box.shape[0]),
              static_cast<std::size_t>(box.shape[1]), turned);
    values = std::move(turned);
  }
  std::vector<std::byte> bytes(values.size() * itemsize(dtype));
  from_float32(dtype, values, bytes);
  return bytes;
}

void write_file(const std::filesystem::path& path, std::string_view text, const Storage& storage) {
  const FileHandle file = storage.create_file(path);
  storage.write(file, std::as_bytes(std::span(text.data(), text.size())), path);
  storage.sync(file, path);
}

// Writes the files of one export. The constructor checks all tensors before anything is written.
class Exporter {
 public:
  Exporter(const Opened& checkpoint, const ModelConfig& model, const ExportOptions& options)
      : checkpoint_(checkpoint), model_(model), options_(options), map_(tensor_map(model_)) {
    check_complete(checkpoint_, map_);
    for (const TensorMapping& mapping : map_) {
      check_tensor(checkpoint_, mapping);
      report_.nbytes += nbytes(mapping);
    }
  }
  [[nodiscard]] const ExportReport& report() const noexcept { return report_; }

  void write(const std::filesystem::path& directory) {
    // Groups consecutive tensors into files of at most file_nbytes_max bytes.
    std::vector<std::span<const TensorMapping>> files;
    for (std::span<const TensorMapping> rest = map_; !rest.empty();) {
      std::size_t count = 0;
      for (std::uint64_t size = 0; count < rest.size(); ++count) {
        size += nbytes(rest[count]);
        if (count > 0 && size > options_.file_nbytes_max) break;
      }
      files.push_back(rest.first(count));
      rest = rest.subspan(count);
    }
    nlohmann::ordered_json weight_map;
    for (std::size_t f = 0; f < files.size(); ++f) {
      const std::string name =
          files.size() == 1 ? "model.safetensors"
                            : fmt::format("model-{:05}-of-{:05}.safetensors", f + 1, files.size());
      write_tensors(directory / name, files[f]);
      report_.files.push_back(name);
      for (const TensorMapping& mapping : files[f]) weight_map[full_name(model_, mapping)] = name;
    }
    if (files.size() > 1) {
      const nlohmann::ordered_json index{{"metadata", {{"total_size", report_.nbytes}}},
                                         {"weight_map", weight_map}};
      write_text(directory, "model.safetensors.index.json", index.dump(2) + "\n");
    }
    write_text(
        directory, "config.json",
        to_model_json(model_, {.dtype = options_.dtype, .eos_token_id = options_.eos_token_id}));
  }

 private:
  [[nodiscard]] std::uint64_t nbytes(const TensorMapping& mapping) const {
    return *checked_numel(mapping.box().shape) * itemsize(options_.dtype);
  }
  void write_text(const std::filesystem::path& directory, const std::string& name,
                  const std::string& text) {
    write_file(directory / name, text, storage_);
    report_.files.push_back(name);
  }
  void write_tensors(const std::filesystem::path& path,
                     std::span<const TensorMapping> mappings) const {
    std::vector<StoredTensor> tensors;
    for (const TensorMapping& mapping : mappings) {
      tensors.push_back({.name = full_name(model_, mapping),
                         .type = options_.dtype,
                         .shape = mapping.their_shape()});
    }
    // The library transformers refuses files without the key "format".
    const std::string header = make_safetensors_header(tensors, {{"format", "pt"}});
    const FileHandle file = storage_.create_file(path);
    storage_.write(file, std::as_bytes(std::span(header.data(), header.size())), path);
    for (const TensorMapping& mapping : mappings)
      storage_.write(file, their_bytes(checkpoint_, mapping, options_.dtype), path);
    storage_.sync(file, path);
  }

  const Opened& checkpoint_;
  ModelConfig model_;
  ExportOptions options_;
  std::vector<TensorMapping> map_;
  ExportReport report_;
  Storage storage_;
};

}  // namespace

ExportReport export_model(const Opened& checkpoint, const std::filesystem::path& output,
                          const ExportOptions& options) try {
  MEGASCALE_CHECK(options.dtype == StoredType::float32 || options.dtype == StoredType::bfloat16,
                  "an export is float32 or bfloat16");
  const ModelConfig model =
      parse_config(checkpoint.state().config, (checkpoint.path() / "manifest.json").string()).model;
  check_exportable(model);
  Exporter exporter(checkpoint, model, options);
  const std::filesystem::path absolute = std::filesystem::absolute(output).lexically_normal();
  const std::filesystem::path target = absolute.has_filename() ? absolute : absolute.parent_path();
  std::error_code error;
  if (std::filesystem::exists(target, error) && !std::filesystem::is_empty(target, error)) {
    throw Error(
        ErrorCode::bad_input,
        fmt::format("{}: expected a directory that does not exist or is empty", output.string()));
  }
  const Storage storage;
  storage.create_directories(target.parent_path());
  require_space(target.parent_path(), exporter.report().nbytes + (std::uint64_t{1} << 20),
                "the export");
  const std::filesystem::path partial =
      target.parent_path() / fmt::format(".partial-{}-{}", target.filename().string(), random_id());
  storage.create_directory(partial);
  try {
    exporter.write(partial);
    storage.sync_directory(partial);
    storage.rename(partial, target);
  } catch (...) {
    std::filesystem::remove_all(partial, error);
    throw;
  }
  storage.sync_directory(target.parent_path());
  return exporter.report();
} catch (Error& error) {
  error.add_context(fmt::format("exporting {} to {}", checkpoint.path().string(), output.string()));
  throw;
}

}  // namespace megascale::checkpoint::huggingface
