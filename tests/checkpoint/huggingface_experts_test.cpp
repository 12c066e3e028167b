#include <nlohmann/json.hpp>

#include "checkpoint/huggingface_models.h"
#include "megascale/checkpoint/huggingface/model_json.h"

// The keys of config.json that say which layers have experts, and how large these are.
namespace megascale::checkpoint::huggingface {
namespace {

using checkpoint::testing::error_of;
using checkpoint::testing::says;
using testing::with_gated_shared_expert;
using testing::with_shared_experts;

// Goal: layers have experts where transformers' models have them, and none do where ours cannot.
TEST(LayersWithExpertsTest, StepAndListSayWhichTheyAre) {
  struct Case {
    std::int64_t layers, step;
    std::vector<std::int64_t> dense;
    std::vector<std::int64_t> wanted;  // layers with experts; none: refused
  };
  for (const Case& one : std::vector<Case>{{4, 1, {}, {0, 1, 2, 3}},
                                           {4, 2, {}, {1, 3}},
                                           {5, 2, {}, {1, 3}},
                                           {5, 3, {}, {2}},
                                           {4, 1, {0, 1}, {2, 3}},
                                           {4, 1, {0, 0, 9}, {1, 2, 3}},
                                           {6, 2, {1}, {3, 5}},
                                           {6, 2, {3}, {1, 5}},
                                           {4, 1, {0, 1, 2}, {3}},
                                           {4, 1, {3}, {}},
                                           {6, 1, {2}, {}},
                                           {2, 1, {0, 1}, {}},
                                           {2, 3, {}, {}}}) {
    Config config = with_gated_shared_expert();
    config.model.num_layers = one.layers;
    auto json = nlohmann::json::parse(to_model_json(config.model, {}));
    json["decoder_sparse_step"] = one.step;
    json["mlp_only_layers"] = one.dense;
    SCOPED_TRACE(json["mlp_only_layers"].dump() + " of " + std::to_string(one.layers) + " by " +
                 std::to_string(one.step));
    if (one.wanted.empty()) {
      EXPECT_TRUE(says(error_of([&] { (void)parse_model_json(json.dump(), "config.json"); }),
                       ErrorCode::unsupported, {"config.json", "mlp_only_layers"}));
      continue;
    }
    const ModelConfig model = parse_model_json(json.dump(), "config.json").model;
    std::vector<std::int64_t> found;
    for (std::int64_t layer = 0; layer < one.layers; ++layer) {
      if (has_experts(model, layer)) found.push_back(layer);
    }
    EXPECT_EQ(found, one.wanted);
    EXPECT_EQ(parse_model_json(to_model_json(model, {}), "again").model, model);
  }
}

TEST(LayersWithExpertsTest, DenseLayersComeFirstInDeepSeeksKeys) {
  struct Case {
    ModelType type;
    std::int64_t first, step;
    std::vector<std::int64_t> wanted;
  };
  for (const Case& one : std::vector<Case>{{ModelType::deepseek, 0, 1, {0, 1, 2, 3, 4}},
                                           {ModelType::deepseek, 1, 2, {2, 4}},
                                           {ModelType::deepseek, 2, 2, {2, 4}},
                                           {ModelType::deepseek, 0, 3, {0, 3}},
                                           {ModelType::dots1, 3, 1, {3, 4}},
                                           {ModelType::glm4_moe, 1, 1, {1, 2, 3, 4}}}) {
    Config config = with_shared_experts(one.type);
    config.model.num_layers = 5;
    auto json = nlohmann::json::parse(to_model_json(config.model, {}));
    json["first_k_dense_replace"] = one.first;
    json["moe_layer_freq"] = one.step;
    const ModelConfig model = parse_model_json(json.dump(), "config.json").model;
    std::vector<std::int64_t> found;
    for (std::int64_t layer = 0; layer < 5; ++layer) {
      if (has_experts(model, layer)) found.push_back(layer);
    }
    EXPECT_EQ(found, one.wanted) << json;
    EXPECT_EQ(parse_model_json(to_model_json(model, {}), "again").model, model);
  }
}

// Goal: absent keys mean what GLM-4.5's configuration class takes them for.
TEST(LayersWithExpertsTest, DefaultsOfGlm) {
  auto json =
      nlohmann::json::parse(to_model_json(with_shared_experts(ModelType::glm4_moe).model, {}));
  for (const char* key :
       {"n_routed_experts", "num_experts_per_tok", "moe_intermediate_size", "n_shared_experts",
        "norm_topk_prob", "first_k_dense_replace", "routed_scaling_factor", "attention_bias",
        "use_qk_norm", "partial_rotary_factor", "rms_norm_eps"})
    json.erase(key);
  const ModelConfig model = parse_model_json(json.dump(), "config.json").model;
  EXPECT_EQ(model.moe.num_experts, 128);
  EXPECT_EQ(model.moe.router_topk, 8);
  EXPECT_EQ(model.moe.ffn_hidden_size, 1408);
  EXPECT_EQ(model.moe.shared_expert_intermediate_size, 1408);
  EXPECT_EQ(model.moe.first_dense_layers, 1);
  EXPECT_EQ(model.moe.router_topk_scaling_factor, 1.0);
  EXPECT_TRUE(model.moe.norm_topk_prob);
  EXPECT_FALSE(model.add_qkv_bias || model.qk_layernorm);
  EXPECT_EQ(model.rotary_percent, 0.5);
  EXPECT_EQ(model.norm_epsilon, 1e-5);
}

TEST(LayersWithExpertsTest, AStepAloneThatLeavesNoLayerIsRefusedByItsName) {
  Config config = with_gated_shared_expert();
  config.model.num_layers = 4;
  auto json = nlohmann::json::parse(to_model_json(config.model, {}));
  json.erase("mlp_only_layers");
  json["decoder_sparse_step"] = 9;
  EXPECT_TRUE(says(error_of([&] { (void)parse_model_json(json.dump(), "config.json"); }),
                   ErrorCode::unsupported, {"config.json", "decoder_sparse_step", "found 9"}));
}

}  // namespace
}  // namespace megascale::checkpoint::huggingface
