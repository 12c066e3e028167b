#include "megascale/config/architecture_rules.h"

#include "megascale/config/derived.h"

namespace megascale {
namespace {

// The kernels take so many divisors.
constexpr std::size_t kLongRopePairsMax = 256;

bool has_rope(const ModelConfig& m) { return m.position_embedding == PositionEmbedding::rope; }
bool scales_rope(const ModelConfig& m, RopeScalingType type) {
  return m.use_rope_scaling && m.rope_scaling_type == type;
}

std::vector<Rule> position_rules() {
  return {
      {{"model.head_dim", "model.hidden_size", "model.num_attention_heads",
        "model.position_embedding"},
       "an even head_dim with rotary positions, which rotate pairs of elements",
       [](const Config& c) {
         const ModelConfig& m = c.model;
         return !has_rope(m) || m.multi_latent_attention || m.head_dim % 2 == 0;
       }},
      {{"model.rotary_percent", "model.head_dim", "model.position_embedding"},
       "an even number of rotated channels, rotary_percent x head_dim rounded down, and at least 2",
       [](const Config& c) {
         const std::int64_t rotated = rotary_channels(c.model);
         return !has_rope(c.model) || c.model.rotary_percent == 1 ||
                (rotated > 0 && rotated % 2 == 0);
       }},
      {{"model.use_rope_scaling", "model.position_embedding"},
       "use_rope_scaling only if position_embedding is rope",
       [](const Config& c) { return !c.model.use_rope_scaling || has_rope(c.model); }},
      {{"model.rope_low_freq_factor", "model.rope_high_freq_factor", "model.use_rope_scaling",
        "model.rope_scaling_type"},
       "rope_low_freq_factor < rope_high_freq_factor with use_rope_scaling and llama3",
       [](const Config& c) {
         return !scales_rope(c.model, RopeScalingType::llama3) ||
                c.model.rope_low_freq_factor < c.model.rope_high_freq_factor;
       }},
      {{"model.rope_beta_slow", "model.rope_beta_fast", "model.use_rope_scaling",
        "model.rope_scaling_type"},
       "rope_beta_slow < rope_beta_fast with use_rope_scaling and yarn",
       [](const Config& c) {
         return !scales_rope(c.model, RopeScalingType::yarn) ||
                c.model.rope_beta_slow < c.model.rope_beta_fast;
       }},
      {{"model.rope_scaling_type", "model.head_dim", "model.rotary_percent",
        "model.use_rope_scaling"},
       "at least 4 rotated channels with dynamic: the base grows with the power c / (c - 2) of c "
       "of "
       "them",
       [](const Config& c) {
         return !scales_rope(c.model, RopeScalingType::dynamic) || rotary_channels(c.model) >= 4;
       }},
      {{"model.rope_short_factor", "model.rope_long_factor", "model.rope_scaling_type",
        "model.head_dim", "model.rotary_percent", "model.use_rope_scaling"},
       "a rope_short_factor and a rope_long_factor for each of the at most 256 pairs of rotated "
       "channels with longrope",
       [](const Config& c) {
         const ModelConfig& m = c.model;
         const auto pairs = static_cast<std::size_t>(rotary_channels(m) / 2);
         return !scales_rope(m, RopeScalingType::longrope) ||
                (pairs <= kLongRopePairsMax && m.rope_short_factor.size() == pairs &&
                 m.rope_long_factor.size() == pairs);
       }},
      {{"model.full_attention_layers", "model.num_layers", "model.sliding_window"},
       "full_attention_layers <= num_layers, and 0 without sliding_window",
       [](const Config& c) {
         return c.model.full_attention_layers <=
                (c.model.sliding_window > 0 ? c.model.num_layers : 0);
       }},
  };
}

bool is_plain(const ModelConfig& m) {
  return m.position_embedding == PositionEmbedding::rope && m.rotary_percent == 1 &&
         m.normalization == Normalization::rms_norm && !m.add_bias_linear && !m.add_qkv_bias &&
         !m.qk_layernorm && !m.parallel_block;
}

std::vector<Rule> latent_rules() {
  return {
      {{"model.multi_latent_attention", "model.position_embedding", "model.rotary_percent",
        "model.normalization", "model.add_bias_linear", "model.add_qkv_bias", "model.qk_layernorm",
        "model.parallel_block"},
       "with multi_latent_attention rope, rotary_percent 1, rms_norm, and no biases, qk_layernorm "
       "or parallel_block",
       [](const Config& c) { return !c.model.multi_latent_attention || is_plain(c.model); }},
      {{"model.multi_latent_attention", "model.head_dim", "model.qk_head_dim",
        "model.qk_pos_emb_head_dim"},
       "head_dim 0 or qk_head_dim + qk_pos_emb_head_dim with multi_latent_attention",
       [](const Config& c) {
         const ModelConfig& m = c.model;
         return !m.multi_latent_attention || m.head_dim == m.qk_head_dim + m.qk_pos_emb_head_dim;
       }},
      {{"model.multi_latent_attention", "model.qk_pos_emb_head_dim"},
       "an even qk_pos_emb_head_dim with multi_latent_attention: pairs of channels are rotated",
       [](const Config& c) {
         return !c.model.multi_latent_attention || c.model.qk_pos_emb_head_dim % 2 == 0;
       }},
      {{"model.multi_latent_attention", "model.num_query_groups", "model.num_attention_heads"},
       "num_query_groups 0 or num_attention_heads with multi_latent_attention: each query head has "
       "a key head of its own",
       [](const Config& c) {
         return !c.model.multi_latent_attention ||
                c.model.num_query_groups == c.model.num_attention_heads;
       }},
      {{"model.rope_mscale", "model.rope_mscale_all_dim", "model.rope_attention_factor"},
       "rope_attention_factor 0 if rope_mscale and rope_mscale_all_dim are set",
       [](const Config& c) {
         const ModelConfig& m = c.model;
         return m.rope_mscale == 0 || m.rope_mscale_all_dim == 0 || m.rope_attention_factor == 0;
       }},
  };
}

std::vector<Rule> norm_rules() {
  return {
      {{"model.qk_layernorm", "model.normalization"},
       "qk_layernorm only if normalization is rms_norm",
       [](const Config& c) {
         return !c.model.qk_layernorm || c.model.normalization == Normalization::rms_norm;
       }},
      {{"model.layernorm_zero_centered_gamma", "model.normalization"},
       "layernorm_zero_centered_gamma only if normalization is rms_norm",
       [](const Config& c) {
         return !c.model.layernorm_zero_centered_gamma ||
                c.model.normalization == Normalization::rms_norm;
       }},
      {{"model.norm_position", "model.parallel_block", "moe.num_experts"},
       "norm_position before with parallel_block or experts",
       [](const Config& c) {
         return c.model.norm_position == NormPosition::before ||
                (!c.model.parallel_block && c.model.moe.num_experts == 0);
       }},
  };
}

bool is_common(const ModelConfig& m) {
  return !m.layernorm_zero_centered_gamma && attention_scale(m) == 0 &&
         m.attn_logit_softcapping == 0 && m.activation != Activation::gelu_erf;
}

std::vector<Rule> kernel_rules() {
  return {
      {{"kernels.fused", "model.layernorm_zero_centered_gamma", "model.query_pre_attn_scalar",
        "model.attn_logit_softcapping", "model.activation", "model.rope_mscale_all_dim"},
       "fused true with layernorm_zero_centered_gamma, query_pre_attn_scalar, rope_mscale_all_dim "
       "with multi_latent_attention, "
       "attn_logit_softcapping "
       "or "
       "gelu_erf: the chains of single operations have no such parts",
       [](const Config& c) { return c.kernels.fused || is_common(c.model); }},
  };
}

}  // namespace

std::vector<Rule> architecture_rules() {
  std::vector<Rule> all = position_rules();
  for (const auto& group : {latent_rules(), norm_rules(), kernel_rules()})
    all.insert(all.end(), group.begin(), group.end());
  return all;
}

}  // namespace megascale
