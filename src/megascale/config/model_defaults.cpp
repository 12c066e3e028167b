// The defaults of the keys of [model]. They depend on model.type.
#include <algorithm>
#include <initializer_list>

#include "megascale/config/fields.h"

namespace megascale {

void apply_model_type_defaults(ModelConfig& model) {
  using enum ModelType;
  const auto is = [&](std::initializer_list<ModelType> types) {
    return std::find(types.begin(), types.end(), model.type) != types.end();
  };
  const bool gpt2_style = is({gpt2}), neox = is({gpt_neox}), gemma = is({gemma2, gemma3});
  const bool layer_norms = gpt2_style || neox;
  model.normalization = layer_norms ? Normalization::layer_norm : Normalization::rms_norm;
  model.activation = gpt2_style ? Activation::gelu
                     : neox     ? Activation::gelu_erf
                     : gemma    ? Activation::geglu
                                : Activation::swiglu;
  model.position_embedding = gpt2_style ? PositionEmbedding::learned : PositionEmbedding::rope;
  model.add_bias_linear = layer_norms;
  model.add_qkv_bias = is({qwen2, qwen2_moe, glm4_moe});
  model.qk_layernorm = is({qwen3, qwen3_moe, dots1, olmo2, olmo3, olmoe, gemma3});
  model.qk_layernorm_per_head = !is({olmo2, olmo3, olmoe});
  model.norm_position = gemma                ? NormPosition::both
                        : is({olmo2, olmo3}) ? NormPosition::after
                                             : NormPosition::before;
  model.layernorm_zero_centered_gamma = model.scale_embedding = gemma;
  model.untie_embeddings_and_output_weights = !gpt2_style && !gemma;
  model.rope_local_base_freq = is({gemma3}) ? 10000.0 : 0.0;
  model.rotary_percent = neox ? 0.25 : is({glm4_moe}) ? 0.5 : 1.0;
  model.parallel_block = model.parallel_block_mlp_norm = neox;
  model.window_attn_skip_freq = is({gemma2}) ? 2 : is({olmo3}) ? 4 : is({gemma3}) ? 6 : 0;
  model.multi_latent_attention = is({deepseek_v2, deepseek_v3});
  model.q_lora_rank = is({deepseek_v3}) ? 1536 : 0;
  model.query_pre_attn_scalar = 0.0;
  model.attn_logit_softcapping = is({gemma2}) ? 50.0 : 0.0;
  model.final_logit_softcapping = is({gemma2}) ? 30.0 : 0.0;
}

}  // namespace megascale
