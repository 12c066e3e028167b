#include <fmt/format.h>

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "checkpoint/huggingface_directory.h"
#include "megascale/checkpoint/huggingface/model_json.h"
#include "megascale/checkpoint/huggingface/tensor_map.h"

// Latent attention in the files of DeepSeek-V2 and V3.
namespace megascale::checkpoint::huggingface {
namespace {

using checkpoint::testing::error_of;
using checkpoint::testing::says;
using testing::save_model;
using testing::Weights;
using testing::with_shared_experts;

class LatentFilesTest : public testing::DirectoryTest {};

// Goal: the rotated channels of a head are in pairs in the files, and in halves in ours.
TEST_F(LatentFilesTest, RotatedRowsOfLatentAttentionAreInterleaved) {
  write(ModelType::deepseek_v2);  // four heads of 10 + 6 rows of 24 numbers; 12 + 6 rows of keys
  constexpr std::array<std::size_t, 6> kHalves{0, 2, 4, 1, 3, 5};  // their row of each of ours
  const SafetensorsFile file(hf() / "model.safetensors");
  const Weights weights(config_);
  const auto theirs = [&](const char* name, const Extents& shape) {
    const StoredTensor* tensor = file.find(std::string("model.layers.1.self_attn.") + name);
    EXPECT_EQ(tensor->shape, shape) << name;
    std::vector<float> values(*checked_numel(shape));
    to_float32(tensor->type, file.bytes(*tensor), values);
    return values;
  };
  const auto ours = [&](const char* name) {
    return weights.tensors.at(std::string("layers.1.attention.") + name).second;
  };
  constexpr std::size_t kWidth = 24;
  const auto row = [](const std::vector<float>& values, std::size_t number) {
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(number * kWidth);
    return std::vector<float>(begin, begin + kWidth);
  };
  const auto query = theirs("q_proj.weight", {64, 24}), our_query = ours("query.weight");
  for (std::size_t i = 0; i < 64; ++i) {
    const std::size_t channel = i % 16, rest = i - channel;
    const std::size_t their_row = channel < 10 ? i : rest + 10 + kHalves.at(channel - 10);
    EXPECT_EQ(row(our_query, i), row(query, their_row)) << i;
  }
  const auto both = theirs("kv_a_proj_with_mqa.weight", {18, 24}), latent = ours("latent.weight"),
             key = ours("key_rope.weight");
  for (std::size_t i = 0; i < 12; ++i) EXPECT_EQ(row(latent, i), row(both, i)) << i;
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(row(key, i), row(both, 12 + kHalves.at(i))) << i;
  EXPECT_EQ(theirs("kv_b_proj.weight", {72, 12}), ours("key_value.weight"));
  EXPECT_EQ(theirs("o_proj.weight", {24, 32}), ours("output.weight"));
  EXPECT_TRUE(imports_equal());
  EXPECT_TRUE(comes_back());
}

// Goal: a tensor of theirs that is two of ours stays one in files of any size, and errors count its
// elements.
TEST_F(LatentFilesTest, FilesDoNotDivideATensorThatIsTwoOfOurs) {
  config_ = with_shared_experts(ModelType::deepseek_v3);
  Weights weights(config_);
  weights.tensors.at("layers.0.attention.key_rope.weight").second[24 * 1 + 3] = NAN;
  export_model(Opened(save_model(scratch_.path() / "a", config_, weights)), hf(),
               {.file_nbytes_max = 1});
  const Imported imported = open_model(hf());
  // Our row 1 is their row 12 + 2.
  EXPECT_TRUE(says(error_of([&] { (void)save_imported(imported, scratch_.path() / "b"); }),
                   ErrorCode::bad_input,
                   {"layers.0.self_attn.kv_a_proj_with_mqa.weight", "element 339"}));
}

// Goal: transformers' defaults of keys that are absent, and null where it is a value.
TEST_F(LatentFilesTest, DefaultsOfLatentAttention) {
  for (const ModelType type : {ModelType::deepseek_v2, ModelType::deepseek_v3}) {
    auto json = nlohmann::json::parse(to_model_json(with_shared_experts(type).model, {}));
    for (const char* key : {"q_lora_rank", "kv_lora_rank", "qk_nope_head_dim", "qk_rope_head_dim",
                            "v_head_dim", "rope_interleave", "attention_bias"})
      json.erase(key);
    const auto model = [&] { return parse_model_json(json.dump(), "config.json").model; };
    EXPECT_EQ(model().q_lora_rank, 1536);
    EXPECT_EQ(model().kv_lora_rank, 512);
    EXPECT_EQ(model().qk_head_dim, 128);
    EXPECT_EQ(model().qk_pos_emb_head_dim, 64);
    EXPECT_EQ(model().v_head_dim, 128);
    EXPECT_EQ(model().head_dim, 192);
    json["q_lora_rank"] = nullptr;
    EXPECT_EQ(model().q_lora_rank, 0);
    json["head_dim"] = 64;  // as transformers writes it
    EXPECT_EQ(model().head_dim, 192);
    json["rope_scaling"] = {{"type", "yarn"},
                            {"factor", 40},
                            {"mscale", 0.707},
                            {"mscale_all_dim", 0.707},
                            {"original_max_position_embeddings", 4096}};
    EXPECT_EQ(model().rope_mscale, 0.707);
    EXPECT_EQ(model().rope_mscale_all_dim, 0.707);
    EXPECT_EQ(model().rope_attention_factor, 0);
  }
}

}  // namespace
}  // namespace megascale::checkpoint::huggingface
