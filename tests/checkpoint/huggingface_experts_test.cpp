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
                                           {ModelType::deepseek_v2, 0, 1, {0, 1, 2, 3, 4}},
                                           {ModelType::deepseek_v3, 4, 1, {4}},
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

TEST(LayersWithExpertsTest, DefaultsOfDeepSeekV2AndV3) {
  const auto without = [](ModelType type, std::initializer_list<const char*> more) {
    Config config = with_shared_experts(type);
    config.model.num_layers = 5;
    auto json = nlohmann::json::parse(to_model_json(config.model, {}));
    for (const char* key : {"n_routed_experts", "moe_intermediate_size", "n_shared_experts",
                            "norm_topk_prob", "first_k_dense_replace", "routed_scaling_factor",
                            "n_group", "topk_group", "topk_method", "scoring_func"})
      json.erase(key);
    for (const char* key : more) json.erase(key);
    return parse_model_json(json.dump(), "config.json").model.moe;
  };
  const MoeConfig v2 = without(ModelType::deepseek_v2, {});
  EXPECT_EQ(v2.num_experts, 64);
  EXPECT_EQ(v2.ffn_hidden_size, 1407);
  EXPECT_EQ(v2.shared_expert_intermediate_size, 2 * 1407);
  EXPECT_EQ(v2.first_dense_layers, 0);
  EXPECT_EQ(v2.router_topk_scaling_factor, 1.0);
  EXPECT_EQ(v2.router_num_groups, 0);
  EXPECT_EQ(v2.router_score_function, ScoreFunction::softmax);
  EXPECT_FALSE(v2.norm_topk_prob || v2.router_enable_expert_bias);
  const MoeConfig v3 = without(ModelType::deepseek_v3, {"num_experts_per_tok"});
  EXPECT_EQ(v3.num_experts, 256);
  EXPECT_EQ(v3.router_topk, 8);
  EXPECT_EQ(v3.ffn_hidden_size, 2048);
  EXPECT_EQ(v3.shared_expert_intermediate_size, 2048);
  EXPECT_EQ(v3.first_dense_layers, 3);
  EXPECT_EQ(v3.router_topk_scaling_factor, 2.5);
  EXPECT_EQ(v3.router_num_groups, 8);
  EXPECT_EQ(v3.router_group_topk, 4);
  EXPECT_EQ(v3.router_score_function, ScoreFunction::sigmoid);
  EXPECT_TRUE(v3.norm_topk_prob && v3.router_enable_expert_bias);
}

// Goal: groups that DeepSeek-V2 judges by their best expert are kept, and ignored where all experts compete.
TEST(LayersWithExpertsTest, GroupsOfDeepSeekV2) {
  Config config = with_shared_experts(ModelType::deepseek_v2);
  auto json = nlohmann::json::parse(to_model_json(config.model, {}));
  json["n_group"] = 4;
  json["topk_group"] = 2;
  const auto moe = [&] { return parse_model_json(json.dump(), "config.json").model.moe; };
  EXPECT_EQ(moe().router_num_groups, 0) << "greedy";
  json["topk_method"] = "group_limited_greedy";
  EXPECT_TRUE(says(error_of([&] { (void)moe(); }), ErrorCode::unsupported,
                   {"num_experts_per_tok = 2 to 2, found 3"}));
  json["num_experts_per_tok"] = 2;
  EXPECT_EQ(moe().router_num_groups, 4);
  EXPECT_EQ(moe().router_group_topk, 2);
  EXPECT_EQ(moe().router_group_best, 0) << "as many as 2 / 2";
  json["n_routed_experts"] = 160;
  json["n_group"] = 8;
  json["topk_group"] = 3;
  json["num_experts_per_tok"] = 6;
  EXPECT_EQ(moe().router_group_best, 1) << "DeepSeek-V2";
  json["n_group"] = 7;
  EXPECT_TRUE(says(error_of([&] { (void)moe(); }), ErrorCode::unsupported,
                   {"n_group = a divisor of n_routed_experts, found 7"}));
  json["n_group"] = 4;
  json["n_routed_experts"] = 4;
  json["topk_group"] = 4;
  json["num_experts_per_tok"] = 3;
  EXPECT_EQ(moe().router_num_groups, 0) << "all groups";
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
