// Reads adapters of PEFT. Where a layer of ours is several of theirs, say query, key and value, their
// adapters (A1, B1), (A2, B2) become one: A is A1 above A2, and B has B1 in the rows of the first and the
// columns of A1, B2 in those of the second, zeros elsewhere. Equal A are taken once, so what an export of
// ours has written comes back as it was.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "megascale/base/error.h"
#include "megascale/base/files.h"
#include "megascale/checkpoint/huggingface/adapter_files.h"
#include "megascale/checkpoint/huggingface/adapter_map.h"
#include "megascale/checkpoint/huggingface/family.h"
#include "megascale/checkpoint/huggingface/json_reader.h"
#include "megascale/config/adapter_targets.h"
#include "megascale/config/derived.h"
#include "megascale/config/rules.h"

namespace megascale::checkpoint::huggingface {
namespace {

constexpr std::int64_t kMostRank = 1 << 24;  // as of lora.rank: products of extents fit 64 bits

using Values = std::vector<float>;

// The adapter of one of their layers.
struct ReadAdapter {
  const AdapterMapping* mapping = nullptr;
  Values a, b;
};

class AdapterFile {
 public:
  explicit AdapterFile(const std::filesystem::path& path) : path_(path.string()), file_(path) {}

  // Returns the adapter, or nothing if the file has none for this layer.
  [[nodiscard]] std::optional<ReadAdapter> find(const AdapterMapping& mapping) {
    const StoredTensor *a = file_.find(mapping.a.theirs), *b = file_.find(mapping.b.theirs);
    if (a == nullptr && b == nullptr) return std::nullopt;
    if (a == nullptr || b == nullptr) {
      throw Error(ErrorCode::bad_input,
                  fmt::format("{}: expected the tensor \"{}\", found none", path_,
                              a == nullptr ? mapping.a.theirs : mapping.b.theirs));
    }
    known_.insert({mapping.a.theirs, mapping.b.theirs});
    return ReadAdapter{&mapping, read(*a, mapping.a), read(*b, mapping.b)};
  }
  void refuse_unknown(const ModelConfig& model) const {
    for (const StoredTensor& tensor : file_.header().tensors) {
      if (known_.contains(tensor.name)) continue;
      throw Error(
          ErrorCode::bad_input,
          fmt::format("{}: expected only adapters of the linear layers of this {} model with "
                      "{} layers, found \"{}\"",
                      path_, family_of(model.type).name, model.num_layers, tensor.name));
    }
  }
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
  [[nodiscard]] Values read(const StoredTensor& tensor, const TensorMapping& mapping) const {
    const Extents shape = mapping.their_shape();
    if (tensor.shape != shape || !can_convert(tensor.type)) {
      throw Error(
          ErrorCode::bad_input,
          fmt::format("{}: expected \"{}\" to be floating-point {}, as the model and r say, "
                      "found {} {}: these adapters are of another model",
                      path_, tensor.name, to_string(shape), to_string(tensor.type),
                      to_string(tensor.shape)));
    }
    Values values(*checked_numel(shape));
    to_float32(tensor.type, file_.bytes(tensor), values);
    const auto wrong = std::find_if_not(values.begin(), values.end(),
                                        [](float value) { return std::isfinite(value); });
    if (wrong == values.end()) return to_ours(mapping, std::move(values));
    throw Error(ErrorCode::bad_input,
                fmt::format("{}: expected finite values in \"{}\", found {} as element {}", path_,
                            tensor.name, *wrong, wrong - values.begin()));
  }

  std::string path_;
  SafetensorsFile file_;
  std::set<std::string, std::less<>> known_;
};

// The adapters of a layer of ours, or of an expert of it, and for each of them the number of its A among the
// different ones.
struct LayerAdapters {
  std::vector<ReadAdapter> adapters;
  std::vector<std::size_t> block;
  std::size_t blocks = 0;

  void add(ReadAdapter adapter) {
    const auto same = std::find_if(adapters.begin(), adapters.end(),
                                   [&](const ReadAdapter& one) { return one.a == adapter.a; });
    block.push_back(same == adapters.end()
                        ? blocks++
                        : block[static_cast<std::size_t>(same - adapters.begin())]);
    adapters.push_back(std::move(adapter));
  }
  // Return A[rank, inputs] and B[outputs, rank] of ours; `each`: the rank of one of theirs.
  [[nodiscard]] Values input(std::size_t rank, std::size_t each) const {
    const auto inputs = static_cast<std::size_t>(adapters.front().mapping->a.shape.back());
    Values a(rank * inputs);
    for (std::size_t i = 0; i < adapters.size(); ++i) {
      const Values& part = adapters[i].a;
      std::copy(part.begin(), part.end(),
                a.begin() + static_cast<std::ptrdiff_t>(block[i] * each * inputs));
    }
    return a;
  }
  [[nodiscard]] Values output(std::size_t rank, std::size_t each) const {
    const auto outputs =
        static_cast<std::size_t>(adapters.front().mapping->weight.shape.rbegin()[1]);
    Values b(outputs * rank);
    for (std::size_t i = 0; i < adapters.size(); ++i) {
      const TensorMapping& rows = adapters[i].mapping->b;
      for (std::size_t n = 0; n < static_cast<std::size_t>(rows.rows); ++n) {
        const float* from = adapters[i].b.data() + n * each;
        std::copy(from, from + each,
                  b.data() + (static_cast<std::size_t>(rows.row) + n) * rank + block[i] * each);
      }
    }
    return b;
  }
};

Piece piece_of(std::string name, const Extents& shape, Values values) {
  Piece piece = whole_piece(std::move(name), DType::float32, shape, {});
  piece.fill = [values =
                    std::make_shared<const Values>(std::move(values))](std::span<std::byte> out) {
    std::memcpy(out.data(), values->data(), out.size());
  };
  return piece;
}

void require_valid(const Config& config, const std::string& path) {
  for (const Violation& violation : find_violations(config)) {
    if (!violation.keys.front().starts_with("lora.")) continue;
    throw Error(ErrorCode::bad_input,
                fmt::format("{}: as [lora] of this program: {}", path, violation.message));
  }
}

}  // namespace

AdapterSettings parse_adapter_settings(std::string_view text, const std::string& name) {
  const JsonReader json(text, name);
  (void)json.text("peft_type");
  json.need_one_of("peft_type", {"LORA"});
  constexpr std::string_view kReason = "this program's adapters have no such setting";
  for (const char* key : {"use_dora", "use_rslora", "lora_bias"}) json.need(key, false, kReason);
  json.need("bias", "none", kReason);
  for (const char* key : {"rank_pattern", "alpha_pattern"})
    json.need(key, nlohmann::json::object(), kReason);
  json.need("modules_to_save", nlohmann::json::array(), kReason);
  const AdapterSettings settings{json.integer("r"), json.number("lora_alpha")};
  if (settings.rank < 1 || settings.rank > kMostRank) {
    throw Error(ErrorCode::bad_input, fmt::format("{}: expected r between 1 and {}, found {}", name,
                                                  kMostRank, settings.rank));
  }
  if (!(settings.alpha > 0) || !std::isfinite(settings.alpha)) {
    throw Error(ErrorCode::bad_input,
                fmt::format("{}: expected lora_alpha above 0, found {}", name, settings.alpha));
  }
  return settings;
}

void add_adapters(Imported& imported, const std::filesystem::path& directory) try {
  ModelConfig& model = imported.config.model;
  const std::filesystem::path config = directory / "adapter_config.json";
  const AdapterSettings settings = parse_adapter_settings(read_text(config), config.string());
  AdapterFile file(directory / "adapter_model.safetensors");
  model.lora = {.rank = settings.rank,
                .alpha = settings.alpha,
                .targets = {kAdapterTargets.begin(), kAdapterTargets.end()}};
  const std::vector<AdapterMapping> map = adapter_map(model);
  std::map<std::string, std::map<std::int64_t, LayerAdapters>> layers;  // by expert; -1: no experts
  std::set<std::string_view> targets;
  for (const AdapterMapping& mapping : map) {
    auto found = file.find(mapping);
    if (!found) continue;
    layers[mapping.layer][mapping.weight.expert].add(std::move(*found));
    targets.insert(adapter_target(mapping.layer));
  }
  file.refuse_unknown(model);
  std::size_t blocks = 1;
  for (const AdapterMapping& mapping : map) {
    if (!targets.contains(adapter_target(mapping.layer))) continue;
    const auto& of_layer = layers[mapping.layer];
    const auto found = of_layer.find(mapping.weight.expert);
    if (found == of_layer.end()) {
      throw Error(
          ErrorCode::bad_input,
          fmt::format("{}: expected an adapter of \"{}\", as other layers have one, found none",
                      file.path(), mapping.module));
    }
    blocks = std::max(blocks, found->second.blocks);
  }
  std::erase_if(model.lora.targets,
                [&](const std::string& target) { return !targets.contains(target); });
  model.lora.rank *= static_cast<std::int64_t>(blocks);
  model.lora.alpha *= static_cast<double>(blocks);
  require_valid(imported.config, file.path());
  const auto each = static_cast<std::size_t>(settings.rank), rank = each * blocks;
  for (const auto& [layer, by_expert] : layers) {
    Values a, b;
    for (const auto& [expert, adapters] : by_expert) {
      const Values input = adapters.input(rank, each), output = adapters.output(rank, each);
      a.insert(a.end(), input.begin(), input.end());
      b.insert(b.end(), output.begin(), output.end());
    }
    const AdapterMapping& mapping = *by_expert.begin()->second.adapters.front().mapping;
    Extents shape_of_a = mapping.a.shape, shape_of_b = mapping.b.shape;
    shape_of_a.rbegin()[1] = shape_of_b.back() = model.lora.rank;
    imported.weights.push_back(piece_of(mapping.a.ours, shape_of_a, std::move(a)));
    imported.weights.push_back(piece_of(mapping.b.ours, shape_of_b, std::move(b)));
  }
} catch (Error& error) {
  error.add_context(fmt::format("importing the adapters of {}", directory.string()));
  throw;
}

}  // namespace megascale::checkpoint::huggingface
