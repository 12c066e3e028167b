#ifndef MEGASCALE_TESTS_GENERATE_SMALL_MODEL_H_
#define MEGASCALE_TESTS_GENERATE_SMALL_MODEL_H_

#include <memory>
#include <string>
#include <vector>

#include "megascale/base/philox.h"
#include "megascale/config/load.h"
#include "megascale/engine/inference.h"

namespace megascale::testing {

// Latent attention has keys and values of its own for each head.
inline constexpr const char* kLatentAttention = "deepseek_v3";

// A small model with random weights, large enough that its tokens differ.
inline std::unique_ptr<engine::Inference> small_model(const model::DecodeShape& decode,
                                                      std::int64_t positions = 700,
                                                      const std::string& type = "llama") {
  std::vector<std::string> set{"model.type=" + type,
                               "model.max_position_embeddings=" + std::to_string(positions)};
  if (type == kLatentAttention) {
    for (const char* one : {"num_query_groups=4", "q_lora_rank=24", "kv_lora_rank=40",
                            "qk_head_dim=12", "qk_pos_emb_head_dim=8", "v_head_dim=10"})
      set.push_back(std::string("model.") + one);
  }
  const Config config = parse_config(
      "[model]\nnum_layers = 2\nhidden_size = 64\nffn_hidden_size = 96\nnum_attention_heads = 4\n"
      "num_query_groups = 2\nseq_length = 32\ninit_method_std = 0.3\n[data]\ndata_path = "
      "\"none\"\n",
      "test.toml", set);
  auto model = std::make_unique<engine::Inference>(config, nullptr, decode);
  engine::initialize(model->state(), model->layout(), config.train.seed);
  return model;
}

// Random tokens of the vocabulary of bytes.
inline std::vector<std::int32_t> random_tokens(std::size_t count, const std::string& name) {
  std::vector<std::int32_t> tokens;
  const PhiloxStream random(5, name);
  for (std::size_t i = 0; i < count; ++i)
    tokens.push_back(static_cast<std::int32_t>(random.bits(i) % 256));
  return tokens;
}

}  // namespace megascale::testing

#endif  // MEGASCALE_TESTS_GENERATE_SMALL_MODEL_H_
