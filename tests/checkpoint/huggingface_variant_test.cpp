#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>

#include "checkpoint/huggingface_directory.h"
#include "megascale/checkpoint/huggingface/model_json.h"
#include "megascale/checkpoint/huggingface/runs.h"
#include "megascale/checkpoint/huggingface/tensor_map.h"

// Model directories as they are found in the world, and what they may not be.
namespace megascale::checkpoint::huggingface {
namespace {

using checkpoint::testing::error_of;
using checkpoint::testing::file_bytes;
using checkpoint::testing::says;
using checkpoint::testing::write_bytes;
using testing::save_model;
using testing::Weights;
using testing::with_shared_experts;

// What hub files have beside the weights, and other forms of the same.
class VariantTest : public testing::DirectoryTest {};

// A training has its own rates, so those of the file are told and passed over.
TEST_F(VariantTest, DropoutRatesAreNoted) {
  for (const auto& [type, key] : {std::pair(ModelType::gpt2, "attn_pdrop"),
                                  {ModelType::llama, "attention_dropout"},
                                  {ModelType::phi3, "resid_pdrop"},
                                  {ModelType::gemma2, "attention_dropout"},
                                  {ModelType::gpt_neox, "hidden_dropout"}}) {
    write(type);
    const std::string file = read_text(hf() / "config.json");
    EXPECT_TRUE(parse_model_json(file, "f").notes.empty()) << file;
    nlohmann::json json = nlohmann::json::parse(file);
    json[key] = 0.1;
    const ParsedModelJson parsed = parse_model_json(json.dump(), "f");
    ASSERT_EQ(parsed.notes.size(), 1U) << key;
    EXPECT_EQ(parsed.notes[0], std::string(key) +
                                   " = 0.1 is not taken over: a training sets "
                                   "model.hidden_dropout and model.attention_dropout");
    EXPECT_EQ(parsed.model, parse_model_json(file, "f").model);
    std::filesystem::remove_all(scratch_.path() / "a");
    std::filesystem::remove_all(hf());
  }
}

TEST_F(VariantTest, Gpt2WithoutPrefixWithBuffersAndATiedHead) {
  write(ModelType::gpt2);
  rewrite([](std::vector<Tensor>& all) {
    Tensor head = all[0];
    ASSERT_EQ(head.tensor.name, "transformer.wte.weight");
    for (Tensor& tensor : all) tensor.tensor.name = tensor.tensor.name.substr(12);
    head.tensor.name = "lm_head.weight";
    all.push_back(head);
    all.push_back({{.name = "h.0.attn.bias", .type = StoredType::bool8, .shape = {1, 1, 16, 16}},
                   lower_triangle(16)});
    all.push_back({{.name = "h.1.attn.masked_bias", .type = StoredType::float16, .shape = {}},
                   std::vector<std::byte>(2)});
  });
  EXPECT_TRUE(imports_equal());
  EXPECT_TRUE(comes_back());
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
    all.back().bytes[7] = std::byte{0x3f};
  });
  edit_json([](nlohmann::json& json) {
    json.erase("rope_theta");
    json["rope_parameters"] = {{"rope_theta", 500000.0}, {"rope_type", "default"}};
  });
  EXPECT_TRUE(imports_equal());
  EXPECT_TRUE(comes_back());
  EXPECT_EQ(open_model(hf()).config.model.rotary_base, 500000.0);
}

// The scaling is stated for all layers, or, since transformers 5, for those of full attention. In both cases
// layers with a window have the plain frequencies.
TEST_F(VariantTest, LayersOfOlmo3WithAWindowAreNotScaled) {
  write(ModelType::olmo3);
  const nlohmann::json yarn{{"rope_type", "yarn"},
                            {"rope_theta", 500000.0},
                            {"factor", 3.0},
                            {"original_max_position_embeddings", 8}};
  edit_json([&](nlohmann::json& json) {
    json["rope_scaling"] = yarn;
    json.erase("layer_types");
  });
  const ModelConfig model = open_model(hf()).config.model;
  EXPECT_TRUE(model.use_rope_scaling);
  EXPECT_EQ(model.rope_local_base_freq, model.rotary_base);
  EXPECT_EQ(model.window_attn_skip_freq, 4);
  EXPECT_TRUE(imports_equal());
  EXPECT_TRUE(comes_back());
  edit_json([&](nlohmann::json& json) {
    json.erase("rope_scaling");
    json["rope_parameters"] = {
        {"full_attention", yarn},
        {"sliding_attention", {{"rope_type", "default"}, {"rope_theta", model.rotary_base}}}};
  });
  EXPECT_EQ(open_model(hf()).config.model, model);
  EXPECT_TRUE(imports_equal());
  EXPECT_TRUE(comes_back());
  edit_json([&](nlohmann::json& json) {
    json["rope_parameters"]["sliding_attention"]["rope_theta"] = 70.0;
  });
  EXPECT_TRUE(says(refused(), ErrorCode::unsupported,
                   {"rope_parameters = the same rope_theta for both kinds of layers"}));
  edit_json([&](nlohmann::json& json) {
    json["rope_parameters"]["sliding_attention"]["rope_theta"] = model.rotary_base;
    json["rope_parameters"]["full_attention"] = json["rope_parameters"]["sliding_attention"];
  });
  EXPECT_EQ(open_model(hf()).config.model.rope_local_base_freq, 0) << "nothing is scaled";
  EXPECT_TRUE(imports_equal());
  EXPECT_TRUE(comes_back());
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
             qwen2 = ModelType::qwen2, qwen3 = ModelType::qwen3, phi3 = ModelType::phi3,
             olmo2 = ModelType::olmo2, olmo3 = ModelType::olmo3, neox = ModelType::gpt_neox,
             gemma2 = ModelType::gemma2, gemma3 = ModelType::gemma3, olmoe = ModelType::olmoe,
             deepseek = ModelType::deepseek, dots = ModelType::dots1, glm = ModelType::glm4_moe,
             v2 = ModelType::deepseek_v2, v3 = ModelType::deepseek_v3;
  const std::vector<Case> cases{
      {gpt2, "model_type", "opt", ErrorCode::unsupported,
       "model_type = \"gpt2\", \"llama\", \"mistral\", \"qwen2\", \"qwen3\", \"mixtral\", "
       "\"qwen3_moe\", \"qwen2_moe\", \"phi3\", \"olmo2\", \"olmo3\", \"gpt_neox\", \"gemma2\", "
       "\"gemma3_text\", \"olmoe\", \"deepseek\", \"dots1\", \"glm4_moe\", \"deepseek_v2\" or "
       "\"deepseek_v3\", found \"opt\""},
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
       {{"rope_type", "yarn"}, {"factor", 8.0}, {"truncate", false}},
       ErrorCode::unsupported,
       "rope_scaling.truncate = true, found false"},
      {llama,
       "rope_scaling",
       {{"rope_type", "dynamic"}, {"factor", 8.0}, {"original_max_position_embeddings", 5}},
       ErrorCode::unsupported,
       "rope_scaling.original_max_position_embeddings = 16, found 5"},
      {llama, "partial_rotary_factor", 0.5, ErrorCode::unsupported,
       "partial_rotary_factor = 1.0, found 0.5"},
      {phi3,
       "rope_scaling",
       {{"type", "longrope"}, {"short_factor", {1.0}}, {"long_factor", {1.0}}},
       ErrorCode::bad_input,
       "as model.rope_short_factor: expected a rope_short_factor and a rope_long_factor"},
      {phi3,
       "rope_scaling",
       {{"type", "su"}, {"short_factor", {1, 1, 1, 1, 1}}, {"long_factor", {1, 1, 1, 0, 1}}},
       ErrorCode::bad_input,
       "as model.rope_long_factor: expected list of finite numbers > 0, found 0"},
      {phi3,
       "rope_scaling",
       {{"type", "longrope"}, {"short_factor", {1.0, "2"}}},
       ErrorCode::bad_input,
       "\"rope_scaling.short_factor\" to be a list of numbers"},
      {phi3,
       "rope_scaling",
       {{"type", "yarn"}, {"factor", 2.0}},
       ErrorCode::unsupported,
       "rope_scaling.type = \"default\" or \"longrope\" or \"su\", found \"yarn\""},
      {olmo2, "attention_bias", true, ErrorCode::unsupported,
       "no bias of the output projection alone"},
      {olmo3,
       "layer_types",
       {"full_attention", "sliding_attention"},
       ErrorCode::unsupported,
       "layer_types = a kind for each layer"},
      {neox, "attention_bias", false, ErrorCode::unsupported,
       "biases in all linear layers or in none"},
      {neox, "hidden_act", "relu", ErrorCode::unsupported, "hidden_act = \"gelu\""},
      {neox, "rotary_pct", 0.1, ErrorCode::bad_input, "an even number of rotated channels"},
      {gemma2, "hidden_activation", "silu", ErrorCode::unsupported,
       "hidden_activation = \"gelu_pytorch_tanh\", found \"silu\""},
      {gemma2,
       "layer_types",
       {"full_attention", "sliding_attention"},
       ErrorCode::unsupported,
       "layer_types = a kind for each layer"},
      {gemma3, "use_bidirectional_attention", true, ErrorCode::unsupported,
       "use_bidirectional_attention = false, found true"},
      {gemma3, "model_type", "gemma3", ErrorCode::unsupported, "found \"gemma3\""},
      {qwen2,
       "rope_scaling",
       {{"type", "longrope"}, {"factor", 8.0}},
       ErrorCode::unsupported,
       "rope_scaling.type = \"default\" or \"llama3\" or \"linear\" or \"dynamic\" or \"yarn\", "
       "found "
       "\"longrope\""},
      {llama, "rope_scaling", scaled, ErrorCode::bad_input,
       "rope_low_freq_factor < rope_high_freq_factor"},
      {llama, "rope_scaling", "llama3", ErrorCode::bad_input, "\"rope_scaling\" to be an object"},
      {llama, "hidden_act", "gelu", ErrorCode::unsupported, "hidden_act = \"silu\""},
      {llama, "attention_bias", true, ErrorCode::unsupported, "mlp_bias = true, found false"},
      {llama, "sliding_window", 4096, ErrorCode::unsupported, "sliding_window = 0, found 4096"},
      {llama,
       "quantization_config",
       {{"quant_method", "gptq"}},
       ErrorCode::unsupported,
       "quantization_config.quant_method = \"fp8\", found \"gptq\""},
      {qwen3, "num_experts", 128, ErrorCode::unsupported, "models of this family have no experts"},
      {mistral, "num_local_experts", 8, ErrorCode::unsupported,
       "models of this family have no experts"},
      {mistral, "model_type", "deepseek_v32", ErrorCode::unsupported, "found \"deepseek_v32\""},
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
      {olmoe, "clip_qkv", 8.0, ErrorCode::unsupported, "clip_qkv = null, found 8.0"},
      {olmoe, "head_dim", 10, ErrorCode::unsupported, "head_dim = 6, found 10"},
      {olmoe, "attention_bias", true, ErrorCode::unsupported,
       "no bias of the output projection alone"},
      {deepseek, "scoring_func", "sigmoid", ErrorCode::unsupported,
       "scoring_func = \"softmax\", found \"sigmoid\""},
      {deepseek, "routed_scaling_factor", 16.0, ErrorCode::unsupported,
       "routed_scaling_factor = 1.0, found 16.0"},
      {deepseek, "n_routed_experts", nullptr, ErrorCode::bad_input, "\"n_routed_experts\""},
      {deepseek, "moe_layer_freq", 9007199254740993, ErrorCode::bad_input, "as moe.layer_freq"},
      {dots, "n_group", 2, ErrorCode::unsupported, "num_experts_per_tok = 2 to 2, found 3"},
      {v3,
       "rope_scaling",
       {{"type", "linear"}, {"factor", 2.0}},
       ErrorCode::unsupported,
       "rope_scaling.type = \"default\" or \"yarn\", found \"linear\""},
      {v3,
       "rope_scaling",
       {{"type", "yarn"},
        {"factor", 2.0},
        {"attention_factor", 1.5},
        {"mscale", 1.0},
        {"mscale_all_dim", 1.0}},
       ErrorCode::bad_input,
       "rope_attention_factor 0 if rope_mscale and rope_mscale_all_dim are set"},
      {v2,
       "rope_scaling",
       {{"type", "yarn"}, {"factor", 2.0}, {"mscale_all_dim", -1.0}},
       ErrorCode::bad_input,
       "as model.rope_mscale_all_dim"},
      {v3,
       "quantization_config",
       {{"quant_method", "gptq"}},
       ErrorCode::unsupported,
       "quantization_config.quant_method = \"fp8\", found \"gptq\""},
      {v3, "rope_interleave", false, ErrorCode::unsupported, "rope_interleave = true, found false"},
      {v3, "num_key_value_heads", 2, ErrorCode::unsupported, "num_key_value_heads = 4, found 2"},
      {v3, "head_dim", 16, ErrorCode::unsupported, "head_dim = 6, found 16"},
      {v3, "q_lora_rank", 0, ErrorCode::bad_input, "\"q_lora_rank\" to be an integer >= 1"},
      {v3, "kv_lora_rank", 16777217, ErrorCode::bad_input, "as model.kv_lora_rank"},
      {v3, "qk_nope_head_dim", 9223372036854775807, ErrorCode::bad_input, "as model.qk_head_dim"},
      {v3, "qk_rope_head_dim", 5, ErrorCode::bad_input, "an even qk_pos_emb_head_dim"},
      {v3, "attention_bias", true, ErrorCode::unsupported, "attention_bias = false, found true"},
      {v3, "scoring_func", "softmax", ErrorCode::unsupported,
       "scoring_func = \"sigmoid\", found \"softmax\""},
      {v3, "topk_method", "greedy", ErrorCode::unsupported,
       "topk_method = \"noaux_tc\", found \"greedy\""},
      {v3, "moe_layer_freq", 2, ErrorCode::unsupported, "moe_layer_freq = 1, found 2"},
      {v3, "n_group", 4, ErrorCode::unsupported, "at least 2"},
      {v2, "n_routed_experts", 0, ErrorCode::bad_input, "\"n_routed_experts\""},
      {v2, "num_experts_per_tok", nullptr, ErrorCode::bad_input, "\"num_experts_per_tok\""},
      {v2, "scoring_func", "sigmoid", ErrorCode::unsupported,
       "scoring_func = \"softmax\", found \"sigmoid\""},
      {v2, "topk_method", "noaux_tc", ErrorCode::unsupported,
       "topk_method = \"greedy\" or \"group_limited_greedy\", found \"noaux_tc\""},
      {v2, "norm_topk_prob", true, ErrorCode::unsupported, "norm_topk_prob = false, found true"},
      {v2, "mlp_bias", true, ErrorCode::unsupported, "mlp_bias = false, found true"},
      {v2, "sliding_window", 8, ErrorCode::unsupported, "sliding_window = 0, found 8"},
      {deepseek, "n_group", 2, ErrorCode::unsupported, "n_group = 1, found 2"},
      {dots, "moe_layer_freq", 2, ErrorCode::unsupported, "moe_layer_freq = 1, found 2"},
      {dots, "n_shared_experts", nullptr, ErrorCode::bad_input, "\"n_shared_experts\""},
      {glm, "n_shared_experts", 4611686018427387904, ErrorCode::bad_input,
       "as moe.shared_expert_intermediate_size"},
      {glm, "moe_intermediate_size", 4611686018427387904, ErrorCode::bad_input,
       "as moe.ffn_hidden_size"},
      {glm, "first_k_dense_replace", 9223372036854775807, ErrorCode::bad_input,
       "as moe.first_dense_layers"},
      {glm, "first_k_dense_replace", 2, ErrorCode::bad_input, "first_dense_layers < num_layers"},
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
  const auto mistral = ModelType::mistral, qwen2 = ModelType::qwen2, qwen3 = ModelType::qwen3,
             dots = ModelType::dots1;
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
           {dots, {{"sliding_window", 7}, {"max_window_layers", 1}}, 7, 1},
           {dots, {{"sliding_window", nullptr}, {"max_window_layers", 0}}, 4096, 0},
           {dots, {{"sliding_window", 7}, {"max_window_layers", nullptr}}, 0, 0},  // 62 layers
           {dots, {{"sliding_window", "null"}, {"max_window_layers", 0}}, 0, 0},
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

// Goal: the layers that predict further tokens are left out with a note, and an export has the form of
// the files without them.
class PredictingLayersTest : public VariantTest, public ::testing::WithParamInterface<ModelType> {};

TEST_P(PredictingLayersTest, AreLeftOut) {
  write(GetParam());
  rewrite([](std::vector<Tensor>&) {});
  const auto without = file_bytes(hf() / "model.safetensors");
  const auto add = [](std::vector<Tensor>& all, const char* name) {
    all.insert(all.begin() + 3, {{.name = name, .type = StoredType::bfloat16, .shape = {2, 3}},
                                 std::vector<std::byte>(12)});
  };
  rewrite([&](std::vector<Tensor>& all) {
    add(all, "model.layers.2.eh_proj.weight");
    add(all, "model.layers.3.enorm.weight");
  });
  EXPECT_TRUE(says(refused(), ErrorCode::bad_input, {"\"model.layers.2.eh_proj.weight\""}));
  edit_json([](nlohmann::json& json) { json["num_nextn_predict_layers"] = 1; });
  EXPECT_TRUE(says(refused(), ErrorCode::bad_input, {"\"model.layers.3.enorm.weight\""}));
  edit_json([](nlohmann::json& json) { json["num_nextn_predict_layers"] = 2; });
  const Imported imported = open_model(hf());
  ASSERT_EQ(imported.notes.size(), 1U);
  EXPECT_TRUE(imported.notes[0].starts_with("num_nextn_predict_layers = 2: ")) << imported.notes[0];
  EXPECT_TRUE(imports_equal());
  write_bytes(hf() / "model.safetensors", without);
  EXPECT_TRUE(comes_back());
  auto json = nlohmann::json::parse(read_text(hf() / "config.json"));
  json["num_nextn_predict_layers"] = 0;
  EXPECT_EQ(nlohmann::json::parse(read_text(scratch_.path() / "back/config.json")), json);
}

INSTANTIATE_TEST_SUITE_P(Families, PredictingLayersTest,
                         ::testing::Values(ModelType::glm4_moe, ModelType::deepseek_v3));

TEST_F(VariantTest, AFileOfPredictingLayersLeavesTheIndex) {
  config_ = with_shared_experts(ModelType::glm4_moe);
  export_model(Opened(save_model(scratch_.path() / "a", config_, Weights(config_))), hf(),
               {.file_nbytes_max = 20'000});
  const auto without = nlohmann::json::parse(read_text(hf() / "model.safetensors.index.json"));
  std::vector<StoredTensor> extra{{.name = "model.layers.2.eh_proj.weight", .shape = {2, 3}}};
  std::ofstream(hf() / "mtp.safetensors", std::ios::binary)
      << make_safetensors_header(extra, {{"format", "pt"}}) << std::string(24, '\0');
  auto index = without;
  index["weight_map"][extra[0].name] = "mtp.safetensors";
  index["metadata"]["total_size"] = index["metadata"]["total_size"].get<std::uint64_t>() + 24;
  std::ofstream(hf() / "model.safetensors.index.json") << index;
  edit_json([](nlohmann::json& json) { json["num_nextn_predict_layers"] = 1; });
  EXPECT_TRUE(imports_equal());
  const auto back = scratch_.path() / "back";
  export_model(*open_newest(scratch_.path() / "b"), back);
  EXPECT_EQ(nlohmann::json::parse(read_text(back / "model.safetensors.index.json")), without);
  EXPECT_FALSE(std::filesystem::exists(back / "mtp.safetensors"));
  for (const auto& [tensor, file] : without["weight_map"].items())
    EXPECT_EQ(file_bytes(back / file), file_bytes(hf() / file)) << file;
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

// Goal: values with few runs have a text, and a text that is not theirs is refused.
TEST(RunsTest, MasksComeBackAndNonsenseIsNamed) {
  std::vector<std::byte> mask;
  for (int row = 0; row < 40; ++row) {
    for (int column = 0; column < 40; ++column) {
      for (const int byte : {0, 0, column <= row ? 0x80 : 0, column <= row ? 0x3f : 0})
        mask.push_back(static_cast<std::byte>(byte));
    }
  }
  const JsonSource source{"manifest.json"};
  const auto text = to_runs(mask, 4);
  ASSERT_TRUE(text.has_value());
  EXPECT_EQ(text->substr(0, 28), "1x0000803f,39x00000000,2x000");
  EXPECT_EQ(parse_runs(*text, 4, mask.size(), source, "mask"), mask);
  EXPECT_EQ(parse_runs("", 4, 0, source, "none").size(), 0U);
  const std::vector<float> random = megascale::testing::normal(kRunsMax + 1, 7, 1.0);
  EXPECT_FALSE(to_runs(std::as_bytes(std::span(random)), 4));
  for (const char* wrong : {"", "3x00", "5x00", "2x00,2x0g", "2x00,2x0", "2x00,x00", "-4x00", "4",
                            "4x0000", "18446744073709551615x00", "1x00,,3x00"}) {
    const Error error = error_of([&] { (void)parse_runs(wrong, 1, 4, source, "a.mask"); });
    EXPECT_TRUE(says(error, ErrorCode::corrupt_data, {"manifest.json", "a.mask", "4 elements"}))
        << wrong;
  }
}

}  // namespace
}  // namespace megascale::checkpoint::huggingface
