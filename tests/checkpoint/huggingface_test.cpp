#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "checkpoint/huggingface_models.h"
#include "megascale/base/environment.h"
#include "megascale/checkpoint/huggingface/model_json.h"
#include "megascale/checkpoint/huggingface/tensor_map.h"
#include "megascale/checkpoint/huggingface/train_file.h"
#include "support/shell.h"

namespace megascale::checkpoint::huggingface {
namespace {

using checkpoint::testing::error_of;
using checkpoint::testing::file_bytes;
using checkpoint::testing::says;
using checkpoint::testing::Scratch;
using checkpoint::testing::write_bytes;
using testing::deepseek_v2_with_groups_and_query_latent;
using testing::deepseek_v3_with_yarn;
using testing::deepseek_with_dense_layers_between;
using testing::dots_with_groups;
using testing::glm_with_head_norms;
using testing::olmo3_with_yarn;
using testing::olmoe;
using testing::phi3_with_longrope;
using testing::read_floats;
using testing::save_model;
using testing::scaled;
using testing::scaled_llama;
using testing::serial_neox;
using testing::sliding;
using testing::small;
using testing::tied_llama_with_biases;
using testing::untied_gpt2;
using testing::Weights;
using testing::with_dense_layers;
using testing::with_experts;
using testing::with_gated_shared_expert;
using testing::with_shared_experts;

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
    const bool is_rounded = read_floats(back, name) != tensor.second;
    EXPECT_EQ(is_rounded, !name.ends_with(".choice_bias")) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Models, RoundTripTest,
    ::testing::Values(
        [] { return small(ModelType::gpt2); }, untied_gpt2, [] { return small(ModelType::llama); },
        tied_llama_with_biases, scaled_llama, [] { return small(ModelType::mistral); },
        [] { return sliding(ModelType::mistral, 0); }, [] { return small(ModelType::qwen2); },
        [] { return sliding(ModelType::qwen2, 1); }, [] { return sliding(ModelType::qwen3, 0); },
        [] { return with_experts(ModelType::mixtral); },
        [] { return with_experts(ModelType::qwen3_moe); }, with_gated_shared_expert,
        [] { return with_dense_layers(2, 1); }, [] { return with_dense_layers(1, 2); },
        [] { return scaled(RopeScalingType::linear); },
        [] { return scaled(RopeScalingType::dynamic); },
        [] { return scaled(RopeScalingType::yarn); },
        [] { return scaled(RopeScalingType::yarn, 1.25); }, [] { return small(ModelType::phi3); },
        [] { return sliding(ModelType::phi3, 0); }, [] { return phi3_with_longrope(); },
        [] { return phi3_with_longrope(1.5); }, [] { return small(ModelType::olmo2); },
        [] { return small(ModelType::olmo3); }, olmo3_with_yarn,
        [] { return small(ModelType::gpt_neox); }, serial_neox,
        [] { return small(ModelType::gemma2); }, [] { return small(ModelType::gemma3); }, olmoe,
        [] { return with_shared_experts(ModelType::deepseek); }, deepseek_with_dense_layers_between,
        [] { return with_shared_experts(ModelType::dots1); }, dots_with_groups,
        [] { return with_shared_experts(ModelType::glm4_moe); }, glm_with_head_norms,
        [] { return with_shared_experts(ModelType::deepseek_v2); },
        deepseek_v2_with_groups_and_query_latent,
        [] { return with_shared_experts(ModelType::deepseek_v3); },
        [] { return deepseek_v3_with_yarn(); }, [] { return deepseek_v3_with_yarn(1.25); }));

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
  // How rows travel between ranks is no property of the model.
  ModelConfig in_8_bits = with_experts(ModelType::mixtral).model;
  in_8_bits.moe.fp8_communication = true;
  in_8_bits.moe.fp8_communication_recipe = Fp8CommunicationRecipe::tensorwise;
  EXPECT_NO_THROW(check_exportable(in_8_bits));
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
  EXPECT_TRUE(says(refused(ModelType::phi3, [](auto& m) { m.use_rope_scaling = true; }), code,
                   {"Phi-3: expected model.use_rope_scaling = false"}));
  const auto longrope = [](ModelConfig& m) {
    m = phi3_with_longrope().model;
    m.rope_scaling_factor = 3;
  };
  EXPECT_TRUE(says(refused(ModelType::phi3, longrope), code,
                   {"Phi-3: expected model.rope_scaling_factor = 4.0, found 3.0"}));
  const auto of_llama = [](ModelConfig& m) {
    m.use_rope_scaling = true;
    m.rope_scaling_type = RopeScalingType::longrope;
  };
  EXPECT_TRUE(says(refused(ModelType::llama, of_llama), code,
                   {"Llama: expected model.rope_scaling_type = \"llama3\", found \"longrope\""}));
  EXPECT_TRUE(says(refused(ModelType::llama, [](auto& m) { m.norm_position = NormPosition::both; }),
                   code, {"Llama: expected model.norm_position = \"before\", found \"both\""}));
  EXPECT_TRUE(says(refused(ModelType::llama, [](auto& m) { m.rotary_percent = 0.6; }), code,
                   {"Llama: expected model.rotary_percent = 1.0, found 0.6"}));
  EXPECT_TRUE(says(refused(ModelType::qwen3, [](auto& m) { m.final_logit_softcapping = 30; }), code,
                   {"Qwen3: expected model.final_logit_softcapping = 0.0, found 30.0"}));
  EXPECT_TRUE(says(refused(ModelType::olmo2, [](auto& m) { m.qk_layernorm_per_head = true; }), code,
                   {"OLMo 2: expected model.qk_layernorm_per_head = false, found true"}));
  EXPECT_TRUE(says(refused(ModelType::gpt_neox, [](auto& m) { m.head_dim = 10; }), code,
                   {"GPT-NeoX: expected model.head_dim = 8, found 10"}));
  EXPECT_TRUE(says(refused(ModelType::gpt_neox, [](auto& m) { m.parallel_block_mlp_norm = false; }),
                   code, {"GPT-NeoX: expected model.parallel_block_mlp_norm = true, found false"}));
  EXPECT_TRUE(says(refused(ModelType::gemma2, [](auto& m) { m.qk_layernorm = true; }), code,
                   {"Gemma 2: expected model.qk_layernorm = false, found true"}));
  EXPECT_TRUE(says(refused(ModelType::gemma3, [](auto& m) { m.sliding_window = 0; }), code,
                   {"Gemma 3: expected model.sliding_window = 1, found 0"}));
  const auto scaled_everywhere = [](ModelConfig& m) {
    m = olmo3_with_yarn().model;
    m.rope_local_base_freq = 0;
  };
  EXPECT_TRUE(says(refused(ModelType::olmo3, scaled_everywhere), code,
                   {"OLMo 3: expected model.rope_local_base_freq = 500000.0, found 0.0"}));
}

TEST(HuggingFaceTest, LatentAttentionIsOfItsFamiliesOnly) {
  const auto refused = [](ModelConfig model, const std::function<void(ModelConfig&)>& change) {
    EXPECT_NO_THROW(check_exportable(model));
    change(model);
    return error_of([&] { check_exportable(model); });
  };
  const auto code = ErrorCode::unsupported;
  const ModelConfig llama = small(ModelType::llama).model,
                    v2 = with_shared_experts(ModelType::deepseek_v2).model,
                    v3 = deepseek_v3_with_yarn().model;
  EXPECT_TRUE(says(refused(llama, [](auto& m) { m.multi_latent_attention = true; }), code,
                   {"Llama: expected model.multi_latent_attention = false, found true"}));
  EXPECT_TRUE(says(refused(llama, [](auto& m) { m.rope_mscale_all_dim = 1; }), code,
                   {"Llama: expected model.rope_mscale_all_dim = 0.0, found 1.0"}));
  EXPECT_TRUE(says(refused(v2, [](auto& m) { m.multi_latent_attention = false; }), code,
                   {"DeepSeek-V2: expected model.multi_latent_attention = true, found false"}));
  EXPECT_TRUE(says(refused(v2, [](auto& m) { m.moe.norm_topk_prob = true; }), code,
                   {"DeepSeek-V2: expected moe.norm_topk_prob = false, found true"}));
  EXPECT_TRUE(says(refused(v2, [](auto& m) { m.moe.router_enable_expert_bias = true; }), code,
                   {"expected moe.router_enable_expert_bias = false, found true"}));
  EXPECT_TRUE(says(refused(v2, [](auto& m) { m.sliding_window = 8; }), code,
                   {"expected model.sliding_window = 0, found 8"}));
  const ModelConfig grouped = deepseek_v2_with_groups_and_query_latent().model;
  EXPECT_TRUE(says(refused(grouped, [](auto& m) { m.moe.router_group_best = 2; }), code,
                   {"expected moe.router_group_best = 1, found 2"}));
  const auto linear = [](ModelConfig& m) { m.rope_scaling_type = RopeScalingType::linear; };
  EXPECT_TRUE(says(refused(v3, linear), code,
                   {"expected model.rope_scaling_type = \"yarn\", found \"linear\""}));
}

TEST(HuggingFaceTest, ExpertsOfTheFamiliesAreKeptApart) {
  const auto refused = [](const Config& config, const std::function<void(MoeConfig&)>& change) {
    ModelConfig model = config.model;
    EXPECT_NO_THROW(check_exportable(model));
    change(model.moe);
    return error_of([&] { check_exportable(model); });
  };
  const auto code = ErrorCode::unsupported;
  const Config deepseek = with_shared_experts(ModelType::deepseek),
               dots = with_shared_experts(ModelType::dots1);
  EXPECT_TRUE(says(refused(olmoe(), [](auto& m) { m.ffn_hidden_size = 20; }), code,
                   {"OLMoE: expected model.ffn_hidden_size = 20, found 56"}));
  EXPECT_TRUE(says(refused(olmoe(), [](auto& m) { m.first_dense_layers = 1; }), code,
                   {"OLMoE: expected moe.first_dense_layers = 0, found 1"}));
  EXPECT_TRUE(says(refused(deepseek, [](auto& m) { m.shared_expert_intermediate_size = 50; }), code,
                   {"DeepSeekMoE: expected moe.shared_expert_intermediate_size = 40, found 50"}));
  EXPECT_TRUE(says(refused(deepseek, [](auto& m) { m.router_enable_expert_bias = true; }), code,
                   {"DeepSeekMoE: expected moe.router_enable_expert_bias = false, found true"}));
  EXPECT_TRUE(says(refused(deepseek, [](auto& m) { m.layer_freq = 2; }), code,
                   {"DeepSeekMoE: expected moe.first_dense_layers = 0, found 1"}));
  EXPECT_TRUE(says(refused(dots, [](auto& m) { m.router_enable_expert_bias = false; }), code,
                   {"dots.llm1: expected moe.router_enable_expert_bias = true, found false"}));
  EXPECT_TRUE(says(refused(dots_with_groups(), [](auto& m) { m.router_topk = 3; }), code,
                   {"dots.llm1: expected moe.router_group_best = 2, found 0"}));
  EXPECT_TRUE(says(refused(dots, [](auto& m) { m.shared_expert_intermediate_size = 0; }), code,
                   {"dots.llm1: expected moe.shared_expert_intermediate_size = 20, found 0"}));
  EXPECT_TRUE(
      says(refused(dots, [](auto& m) { m.router_score_function = ScoreFunction::softmax; }), code,
           {"dots.llm1: expected moe.router_score_function = \"sigmoid\", found \"softmax\""}));
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
