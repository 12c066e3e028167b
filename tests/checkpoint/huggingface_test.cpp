#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "checkpoint/support.h"
#include "megascale/base/environment.h"
#include "megascale/checkpoint/huggingface/export.h"
#include "megascale/checkpoint/huggingface/import.h"
#include "megascale/checkpoint/huggingface/model_json.h"
#include "megascale/checkpoint/huggingface/tensor_map.h"
#include "megascale/checkpoint/huggingface/train_file.h"
#include "megascale/config/derived.h"
#include "megascale/config/fields.h"
#include "megascale/config/load.h"
#include "megascale/model/gpt.h"
#include "support/close.h"
#include "support/shell.h"

namespace megascale::checkpoint::huggingface {
namespace {

using checkpoint::testing::error_of;
using checkpoint::testing::file_bytes;
using checkpoint::testing::says;
using checkpoint::testing::Scratch;
using checkpoint::testing::write_bytes;

Config small(ModelType type) {
  Config config;
  config.model.type = type;
  apply_model_type_defaults(config.model);
  config.model.num_layers = 2;
  config.model.hidden_size = 24;
  config.model.num_attention_heads = 4;
  config.model.seq_length = 16;
  config.model.vocab_size = 300;  // no multiple of 128: checkpoints hold no padding rows
  config.data.tokenizer = "byte";
  if (type != ModelType::gpt2) {
    config.model.num_query_groups = 2;
    config.model.head_dim = 10;  // not hidden_size / heads
    config.model.ffn_hidden_size = 56;
    config.model.rotary_base = 500000.0;
  }
  return resolve(config);
}
Config untied_gpt2() {
  Config config = small(ModelType::gpt2);
  config.model.untie_embeddings_and_output_weights = true;
  config.model.ffn_hidden_size = 40;
  return config;
}
Config tied_llama_with_biases() {
  Config config = small(ModelType::llama);
  config.model.untie_embeddings_and_output_weights = false;
  config.model.add_bias_linear = true;
  return config;
}

Config scaled_llama() {
  Config config = small(ModelType::llama);
  config.model.use_rope_scaling = true;
  config.model.rope_scaling_factor = 32;
  config.model.original_max_position_embeddings = 8;
  return config;
}
Config sliding(ModelType type, std::int64_t full_attention_layers) {
  Config config = small(type);
  config.model.sliding_window = 5;
  config.model.full_attention_layers = full_attention_layers;
  return config;
}

// A checkpoint of the parameters that the model code itself names, with moments, in random values.
struct Weights {
  std::map<std::string, std::pair<Extents, std::vector<float>>> tensors;
  explicit Weights(const Config& config) {
    const graph::Program program = model::build_gpt(config, {.mode = model::Mode::evaluate});
    std::uint64_t seed = 1;
    for (const graph::Parameter& parameter : program.parameters) {
      Extents shape;
      for (const graph::Dim& dim : program.tensor(parameter.tensor).shape)
        shape.push_back(dim.size);
      if (parameter.logical_rows != 0) shape[0] = parameter.logical_rows;
      tensors[parameter.name] = {shape,
                                 megascale::testing::normal(*checked_numel(shape), seed++, 0.3)};
    }
  }
  [[nodiscard]] std::vector<Piece> pieces() const {
    std::vector<Piece> result;
    for (const auto& [name, tensor] : tensors) {
      for (const std::string_view suffix :
           {std::string_view(), kFirstMomentSuffix, kSecondMomentSuffix}) {
        result.push_back(whole_piece(name + std::string(suffix), DType::float32, tensor.first,
                                     std::as_bytes(std::span(tensor.second))));
      }
    }
    return result;
  }
};
std::filesystem::path save_model(const std::filesystem::path& directory, const Config& config,
                                 const Weights& weights) {
  return save(directory, {.step = 7, .config = to_toml(config)}, weights.pieces(),
              {.shard_nbytes_max = 20000})
      .path;
}
std::vector<float> read_floats(const Opened& opened, const std::string& name) {
  std::vector<float> values(*checked_numel(opened.tensor(name).shape));
  opened.read(name, std::as_writable_bytes(std::span(values)));
  return values;
}

class RoundTripTest : public ::testing::TestWithParam<Config (*)()> {};

// Goal: export then import gives back every weight bit for bit, zero moments, step 0 and the same
// model.
TEST_P(RoundTripTest, ExportThenImportIsBitEqual) {
  const Config config = GetParam()();
  ASSERT_TRUE(validate(config).empty());
  const Weights weights(config);
  const Scratch scratch;
  const Opened saved(save_model(scratch.path() / "a", config, weights));
  for (const std::uint64_t file_nbytes_max :
       {std::uint64_t{5'000'000'000}, std::uint64_t{10'000}}) {
    const auto directory = scratch.path() / ("hf" + std::to_string(file_nbytes_max));
    const ExportReport report =
        export_model(saved, directory, {.file_nbytes_max = file_nbytes_max});
    EXPECT_EQ(report.files.size() > 2, file_nbytes_max == 10'000);
    EXPECT_EQ(std::filesystem::exists(directory / "model.safetensors.index.json"),
              file_nbytes_max == 10'000);
    const Imported imported = open_model(directory);
    const Opened back(save_imported(imported, directory / "b").path);
    EXPECT_EQ(back.state().step, 0);
    EXPECT_EQ(back.state().update.updates, 0);
    EXPECT_EQ(back.tensors().size(), saved.tensors().size());
    for (const auto& [name, tensor] : weights.tensors) {
      const std::vector<float> got = read_floats(back, name);
      ASSERT_EQ(got.size(), tensor.second.size()) << name;
      EXPECT_EQ(std::memcmp(got.data(), tensor.second.data(), got.size() * sizeof(float)), 0)
          << name;
      for (const std::string_view suffix : {kFirstMomentSuffix, kSecondMomentSuffix}) {
        EXPECT_EQ(read_floats(back, name + std::string(suffix)),
                  std::vector<float>(got.size(), 0.0F))
            << name;
      }
    }
    ModelConfig model = imported.config.model, wanted = config.model;
    EXPECT_EQ(model, wanted);
    EXPECT_EQ(parse_config(back.state().config, "x").model, wanted);
  }
}

TEST_P(RoundTripTest, Bfloat16IsRoundedOnce) {
  const Config config = GetParam()();
  const Weights weights(config);
  const Scratch scratch;
  const Opened saved(save_model(scratch.path() / "a", config, weights));
  export_model(saved, scratch.path() / "hf", {.dtype = StoredType::bfloat16});
  const Opened back(save_imported(open_model(scratch.path() / "hf"), scratch.path() / "b").path);
  for (const auto& [name, tensor] : weights.tensors) {
    EXPECT_TRUE(megascale::testing::all_close(read_floats(back, name), tensor.second, 1.0 / 256))
        << name;
    EXPECT_NE(read_floats(back, name), tensor.second) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Models, RoundTripTest,
                         ::testing::Values([] { return small(ModelType::gpt2); }, untied_gpt2,
                                           [] { return small(ModelType::llama); },
                                           tied_llama_with_biases, scaled_llama,
                                           [] { return small(ModelType::mistral); },
                                           [] { return sliding(ModelType::mistral, 0); },
                                           [] { return small(ModelType::qwen2); },
                                           [] { return sliding(ModelType::qwen2, 1); },
                                           [] { return sliding(ModelType::qwen3, 0); }));

// Goal: the files mean what transformers takes them for.  Method: a Python program that knows
// nothing of this code reads both sides, and compares a forward pass in their layout with one in
// ours.
TEST(HuggingFaceTest, PythonReadsTheSameModel) {
  const Scratch scratch;
  std::string directories;
  int number = 0;
  for (const Config& config :
       {small(ModelType::gpt2), untied_gpt2(), small(ModelType::llama), tied_llama_with_biases()}) {
    const auto directory = scratch.path() / std::to_string(number);
    const Opened saved(save_model(directory / "checkpoints", config, Weights(config)));
    export_model(saved, directory / "hf",
                 {.file_nbytes_max = number % 2 == 0 ? 5'000'000'000U : 10'000U});
    directories += " '" + saved.path().string() + "' '" + (directory / "hf").string() + "'";
    ++number;
  }
  const char* python = environment_variable("MEGASCALE_PYTHON");
  const std::string command = std::string(python == nullptr ? "/usr/bin/python3" : python) +
                              " " MEGASCALE_HF_CHECK + directories;
  const int status = megascale::testing::run_in_shell(command);
  if (status == 77 || status == 127) GTEST_SKIP() << "no Python with torch (MEGASCALE_PYTHON)";
  EXPECT_EQ(status, 0);
}

// What hub files have beside the weights, and other forms of the same.
class VariantTest : public ::testing::Test {
 protected:
  void write(ModelType type) {
    config_ = small(type);
    export_model(Opened(save_model(scratch_.path() / "a", config_, Weights(config_))), hf());
  }
  [[nodiscard]] std::filesystem::path hf() const { return scratch_.path() / "hf"; }
  // Rewrites model.safetensors: `change` gets name, tensor and bytes of each, and returns whether
  // it stays.
  struct Tensor {
    StoredTensor tensor;
    std::vector<std::byte> bytes;
  };
  void rewrite(const std::function<void(std::vector<Tensor>&)>& change) {
    std::vector<Tensor> all;
    {
      const SafetensorsFile file(hf() / "model.safetensors");
      for (const StoredTensor& tensor : file.header().tensors) {
        const auto bytes = file.bytes(tensor);
        all.push_back({tensor, {bytes.begin(), bytes.end()}});
      }
    }
    change(all);
    std::vector<StoredTensor> tensors;
    tensors.reserve(all.size());
    for (const Tensor& tensor : all) tensors.push_back(tensor.tensor);
    const std::string header = make_safetensors_header(tensors, {});
    std::ofstream out(hf() / "model.safetensors", std::ios::binary);
    out << header;
    for (const Tensor& tensor : all)
      out.write(reinterpret_cast<const char*>(tensor.bytes.data()),
                static_cast<std::streamsize>(tensor.bytes.size()));
  }
  void edit_json(const std::function<void(nlohmann::json&)>& change) {
    nlohmann::json json = nlohmann::json::parse(read_text(hf() / "config.json"));
    change(json);
    std::ofstream(hf() / "config.json") << json;
  }
  [[nodiscard]] ::testing::AssertionResult imports_equal() const {
    const Opened back(save_imported(open_model(hf()), scratch_.path() / "b").path);
    for (const auto& [name, tensor] : Weights(config_).tensors) {
      if (read_floats(back, name) != tensor.second) return ::testing::AssertionFailure() << name;
    }
    return ::testing::AssertionSuccess();
  }
  [[nodiscard]] Error refused() const {
    return error_of([&] { (void)open_model(hf()); });
  }

  Scratch scratch_;
  Config config_;
};

TEST_F(VariantTest, Gpt2WithoutPrefixWithBuffersAndATiedHead) {
  write(ModelType::gpt2);
  rewrite([](std::vector<Tensor>& all) {
    Tensor head = all[0];
    ASSERT_EQ(head.tensor.name, "transformer.wte.weight");
    for (Tensor& tensor : all) tensor.tensor.name = tensor.tensor.name.substr(12);
    head.tensor.name = "lm_head.weight";
    all.push_back(head);
    all.push_back({{.name = "h.0.attn.bias", .type = StoredType::bool8, .shape = {1, 1, 16, 16}},
                   std::vector<std::byte>(256)});
    all.push_back({{.name = "h.1.attn.masked_bias", .type = StoredType::float16, .shape = {}},
                   std::vector<std::byte>(2)});
  });
  EXPECT_TRUE(imports_equal());
  rewrite([](std::vector<Tensor>& all) { all[all.size() - 3].bytes[5] ^= std::byte{1}; });
  EXPECT_TRUE(says(refused(), ErrorCode::bad_input,
                   {"lm_head.weight to equal \"wte.weight\"", "tie_word_embeddings"}));
}

TEST_F(VariantTest, LlamaWithRotaryBuffers) {
  write(ModelType::llama);
  rewrite([](std::vector<Tensor>& all) {
    all.push_back({{.name = "model.layers.0.self_attn.rotary_emb.inv_freq",
                    .type = StoredType::float32,
                    .shape = {5}},
                   std::vector<std::byte>(20)});
  });
  edit_json([](nlohmann::json& json) {
    json.erase("rope_theta");
    json["rope_parameters"] = {{"rope_theta", 500000.0}, {"rope_type", "default"}};
  });
  EXPECT_TRUE(imports_equal());
  EXPECT_EQ(open_model(hf()).config.model.rotary_base, 500000.0);
}

TEST_F(VariantTest, WrongTensorsAreRefusedByName) {
  write(ModelType::llama);
  const auto good = file_bytes(hf() / "model.safetensors");
  const auto refused_after = [&](const std::function<void(std::vector<Tensor>&)>& change) {
    write_bytes(hf() / "model.safetensors", good);
    rewrite(change);
    return refused();
  };
  EXPECT_TRUE(says(refused_after([](auto& all) { all.erase(all.begin() + 3); }),
                   ErrorCode::bad_input,
                   {"expected the tensor \"layers.0.self_attn.k_proj.weight\"", "found none"}));
  EXPECT_TRUE(
      says(refused_after([](auto& all) {
             all.push_back({{.name = "model.extra"}, std::vector<std::byte>(4)});
           }),
           ErrorCode::bad_input,
           {"model.safetensors", "expected only tensors of a llama model", "\"model.extra\""}));
  EXPECT_TRUE(says(
      refused_after([](auto& all) { std::swap(all[2].tensor.shape[0], all[2].tensor.shape[1]); }),
      ErrorCode::bad_input,
      {"model.safetensors", "self_attn.q_proj.weight", "[40, 24]", "found F32 [24, 40]"}));
  EXPECT_TRUE(says(refused_after([](auto& all) { all[1].tensor.type = StoredType::int32; }),
                   ErrorCode::bad_input, {"found I32"}));
  write_bytes(hf() / "model.safetensors", {good.begin(), good.end() - 1});
  EXPECT_TRUE(says(refused(), ErrorCode::corrupt_data, {"model.safetensors"}));
  std::filesystem::remove(hf() / "model.safetensors");
  EXPECT_TRUE(says(refused(), ErrorCode::bad_input, {"found neither"}));
  std::ofstream(hf() / "model.safetensors.index.json") << R"({"weight_map": {"a": "../x"}})";
  EXPECT_TRUE(
      says(refused(), ErrorCode::bad_input, {"index.json", "expected the name of a file", "../x"}));
}

TEST_F(VariantTest, WrongConfigsAreRefusedByKey) {
  const nlohmann::json scaled{{"rope_type", "llama3"},
                              {"factor", 8.0},
                              {"low_freq_factor", 4.0},
                              {"high_freq_factor", 4.0},
                              {"original_max_position_embeddings", 16}};
  struct Case {
    ModelType type;
    const char* key;
    nlohmann::json value;
    ErrorCode code;
    std::string message;
  };
  const auto gpt2 = ModelType::gpt2, llama = ModelType::llama, mistral = ModelType::mistral,
             qwen2 = ModelType::qwen2, qwen3 = ModelType::qwen3;
  const std::vector<Case> cases{
      {gpt2, "model_type", "opt", ErrorCode::unsupported,
       "model_type = \"gpt2\", \"llama\", \"mistral\", \"qwen2\" or \"qwen3\", found \"opt\""},
      {gpt2, "activation_function", "relu", ErrorCode::unsupported,
       "activation_function = \"gelu_new\" or \"gelu_pytorch_tanh\", found \"relu\""},
      {gpt2, "scale_attn_weights", false, ErrorCode::unsupported, "scale_attn_weights = true"},
      {gpt2, "scale_attn_by_inverse_layer_idx", true, ErrorCode::unsupported,
       "scale_attn_by_inverse_layer_idx = false"},
      {gpt2, "n_layer", 0, ErrorCode::bad_input, "\"n_layer\" to be an integer >= 1, found 0"},
      {gpt2, "n_layer", 1e3, ErrorCode::bad_input, "\"n_layer\" to be an integer"},
      {gpt2, "n_layer", 16777216, ErrorCode::bad_input, "16777216 layers"},
      {gpt2, "n_layer", 99999999999, ErrorCode::bad_input, "as model.num_layers"},
      {gpt2, "n_head", 5, ErrorCode::bad_input, "multiple of num_attention_heads"},
      {gpt2, "layer_norm_epsilon", "x", ErrorCode::bad_input,
       "\"layer_norm_epsilon\" to be a number"},
      {llama,
       "rope_scaling",
       {{"rope_type", "llama3"}, {"factor", 8.0}},
       ErrorCode::bad_input,
       "\"low_freq_factor\" in rope_scaling"},
      {llama,
       "rope_scaling",
       {{"rope_type", "yarn"}, {"factor", 8.0}},
       ErrorCode::unsupported,
       "rope_scaling.rope_type = \"default\" or \"llama3\", found \"yarn\""},
      {qwen2,
       "rope_scaling",
       {{"type", "linear"}, {"factor", 8.0}},
       ErrorCode::unsupported,
       "rope_scaling.type = \"default\" or \"llama3\", found \"linear\""},
      {llama, "rope_scaling", scaled, ErrorCode::bad_input,
       "rope_low_freq_factor < rope_high_freq_factor"},
      {llama, "rope_scaling", "llama3", ErrorCode::bad_input, "\"rope_scaling\" to be an object"},
      {llama, "hidden_act", "gelu", ErrorCode::unsupported, "hidden_act = \"silu\""},
      {llama, "attention_bias", true, ErrorCode::unsupported, "mlp_bias = true, found false"},
      {llama, "sliding_window", 4096, ErrorCode::unsupported, "sliding_window = 0, found 4096"},
      {llama, "attention_dropout", 0.1, ErrorCode::unsupported,
       "attention_dropout = 0.0, found 0.1: this program trains without dropout"},
      {llama,
       "quantization_config",
       {{"quant_method", "fp8"}},
       ErrorCode::unsupported,
       "quantised weights cannot be imported"},
      {qwen3, "num_experts", 128, ErrorCode::unsupported, "no mixture of experts"},
      {mistral, "num_local_experts", 8, ErrorCode::unsupported, "no mixture of experts"},
      {mistral, "model_type", "mixtral", ErrorCode::unsupported, "found \"mixtral\""},
      {mistral, "attention_bias", true, ErrorCode::unsupported,
       "no bias of the output projection alone"},
      {mistral, "sliding_window", -1, ErrorCode::bad_input, "\"sliding_window\" to be an integer"},
      {qwen3, "attention_bias", true, ErrorCode::unsupported,
       "no bias of the output projection alone"},
      {qwen2, "mlp_bias", true, ErrorCode::unsupported, "mlp_bias = false, found true"},
      {qwen2, "hidden_act", "gelu", ErrorCode::unsupported, "hidden_act = \"silu\""},
      {qwen2,
       "layer_types",
       {"sliding_attention", "full_attention"},
       ErrorCode::unsupported,
       "layer_types = a kind for each layer"},
      {qwen2,
       "layer_types",
       {"full_attention", "sliding_attention"},
       ErrorCode::unsupported,
       "layer_types = a kind for each layer"},
      {llama, "tie_word_embeddings", "no", ErrorCode::bad_input,
       "\"tie_word_embeddings\" to be true or false"},
      {llama, "vocab_size", nullptr, ErrorCode::bad_input, "\"vocab_size\" to be an integer"},
  };
  for (const Case& bad : cases) {
    std::filesystem::remove_all(hf());
    std::filesystem::remove_all(scratch_.path() / "a");
    write(bad.type);
    edit_json([&](nlohmann::json& json) { json[bad.key] = bad.value; });
    EXPECT_TRUE(says(refused(), bad.code, {"config.json", bad.message})) << bad.key;
  }
}

// Goal: absent and null keys mean what transformers' configuration classes take them for.
TEST_F(VariantTest, WindowsOfTheFamilies) {
  struct Case {
    ModelType type;
    nlohmann::json changes;  // null: the key is removed; "null": it is null
    std::int64_t window, full_layers;
  };
  const auto mistral = ModelType::mistral, qwen2 = ModelType::qwen2, qwen3 = ModelType::qwen3;
  for (const Case& one : std::vector<Case>{
           {mistral, {{"sliding_window", nullptr}}, 4096, 0},  // the default of MistralConfig
           {mistral, {{"sliding_window", "null"}}, 0, 0},
           {mistral, {{"sliding_window", 7}}, 7, 0},
           {qwen2, {{"sliding_window", 7}, {"max_window_layers", 1}}, 0, 0},
           {qwen2,
            {{"use_sliding_window", true}, {"sliding_window", 7}, {"max_window_layers", 1}},
            7,
            1},
           {qwen2,
            {{"use_sliding_window", true}, {"sliding_window", 7}, {"max_window_layers", 2}},
            0,
            0},
           {qwen2,
            {{"use_sliding_window", true}, {"sliding_window", 7}, {"max_window_layers", nullptr}},
            0,
            0},  // the default is 28 layers
           {qwen3,
            {{"use_sliding_window", true}, {"sliding_window", 7}, {"max_window_layers", 0}},
            7,
            0},
           {qwen3, {{"use_sliding_window", true}, {"sliding_window", "null"}}, 0, 0},
           {qwen3,
            {{"use_sliding_window", true},
             {"sliding_window", 7},
             {"max_window_layers", 0},
             {"layer_types", {"full_attention", "sliding_attention"}}},
            7,
            1}}) {
    std::filesystem::remove_all(hf());
    std::filesystem::remove_all(scratch_.path() / "a");
    write(one.type);
    edit_json([&](nlohmann::json& json) {
      for (const auto& [key, value] : one.changes.items()) {
        json.erase(key);
        if (value == "null") {
          json[key] = nullptr;
        } else if (!value.is_null()) {
          json[key] = value;
        }
      }
    });
    const ModelConfig model = open_model(hf()).config.model;
    EXPECT_EQ(model.sliding_window, one.window) << one.changes;
    EXPECT_EQ(model.full_attention_layers, one.full_layers) << one.changes;
  }
}

// Goal: an export that asks for another type, or whose model has changed, keeps the other keys.
TEST_F(VariantTest, AnExportUpdatesTheImportedConfig) {
  write(ModelType::qwen3);
  edit_json([](nlohmann::json& json) {
    json["torch_dtype"] = "bfloat16";
    json["bos_token_id"] = 17;
    json["of_another_program"] = {{"a", 1}};
  });
  const auto path = save_imported(open_model(hf()), scratch_.path() / "b").path;
  const auto exported = [&](const char* name, const ExportOptions& options) {
    export_model(Opened(path), scratch_.path() / name, options);
    return nlohmann::json::parse(read_text(scratch_.path() / name / "config.json"));
  };
  const auto original = nlohmann::json::parse(read_text(hf() / "config.json"));
  EXPECT_EQ(exported("same", {}), original);
  auto wanted = original;
  wanted["torch_dtype"] = "float32";
  EXPECT_EQ(exported("float32", {.dtype = StoredType::float32}), wanted);
  ModelConfig changed = open_model(hf()).config.model;
  EXPECT_EQ(changed.seq_length, 16);
  changed.max_position_embeddings = 64;
  wanted = original;
  wanted["max_position_embeddings"] = 131072;
  const ModelConfig longer = parse_model_json(wanted.dump(), "long").model;
  EXPECT_EQ(longer.max_position_embeddings, 131072);
  EXPECT_EQ(longer.seq_length, 4096);
  wanted["max_position_embeddings"] = 64;
  EXPECT_EQ(nlohmann::json::parse(update_model_json(original.dump(), changed, {})), wanted);
}

TEST(HuggingFaceTest, WeightsThatAreNotFiniteAreRefusedByName) {
  for (const auto& [type, ours, theirs] :
       {std::tuple{ModelType::gpt2, "layers.1.mlp.up.weight", "transformer.h.1.mlp.c_fc.weight"},
        std::tuple{ModelType::llama, "layers.0.mlp.gate_up.weight",
                   "model.layers.0.mlp.gate_proj.weight"}}) {
    const Config config = small(type);
    Weights weights(config);
    weights.tensors.at(ours).second[5] = type == ModelType::gpt2 ? NAN : INFINITY;
    const Scratch scratch;
    export_model(Opened(save_model(scratch.path() / "a", config, weights)), scratch.path() / "hf");
    const Imported imported = open_model(scratch.path() / "hf");
    EXPECT_TRUE(says(error_of([&] { (void)save_imported(imported, scratch.path() / "b"); }),
                     ErrorCode::bad_input, {"model.safetensors", theirs, "finite", "element"}));
    EXPECT_FALSE(open_newest(scratch.path() / "b").has_value());
  }
}

TEST(HuggingFaceTest, TheFileForTrainingHasTheModelAndStartsFromIt) {
  for (const ModelType type : {ModelType::gpt2, ModelType::llama}) {
    Config config = small(type);
    config.model.seq_length = config.model.max_position_embeddings = 131072;
    const Config read = parse_config(train_file(config, "some/where/"), "train.toml");
    config.model.seq_length = 1024;
    EXPECT_EQ(read.model, config.model);
    EXPECT_EQ(read.data.tokenizer, "byte");
    EXPECT_EQ(read.checkpoint.load, (std::filesystem::current_path() / "some/where").string());
    EXPECT_EQ(read.checkpoint.start, CheckpointStart::weights);
    EXPECT_EQ(read.train.run_dir, (std::filesystem::current_path() / "some/tuned").string());
  }
}

TEST(HuggingFaceTest, ModelsThatItCannotExpressAreRefusedByKey) {
  const auto refused = [](ModelType type, const std::function<void(ModelConfig&)>& change) {
    ModelConfig model = small(type).model;
    change(model);
    return error_of([&] { check_exportable(model); });
  };
  const auto code = ErrorCode::unsupported;
  EXPECT_NO_THROW(check_exportable(small(ModelType::gpt2).model));
  EXPECT_NO_THROW(check_exportable(small(ModelType::llama).model));
  EXPECT_TRUE(
      says(refused(ModelType::gpt2, [](auto& m) { m.parallel_block = true, m.sliding_window = 8; }),
           code,
           {"GPT-2: expected model.parallel_block = false, found true",
            "expected model.sliding_window = 0, found 8"}));
  EXPECT_TRUE(says(refused(ModelType::gpt2, [](auto& m) { m.num_query_groups = 2; }), code,
                   {"model.num_query_groups = 4, found 2"}));
  EXPECT_TRUE(says(refused(ModelType::gpt2, [](auto& m) { m.head_dim = 8; }), code,
                   {"model.head_dim = 6, found 8"}));
  EXPECT_TRUE(says(refused(ModelType::gpt2, [](auto& m) { m.add_bias_linear = false; }), code,
                   {"model.add_bias_linear = true"}));
  EXPECT_TRUE(says(
      refused(ModelType::gpt2, [](auto& m) { m.position_embedding = PositionEmbedding::rope; }),
      code, {"model.position_embedding"}));
  EXPECT_TRUE(says(refused(ModelType::llama, [](auto& m) { m.activation = Activation::gelu; }),
                   code, {"Llama: expected model.activation = \"swiglu\""}));
  EXPECT_TRUE(
      says(refused(ModelType::llama, [](auto& m) { m.normalization = Normalization::layer_norm; }),
           code, {"model.normalization"}));
  EXPECT_TRUE(says(refused(ModelType::llama, [](auto& m) { m.sliding_window = 3; }), code,
                   {"model.sliding_window = 0, found 3"}));
}

TEST(HuggingFaceTest, FamiliesAreKeptApart) {
  const auto refused = [](ModelType type, const std::function<void(ModelConfig&)>& change) {
    ModelConfig model = small(type).model;
    change(model);
    return error_of([&] { check_exportable(model); });
  };
  const auto code = ErrorCode::unsupported;
  const auto with_norms = [](ModelConfig& m) { m.qk_layernorm = true; };
  for (const auto& [type, title] :
       {std::pair(ModelType::llama, "Llama"), std::pair(ModelType::mistral, "Mistral"),
        std::pair(ModelType::qwen2, "Qwen2")}) {
    EXPECT_TRUE(says(refused(type, with_norms), code,
                     {fmt::format("{}: expected model.qk_layernorm = false", title)}));
  }
  EXPECT_TRUE(says(refused(ModelType::qwen3, [](auto& m) { m.qk_layernorm = false; }), code,
                   {"Qwen3: expected model.qk_layernorm = true, found false"}));
  EXPECT_TRUE(says(refused(ModelType::qwen2, [](auto& m) { m.add_qkv_bias = false; }), code,
                   {"Qwen2: expected model.add_qkv_bias = true, found false"}));
  EXPECT_TRUE(says(refused(ModelType::mistral, [](auto& m) { m.full_attention_layers = 1; }), code,
                   {"Mistral: expected model.full_attention_layers = 0, found 1"}));
  EXPECT_TRUE(says(refused(ModelType::gpt2, [](auto& m) { m.use_rope_scaling = true; }), code,
                   {"GPT-2: expected model.use_rope_scaling = false"}));
}

TEST(HuggingFaceTest, AnExportAppearsAsAWholeOrNotAtAll) {
  const Scratch scratch;
  Config config = small(ModelType::gpt2);
  const Weights weights(config);
  const Opened good(save_model(scratch.path() / "a", config, weights));
  std::filesystem::create_directories(scratch.path() / "taken");
  write_bytes(scratch.path() / "taken" / "f", {'x'});
  EXPECT_TRUE(says(error_of([&] { export_model(good, scratch.path() / "taken"); }),
                   ErrorCode::bad_input, {"taken", "empty"}));
  // A checkpoint whose tensors are not those of its configuration.
  config.model.hidden_size = 28;
  config.model.head_dim = 7;
  const Opened wrong(save_model(scratch.path() / "b", config, weights));
  EXPECT_TRUE(says(error_of([&] { export_model(wrong, scratch.path() / "out"); }),
                   ErrorCode::bad_input,
                   {"\"embedding.word.weight\"", "[300, 28]", "found float32 [300, 24]"}));
  // A tensor that the model has no place for is not dropped in silence.
  config = small(ModelType::gpt2);
  Weights more(config);
  more.tensors["layers.0.extra"] = {{1}, {1.0F}};
  const Opened extra(save_model(scratch.path() / "b", config, more));
  EXPECT_TRUE(says(error_of([&] { export_model(extra, scratch.path() / "out"); }),
                   ErrorCode::bad_input, {"expected only tensors", "\"layers.0.extra\""}));
  // A byte that changes after opening.
  for (const ShardFile& file : good.manifest().shards) {
    for (const StoredPiece& piece : file.pieces) {
      if (piece.name == "final_norm.weight") {
        auto content = file_bytes(good.path() / file.file);
        content[piece.begin] = static_cast<char>(content[piece.begin] ^ 1);
        write_bytes(good.path() / file.file, content);
      }
    }
  }
  EXPECT_TRUE(says(error_of([&] { export_model(good, scratch.path() / "out"); }),
                   ErrorCode::corrupt_data, {"final_norm.weight"}));
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(scratch.path()))
    names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, (std::vector<std::string>{"a", "b", "taken"}));
}

TEST(ConvertTest, HalfAndBfloat16) {
  const auto widen = [](StoredType type, std::uint16_t bits) {
    float out = 0;
    to_float32(type, std::as_bytes(std::span(&bits, 1)), std::span(&out, 1));
    return out;
  };
  EXPECT_EQ(widen(StoredType::float16, 0x3c00), 1.0F);
  EXPECT_EQ(widen(StoredType::float16, 0xc000), -2.0F);
  EXPECT_EQ(widen(StoredType::float16, 0x7bff), 65504.0F);
  EXPECT_EQ(widen(StoredType::float16, 0x0001), 0x1p-24F);
  EXPECT_EQ(widen(StoredType::float16, 0x03ff), 1023 * 0x1p-24F);
  EXPECT_EQ(widen(StoredType::float16, 0x3555), 0x1.554p-2F);
  EXPECT_TRUE(std::signbit(widen(StoredType::float16, 0x8000)));
  EXPECT_EQ(widen(StoredType::float16, 0xfc00), -INFINITY);
  EXPECT_TRUE(std::isnan(widen(StoredType::float16, 0x7e01)));
  EXPECT_EQ(widen(StoredType::bfloat16, 0x3f80), 1.0F);
  const auto narrow = [](float value) {
    std::uint16_t bits = 0;
    from_float32(StoredType::bfloat16, std::span(&value, 1),
                 std::as_writable_bytes(std::span(&bits, 1)));
    return bits;
  };
  EXPECT_EQ(narrow(1.0F), 0x3f80);
  EXPECT_EQ(narrow(std::bit_cast<float>(0x3f808000U)), 0x3f80) << "a tie goes to even";
  EXPECT_EQ(narrow(std::bit_cast<float>(0x3f818000U)), 0x3f82) << "a tie goes to even";
  EXPECT_EQ(narrow(std::bit_cast<float>(0x3f808001U)), 0x3f81);
  EXPECT_EQ(narrow(std::bit_cast<float>(0x7f7fffffU)), 0x7f80) << "beyond the largest is infinity";
  EXPECT_EQ(narrow(std::bit_cast<float>(0x7f800001U)), 0x7fc0) << "NaN stays NaN";
  EXPECT_EQ(narrow(-INFINITY), 0xff80);
  const auto half = [](float value) {
    std::uint16_t bits = 0;
    from_float32(StoredType::float16, std::span(&value, 1),
                 std::as_writable_bytes(std::span(&bits, 1)));
    return bits;
  };
  EXPECT_EQ(half(1.0F + 0x1p-11F), 0x3c00) << "a tie goes to even";
  EXPECT_EQ(half(1.0F + 3 * 0x1p-11F), 0x3c02) << "a tie goes to even";
  EXPECT_EQ(half(2.0F - 0x1p-12F), 0x4000) << "the fraction carries into the exponent";
  EXPECT_EQ(half(0x1p-25F), 0x0000) << "half of the smallest: a tie goes to even";
  EXPECT_EQ(half(1.5F * 0x1p-25F), 0x0001);
  EXPECT_EQ(half(0x1p-14F - 0x1p-26F), 0x0400) << "up to the smallest normal number";
  EXPECT_EQ(half(65519.0F), 0x7bff);
  EXPECT_EQ(half(-65520.0F), 0xfc00) << "beyond the largest is infinity";
  EXPECT_EQ(half(NAN) & 0x7fff, 0x7e00);
  // Every value but the NaN comes back as it was.
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    const float value = widen(StoredType::bfloat16, static_cast<std::uint16_t>(bits));
    if (!std::isnan(value)) {
      ASSERT_EQ(narrow(value), bits);
    }
    const float of_half = widen(StoredType::float16, static_cast<std::uint16_t>(bits));
    if (!std::isnan(of_half)) {
      ASSERT_EQ(half(of_half), bits);
    }
  }
}

}  // namespace
}  // namespace megascale::checkpoint::huggingface
