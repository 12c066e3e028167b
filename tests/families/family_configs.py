"""config.json of a small model of each family, as Hugging Face writes it. reference.py makes the models."""

VOCABULARY, WIDTH, INNER, LAYERS, HEADS, GROUPS = 256, 32, 48, 4, 4, 2
LONGROPE_ORIGINAL = 36  # between the length of a training's sequences and that of a generation
EXPERTS, EXPERT_WIDTH, SHARED_WIDTH = 6, 20, 28


def common(model_type, architecture, **more):
    return {"_name_or_path": "a-lab/a-model", "architectures": [architecture], "attention_dropout": 0.0, "bos_token_id": 1,
            "eos_token_id": [2, 3], "hidden_act": "silu", "hidden_size": WIDTH, "initializer_range": 0.02, "intermediate_size": INNER,
            "max_position_embeddings": 64, "model_type": model_type, "num_attention_heads": HEADS, "num_hidden_layers": LAYERS,
            "num_key_value_heads": GROUPS, "rms_norm_eps": 1e-06, "rope_theta": 500.0, "torch_dtype": "float32",
            "transformers_version": "4.51.0", "use_cache": True, "vocab_size": VOCABULARY, **more}


MIXTURE = {"moe_intermediate_size": EXPERT_WIDTH, "norm_topk_prob": True, "num_experts_per_tok": 2, "output_router_logits": False,
           "tie_word_embeddings": False}
DEEPSEEK = {**MIXTURE, "attention_bias": False, "first_k_dense_replace": 1, "n_group": 1, "n_routed_experts": EXPERTS,
            "n_shared_experts": 2, "routed_scaling_factor": 2.5, "topk_group": 1}
LATENT = {"kv_lora_rank": 12, "num_key_value_heads": HEADS, "qk_nope_head_dim": 10, "qk_rope_head_dim": 6, "v_head_dim": 8}
GEMMA = {"attention_bias": False, "head_dim": 16, "hidden_act": "gelu_pytorch_tanh", "hidden_activation": "gelu_pytorch_tanh",
         "query_pre_attn_scalar": 24, "sliding_window": 8, "tie_word_embeddings": True}
YARN = {"type": "yarn", "factor": 4.0, "beta_fast": 8.0, "beta_slow": 1.0, "mscale": 1.0, "mscale_all_dim": 0.5,
        "original_max_position_embeddings": 16}
DEEPSEEK_V2 = {**DEEPSEEK, **LATENT, "n_shared_experts": 1, "norm_topk_prob": False, "q_lora_rank": None, "rope_scaling": YARN,
               "scoring_func": "softmax", "topk_method": "greedy"}
FAMILIES = {
    "llama": common("llama", "LlamaForCausalLM", attention_bias=False, mlp_bias=False, pretraining_tp=1, tie_word_embeddings=True,
                    rope_scaling={"factor": 8.0, "high_freq_factor": 4.0, "low_freq_factor": 1.0,
                                  "original_max_position_embeddings": 16, "rope_type": "llama3"}),
    "mistral": common("mistral", "MistralForCausalLM", sliding_window=8, tie_word_embeddings=False),
    "qwen2": common("qwen2", "Qwen2ForCausalLM", use_sliding_window=True, sliding_window=8, max_window_layers=2,
                    tie_word_embeddings=True, torch_dtype="bfloat16"),
    "qwen3": common("qwen3", "Qwen3ForCausalLM", attention_bias=False, head_dim=16, use_sliding_window=False, sliding_window=None,
                    max_window_layers=LAYERS, rope_scaling=None, tie_word_embeddings=False, torch_dtype="bfloat16"),
    "smollm": common("llama", "LlamaForCausalLM", attention_bias=False, is_llama_config=True, mlp_bias=False, rms_norm_eps=1e-05,
                     rope_interleaved=False, rope_scaling=None, tie_word_embeddings=True, torch_dtype="bfloat16"),
    "linear": common("llama", "LlamaForCausalLM", tie_word_embeddings=True, rope_scaling={"type": "linear", "factor": 4.0}),
    "dynamic": common("llama", "LlamaForCausalLM", tie_word_embeddings=True, max_position_embeddings=16,
                      rope_scaling={"rope_type": "dynamic", "factor": 4.0}),
    "yarn": common("llama", "LlamaForCausalLM", tie_word_embeddings=True, head_dim=16,
                   rope_scaling={"rope_type": "yarn", "factor": 4.0, "beta_fast": 8.0, "original_max_position_embeddings": 32}),
    "phi3": common("phi3", "Phi3ForCausalLM", attention_bias=False, embd_pdrop=0.0, original_max_position_embeddings=64, resid_pdrop=0.0,
                   partial_rotary_factor=0.75, rope_scaling=None, sliding_window=8, tie_word_embeddings=False, torch_dtype="bfloat16"),
    "longrope": common("phi3", "Phi3ForCausalLM", attention_bias=False, embd_pdrop=0.0, original_max_position_embeddings=LONGROPE_ORIGINAL,
                       resid_pdrop=0.0, tie_word_embeddings=True,
                       rope_scaling={"type": "longrope", "short_factor": [1.0, 1.2, 1.5, 2.5], "long_factor": [1.0, 2.0, 5.5, 12.0]}),
    "olmo2": common("olmo2", "Olmo2ForCausalLM", attention_bias=False, rope_scaling=None, tie_word_embeddings=False),
    "olmo3": common("olmo3", "Olmo3ForCausalLM", attention_bias=False, sliding_window=8, tie_word_embeddings=False, torch_dtype="bfloat16",
                    layer_types=["sliding_attention", "sliding_attention", "sliding_attention", "full_attention"],
                    rope_scaling={"rope_type": "yarn", "factor": 4.0, "attention_factor": 1.2, "beta_fast": 8.0, "beta_slow": 1.0,
                                  "original_max_position_embeddings": 16}),
    "gpt_neox": {"architectures": ["GPTNeoXForCausalLM"], "bos_token_id": 0, "eos_token_id": 0, "hidden_act": "gelu", "hidden_size": WIDTH,
                 "initializer_range": 0.02, "intermediate_size": INNER, "layer_norm_eps": 1e-05, "max_position_embeddings": 64,
                 "model_type": "gpt_neox", "num_attention_heads": HEADS, "num_hidden_layers": LAYERS, "rotary_emb_base": 500,
                 "rotary_pct": 0.5, "tie_word_embeddings": False, "torch_dtype": "float32", "transformers_version": "4.24.0",
                 "use_cache": True, "use_parallel_residual": True, "vocab_size": VOCABULARY},
    "gemma2": common("gemma2", "Gemma2ForCausalLM", **GEMMA, attn_logit_softcapping=2.0, cache_implementation="hybrid",
                     final_logit_softcapping=3.0),
    "gemma3": common("gemma3_text", "Gemma3ForCausalLM", **GEMMA, attn_logit_softcapping=None, final_logit_softcapping=None,
                     rope_local_base_freq=20.0, rope_scaling={"factor": 2.0, "rope_type": "linear"}, sliding_window_pattern=3,
                     torch_dtype="bfloat16"),
    "mixtral": common("mixtral", "MixtralForCausalLM", num_experts_per_tok=2, num_local_experts=EXPERTS, sliding_window=None,
                      tie_word_embeddings=False),
    "qwen2_moe": common("qwen2_moe", "Qwen2MoeForCausalLM", **{**MIXTURE, "norm_topk_prob": False}, decoder_sparse_step=2, mlp_only_layers=[],
                        num_experts=EXPERTS, shared_expert_intermediate_size=SHARED_WIDTH, use_sliding_window=False),
    "qwen3_moe": common("qwen3_moe", "Qwen3MoeForCausalLM", **MIXTURE, attention_bias=False, decoder_sparse_step=1, head_dim=16,
                        mlp_only_layers=[0], num_experts=EXPERTS, use_sliding_window=False),
    "olmoe": common("olmoe", "OlmoeForCausalLM", attention_bias=False, clip_qkv=None, norm_topk_prob=False, num_experts=EXPERTS,
                    num_experts_per_tok=3, tie_word_embeddings=False, torch_dtype="bfloat16"),
    "deepseek": common("deepseek", "DeepseekForCausalLM", **{**DEEPSEEK, "norm_topk_prob": False, "routed_scaling_factor": 1.0},
                       auto_map={"AutoModelForCausalLM": "modeling_deepseek.DeepseekForCausalLM"}, moe_layer_freq=2, scoring_func="softmax"),
    "dots1": common("dots1", "Dots1ForCausalLM", **DEEPSEEK, sliding_window=8, max_window_layers=2),
    "grouped": common("dots1", "Dots1ForCausalLM", **{**DEEPSEEK, "n_group": 2}, sliding_window=None, max_window_layers=LAYERS),
    "glm4_moe": common("glm4_moe", "Glm4MoeForCausalLM", **{**DEEPSEEK, "attention_bias": True, "n_shared_experts": 1}, head_dim=16,
                       num_nextn_predict_layers=0, partial_rotary_factor=0.5, torch_dtype="bfloat16", use_qk_norm=True),
    "deepseek_v2": common("deepseek_v2", "DeepseekV2ForCausalLM", **DEEPSEEK_V2),
    # With the factor 2.5 the two groups of a token are 2e-6 apart in step 5, so rounding decides, and later steps differ.
    "grouped_v2": common("deepseek_v2", "DeepseekV2ForCausalLM",
                         **DEEPSEEK_V2 | {"n_group": 2, "routed_scaling_factor": 2.0, "topk_method": "group_limited_greedy"}),
    "deepseek_v3": common("deepseek_v3", "DeepseekV3ForCausalLM", **DEEPSEEK | LATENT | {"n_group": 2, "n_shared_experts": 1},
                          num_nextn_predict_layers=0, q_lora_rank=14, scoring_func="sigmoid", topk_method="noaux_tc", torch_dtype="bfloat16",
                          rope_scaling={**YARN, "mscale_all_dim": 1.0}),
}
