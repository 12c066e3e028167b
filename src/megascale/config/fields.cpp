// The table of configuration keys. A row holds section, key, access to the value (with its range),
// meaning and the names of other engines. The rows are constant data, built from pointers to
// members of the structs in config.h.
#include "megascale/config/fields.h"

#include <algorithm>
#include <array>
#include <limits>

#include "megascale/config/field_access.h"

namespace megascale {
namespace {

using namespace field_access;  // NOLINT(google-build-using-namespace)

constexpr std::int64_t kMaxInt = std::numeric_limits<std::int64_t>::max();
// Bounds that keep every product of sizes within 64 bits. They are far above any machine or model
// of today.
constexpr std::int64_t kMaxRanks = 1 << 24;
constexpr std::int64_t kMaxSize = 1 << 24;  // widths, lengths, layers
constexpr std::int64_t kMaxExperts = 1024;  // the kernels keep a row of scores on the stack
constexpr std::int64_t kMaxSteps = 2'000'000'000;
constexpr std::int64_t kMaxVocab = (std::int64_t{1} << 31) - (1 << 24);  // padded: ids fit int32
constexpr double kHuge = 1e12;

constexpr std::array kModelTypes{
    EnumName{ModelType::gpt2, "gpt2"},           EnumName{ModelType::llama, "llama"},
    EnumName{ModelType::mistral, "mistral"},     EnumName{ModelType::qwen2, "qwen2"},
    EnumName{ModelType::qwen3, "qwen3"},         EnumName{ModelType::mixtral, "mixtral"},
    EnumName{ModelType::qwen3_moe, "qwen3_moe"}, EnumName{ModelType::qwen2_moe, "qwen2_moe"},
    EnumName{ModelType::phi3, "phi3"},           EnumName{ModelType::olmo2, "olmo2"},
    EnumName{ModelType::olmo3, "olmo3"},         EnumName{ModelType::gpt_neox, "gpt_neox"},
    EnumName{ModelType::gemma2, "gemma2"},       EnumName{ModelType::gemma3, "gemma3"},
    EnumName{ModelType::olmoe, "olmoe"},         EnumName{ModelType::deepseek, "deepseek"},
    EnumName{ModelType::dots1, "dots1"},         EnumName{ModelType::glm4_moe, "glm4_moe"}};
constexpr std::array kNormalizations{EnumName{Normalization::layer_norm, "layer_norm"},
                                     EnumName{Normalization::rms_norm, "rms_norm"}};
constexpr std::array kActivations{
    EnumName{Activation::gelu, "gelu"}, EnumName{Activation::swiglu, "swiglu"},
    EnumName{Activation::gelu_erf, "gelu_erf"}, EnumName{Activation::geglu, "geglu"}};
constexpr std::array kRopeScalings{
    EnumName{RopeScalingType::llama3, "llama3"}, EnumName{RopeScalingType::linear, "linear"},
    EnumName{RopeScalingType::dynamic, "dynamic"}, EnumName{RopeScalingType::yarn, "yarn"},
    EnumName{RopeScalingType::longrope, "longrope"}};
constexpr std::array kNormPositions{EnumName{NormPosition::before, "before"},
                                    EnumName{NormPosition::after, "after"},
                                    EnumName{NormPosition::both, "both"}};
constexpr std::array kPositionEmbeddings{EnumName{PositionEmbedding::learned, "learned"},
                                         EnumName{PositionEmbedding::rope, "rope"}};
constexpr std::array kDTypes{EnumName{DType::float32, "float32"},
                             EnumName{DType::bfloat16, "bfloat16"}};
constexpr std::array kFp8Formats{EnumName{Fp8Format::none, "none"},
                                 EnumName{Fp8Format::hybrid, "hybrid"},
                                 EnumName{Fp8Format::e4m3, "e4m3"}};
constexpr std::array kFp8Recipes{EnumName{Fp8Recipe::tensorwise, "tensorwise"},
                                 EnumName{Fp8Recipe::rowwise, "rowwise"}};
constexpr std::array kFp8CommunicationRecipes{
    EnumName{Fp8CommunicationRecipe::blockwise, "blockwise"},
    EnumName{Fp8CommunicationRecipe::tensorwise, "tensorwise"}};
constexpr std::array kRowsOverflows{EnumName{RowsOverflow::stop, "stop"},
                                    EnumName{RowsOverflow::drop, "drop"}};
constexpr std::array kScoreFunctions{EnumName{ScoreFunction::softmax, "softmax"},
                                     EnumName{ScoreFunction::sigmoid, "sigmoid"}};
constexpr std::array kRoutingReplays{EnumName{RoutingReplay::none, "none"},
                                     EnumName{RoutingReplay::record, "record"},
                                     EnumName{RoutingReplay::replay, "replay"}};
constexpr std::array kDispatchers{EnumName{TokenDispatcher::alltoall, "alltoall"},
                                  EnumName{TokenDispatcher::allgather, "allgather"},
                                  EnumName{TokenDispatcher::automatic, "auto"}};
constexpr std::array kOptimizers{EnumName{OptimizerKind::adamw, "adamw"},
                                 EnumName{OptimizerKind::lamb, "lamb"}};
constexpr std::array kDecayStyles{
    EnumName{LrDecayStyle::constant, "constant"}, EnumName{LrDecayStyle::linear, "linear"},
    EnumName{LrDecayStyle::cosine, "cosine"}, EnumName{LrDecayStyle::wsd, "wsd"}};
constexpr std::array kDevices{EnumName{DeviceKind::cpu, "cpu"}, EnumName{DeviceKind::cuda, "cuda"}};
constexpr std::array kGranularities{EnumName{RecomputeGranularity::none, "none"},
                                    EnumName{RecomputeGranularity::selective, "selective"},
                                    EnumName{RecomputeGranularity::selective_moe, "selective_moe"},
                                    EnumName{RecomputeGranularity::full, "full"},
                                    EnumName{RecomputeGranularity::list, "list"}};
constexpr std::array kControlModes{EnumName{ControlMode::act, "act"},
                                   EnumName{ControlMode::observe, "observe"}};
constexpr std::array kStarts{EnumName{CheckpointStart::resume, "resume"},
                             EnumName{CheckpointStart::weights, "weights"}};

constexpr auto kModel = &Config::model;
MoeConfig& moe_of(Config& config) { return config.model.moe; }
constexpr auto kMoe = &moe_of;
LoraConfig& lora_of(Config& config) { return config.model.lora; }
constexpr auto kLora = &lora_of;
constexpr auto kPreference = &Config::preference;
constexpr auto kData = &Config::data;
constexpr auto kTrain = &Config::train;
constexpr auto kOptimizer = &Config::optimizer;
constexpr auto kParallel = &Config::parallel;
constexpr auto kOverlap = &Config::overlap;
constexpr auto kKernels = &Config::kernels;
constexpr auto kRecompute = &Config::recompute;
constexpr auto kCheckpoint = &Config::checkpoint;
constexpr auto kObserve = &Config::observe;
constexpr auto kControl = &Config::control;

// clang-format off
constexpr std::array kFields{
  Field{"model", "type", choice<kModel, &ModelConfig::type, kModelTypes>(),
        "Model family. It sets defaults: gpt2 means normalization = layer_norm, activation = gelu, position_embedding = learned and add_bias_linear = true; "
        "llama, mistral, mixtral, phi3 and deepseek mean rms_norm, swiglu, rope, add_bias_linear = false and untie_embeddings_and_output_weights = true; qwen2 and qwen2_moe differ from llama in add_qkv_bias = true, qwen3, "
        "qwen3_moe and dots1 in qk_layernorm = true; olmoe in qk_layernorm = true and qk_layernorm_per_head = false; olmo2 in these two and norm_position = after; olmo3 in these three and window_attn_skip_freq = 4; glm4_moe in add_qkv_bias = true and rotary_percent = 0.5; gpt_neox has layer_norm, gelu_erf, rope with rotary_percent = 0.25, biases, an output layer of its own, and a parallel_block with parallel_block_mlp_norm; "
        "gemma2 and gemma3 have rms_norm with layernorm_zero_centered_gamma, norm_position = both, geglu, rope and scale_embedding; gemma2 attn_logit_softcapping = 50, final_logit_softcapping = 30 and window_attn_skip_freq = 2; gemma3 qk_layernorm, rope_local_base_freq = 10000 and window_attn_skip_freq = 6. "
        "Experts are set in [moe] for every type. An export to Hugging Face writes this family.", "architecture model_type"},
  Field{"model", "normalization", choice<kModel, &ModelConfig::normalization, kNormalizations>(),
        "Kind of the norms of attention, of the MLP, and behind the last layer.", "norm"},
  Field{"model", "activation", choice<kModel, &ModelConfig::activation, kActivations>(),
        "Activation of the MLP. gelu is the tanh form, gelu_erf the exact one. swiglu and geglu have a gate and an up projection, each of width ffn_hidden_size; the gate goes through SiLU or the tanh form of GELU.", "swiglu hidden_act hidden_activation activation_func"},
  Field{"model", "position_embedding", choice<kModel, &ModelConfig::position_embedding, kPositionEmbeddings>(),
        "learned: absolute positions, added to the token embedding; rope: rotary positions in attention.", "position_embedding_type use_rotary_position_embeddings"},
  Field{"model", "add_bias_linear", boolean<kModel, &ModelConfig::add_bias_linear>(),
        "Whether the linear layers have biases.", "disable_bias_linear bias"},
  Field{"model", "add_qkv_bias", boolean<kModel, &ModelConfig::add_qkv_bias>(),
        "true: the query, key and value projections have biases even if add_bias_linear is false.", "qkv_bias attention_bias"},
  Field{"model", "qk_layernorm", boolean<kModel, &ModelConfig::qk_layernorm>(),
        "true: every query head and every key head is normalised before the rotation of its positions. All query heads of a layer share one weight per channel, and so do all key heads.", "qk_norm use_qk_norm"},
  Field{"model", "qk_layernorm_per_head", boolean<kModel, &ModelConfig::qk_layernorm_per_head>(),
        "false: qk_layernorm normalises all query heads of a token together, and all key heads, with a weight for every channel of every head (OLMo 2 and 3, OLMoE). Tensor ranks divide such a norm and exchange two sums for each token, forward and backward.", "use_head_qk_norm"},
  Field{"model", "norm_position", choice<kModel, &ModelConfig::norm_position, kNormPositions>(),
        "Where attention and the MLP have norms: before = of their inputs, after = of their outputs, before these are added to the residual stream (OLMo 2), both = two norms each (Gemma 2 and 3).", "sandwich_norm post_norm"},
  Field{"model", "layernorm_zero_centered_gamma", boolean<kModel, &ModelConfig::layernorm_zero_centered_gamma>(),
        "true: the norms multiply by 1 + weight, and the weights begin with 0 (Gemma).", "apply_layernorm_1p"},
  Field{"model", "scale_embedding", boolean<kModel, &ModelConfig::scale_embedding>(),
        "true: the embedding of a token is multiplied by the root of hidden_size, rounded to dtype (Gemma).", "embedding_multiplier"},
  Field{"model", "untie_embeddings_and_output_weights", boolean<kModel, &ModelConfig::untie_embeddings_and_output_weights>(),
        "true: the output layer has its own weights; false: it uses the weights of the token embedding.", "tie_embeddings tie_word_embeddings"},
  Field{"model", "num_layers", integer<kModel, &ModelConfig::num_layers>(1, kMaxSize),
        "Number of transformer layers.", "n_layer n_layers num_hidden_layers"},
  Field{"model", "hidden_size", integer<kModel, &ModelConfig::hidden_size>(1, kMaxSize),
        "Width of the residual stream.", "n_embd d_model dim"},
  Field{"model", "ffn_hidden_size", integer<kModel, &ModelConfig::ffn_hidden_size>(0, kMaxSize * 4),
        "Width inside the MLP; 0 = 4 x hidden_size.", "intermediate_size d_ff ffn_dim"},
  Field{"model", "num_attention_heads", integer<kModel, &ModelConfig::num_attention_heads>(1, kMaxSize),
        "Number of query heads.", "n_head n_heads num_heads"},
  Field{"model", "num_query_groups", integer<kModel, &ModelConfig::num_query_groups>(0, kMaxSize),
        "Number of key and value heads. Each is shared by an equal number of query heads; 0 = num_attention_heads.", "num_key_value_heads n_kv_heads"},
  Field{"model", "head_dim", integer<kModel, &ModelConfig::head_dim>(0, kMaxSize),
        "Width of one head; 0 = hidden_size / num_attention_heads.", "kv_channels head_size"},
  Field{"model", "seq_length", integer<kModel, &ModelConfig::seq_length>(1, kMaxSize),
        "Tokens per sequence.", "seq_len sequence_length max_target_length block_size context_length"},
  Field{"model", "max_position_embeddings", integer<kModel, &ModelConfig::max_position_embeddings>(0, kMaxSize),
        "Rows of the learned position embedding, and the most tokens that the model sees when it generates; 0 = seq_length.", "n_positions max_seq_len"},
  Field{"model", "vocab_size", integer<kModel, &ModelConfig::vocab_size>(1, kMaxVocab),
        "Number of token ids of the tokenizer; 256 for the byte tokenizer.", "padded_vocab_size n_vocab"},
  Field{"model", "make_vocab_size_divisible_by", integer<kModel, &ModelConfig::make_vocab_size_divisible_by>(1, 1 << 16),
        "The embedding has vocab_size rows, rounded up to a multiple of the least common multiple of this number and the tensor-parallel size.", ""},
  Field{"model", "norm_epsilon", real<kModel, &ModelConfig::norm_epsilon>(0, 1, Ends::open_below),
        "Added to the variance inside the norms.", "layernorm_epsilon rms_norm_eps layer_norm_epsilon norm_eps"},
  Field{"model", "rotary_base", real<kModel, &ModelConfig::rotary_base>(1, kHuge),
        "Base of the rotary frequencies.", "rope_theta rotary_emb_base"},
  Field{"model", "rope_local_base_freq", real<kModel, &ModelConfig::rope_local_base_freq>(0, kHuge),
        "Base of the rotary frequencies in the layers with a sliding window, where they are not scaled (Gemma 3, OLMo 3); 0 = as in all other layers.", "rope_local_theta"},
  Field{"model", "rotary_percent", real<kModel, &ModelConfig::rotary_percent>(0, 1, Ends::open_below),
        "Share of the channels of a head that is rotated, counted from the first channel; the number of channels is rounded down.", "rotary_pct partial_rotary_factor"},
  Field{"model", "use_rope_scaling", boolean<kModel, &ModelConfig::use_rope_scaling>(),
        "true: the rotary frequencies are scaled for long contexts, as rope_scaling_type says.", "rope_scaling"},
  Field{"model", "rope_scaling_type", choice<kModel, &ModelConfig::rope_scaling_type, kRopeScalings>(),
        "How the frequencies are scaled, by the names of Hugging Face; only with use_rope_scaling. llama3: low frequencies are divided by rope_scaling_factor. linear: all are. dynamic: the base grows with the length (NTK) if it exceeds original_max_position_embeddings; the length is seq_length in training, and the context that memory is placed for in generation. yarn: low frequencies are divided, and attention's scores grow by the square of rope_attention_factor (arXiv 2309.00071). longrope: each is divided by its own number of rope_short_factor, or of rope_long_factor if the length, that of dynamic, exceeds original_max_position_embeddings; scores grow as with yarn (arXiv 2402.13753).", "rope_type"},
  Field{"model", "rope_scaling_factor", real<kModel, &ModelConfig::rope_scaling_factor>(1, 1e6),
        "Divisor of the rotary frequencies, or with dynamic and longrope the factor by which the context grows; only with use_rope_scaling.", "rope_factor scaling_factor rotary_scaling_factor"},
  Field{"model", "rope_low_freq_factor", real<kModel, &ModelConfig::rope_low_freq_factor>(0, 1e6, Ends::open_below),
        "A frequency with fewer turns than this within original_max_position_embeddings is divided by the whole factor; only with use_rope_scaling and llama3.", "low_freq_factor"},
  Field{"model", "rope_high_freq_factor", real<kModel, &ModelConfig::rope_high_freq_factor>(0, 1e6, Ends::open_below),
        "A frequency with more turns than this within original_max_position_embeddings is not scaled; between the two the scaling is interpolated; only with use_rope_scaling and llama3.", "high_freq_factor"},
  Field{"model", "rope_beta_fast", real<kModel, &ModelConfig::rope_beta_fast>(0, 1e6, Ends::open_below),
        "Frequencies with more turns than this within original_max_position_embeddings are not scaled; only with use_rope_scaling and yarn.", "beta_fast"},
  Field{"model", "rope_beta_slow", real<kModel, &ModelConfig::rope_beta_slow>(0, 1e6, Ends::open_below),
        "Frequencies with fewer turns than this within original_max_position_embeddings are divided by the whole factor; between the two the scaling is interpolated by the number of the channel; only with use_rope_scaling and yarn.", "beta_slow"},
  Field{"model", "rope_attention_factor", real<kModel, &ModelConfig::rope_attention_factor>(0, 1e6),
        "Factor of the rotated queries and keys; only with use_rope_scaling and yarn or longrope. 0 means, for yarn, 0.1 ln(rope_scaling_factor) + 1; for longrope the root of 1 + ln(rope_scaling_factor) / ln(original_max_position_embeddings).", "attention_factor mscale"},
  Field{"model", "rope_short_factor", real_list<kModel, &ModelConfig::rope_short_factor>(),
        "Divisors of the frequencies, one for each, the highest frequency first, up to original_max_position_embeddings tokens; only with use_rope_scaling and longrope.", "short_factor"},
  Field{"model", "rope_long_factor", real_list<kModel, &ModelConfig::rope_long_factor>(),
        "The same for longer contexts.", "long_factor"},
  Field{"model", "original_max_position_embeddings", integer<kModel, &ModelConfig::original_max_position_embeddings>(1, kMaxSize),
        "Context length, in tokens, that the model was trained with before its rotary frequencies were scaled; only with use_rope_scaling.", "rope_original_max_position_embeddings"},
  Field{"model", "parallel_block", boolean<kModel, &ModelConfig::parallel_block>(),
        "true: attention and MLP of a layer read the same norm, and their outputs are added together (the parallel transformer block of MegaScale).", "parallel_residual use_parallel_residual"},
  Field{"model", "parallel_block_mlp_norm", boolean<kModel, &ModelConfig::parallel_block_mlp_norm>(),
        "true: with parallel_block, the MLP reads a norm of its own of the layer's input (GPT-NeoX).", ""},
  Field{"model", "sliding_window", integer<kModel, &ModelConfig::sliding_window>(0, kMaxSize),
        "Number of tokens that a token attends to, itself included; 0 = itself and all tokens before it.", "window_size attention_window"},
  Field{"model", "full_attention_layers", integer<kModel, &ModelConfig::full_attention_layers>(0, kMaxSize),
        "Number of layers, counted from the first, that attend to all earlier tokens although sliding_window is set.", "max_window_layers"},
  Field{"model", "window_attn_skip_freq", integer<kModel, &ModelConfig::window_attn_skip_freq>(0, kMaxSize),
        "One layer in so many, the last of each, attends to all earlier tokens although sliding_window is set (Gemma 2: 2, OLMo 3: 4, Gemma 3: 6); 0 = none does.", "sliding_window_pattern"},
  Field{"model", "query_pre_attn_scalar", real<kModel, &ModelConfig::query_pre_attn_scalar>(0, kHuge),
        "Attention's scores are divided by the root of this number; 0 = head_dim.", "softmax_scale attention_multiplier"},
  Field{"model", "attn_logit_softcapping", real<kModel, &ModelConfig::attn_logit_softcapping>(0, 1e6),
        "Soft cap c of attention's scores: a score s becomes c tanh(s / c) (Gemma 2); 0 = none.", "softcap logits_soft_cap"},
  Field{"model", "final_logit_softcapping", real<kModel, &ModelConfig::final_logit_softcapping>(0, 1e6),
        "Soft cap of the logits, in the same way; 0 = none.", "output_logit_soft_cap"},
  Field{"model", "hidden_dropout", real<kModel, &ModelConfig::hidden_dropout>(0, 1, Ends::open_above),
        "Dropout probability of the embedding's output and of every branch's output, in training only. Which elements are dropped follows from train.seed and the number of the sample; so every layout drops the same ones.", "dropout resid_pdrop embd_pdrop"},
  Field{"model", "attention_dropout", real<kModel, &ModelConfig::attention_dropout>(0, 1, Ends::open_above),
        "Dropout probability of the attention probabilities, in training only. A plan with kernels.flash_attention = false can be sized and simulated, but not executed.", "attn_pdrop"},
  Field{"model", "init_method_std", real<kModel, &ModelConfig::init_method_std>(0, 1e3),
        "Standard deviation of the initial weights.", "initializer_range init_std"},
  Field{"model", "dtype", choice<kModel, &ModelConfig::dtype, kDTypes>(),
        "Type of parameters and activations; master weights and main gradients are float32. The CPU executes float32 only, CUDA devices execute both.", "bf16 fp16 params_dtype precision"},
  Field{"model", "fp8", choice<kModel, &ModelConfig::fp8, kFp8Formats>(),
        "hybrid: on CUDA devices the matrix products of the layers have 8-bit operands, e5m2 for gradients and e4m3 for the rest. Each matrix is rounded once, weights once per step; their codes take 2 bytes per weight. Weight gradients of experts keep operands in bfloat16. "
        "e4m3: on the CPU all operands of these products are rounded to e4m3 and multiplied in float32, which is slower than without and shows what 8 bits do to a training. Scales follow from the values at that moment. The head, the router and all other ops keep model.dtype.", "fp8_format"},
  Field{"model", "fp8_recipe", choice<kModel, &ModelConfig::fp8_recipe, kFp8Recipes>(),
        "The values that share a scale if fp8 is not none. tensorwise: all of a matrix. rowwise, with fp8 e4m3: those that are added in one sum of the product, in groups of 128 along it if it runs over tokens or outputs. With overlap.expert_pieces the rows of a piece are a matrix.", ""},
  Field{"model", "fp8_param_gather", boolean<kModel, &ModelConfig::fp8_param_gather>(),
        "With fp8 e4m3 the weights of the layers' matrix products are kept in e4m3, beside float32 masters. ZeRO then gathers them in 8 bits: about a quarter of the bytes of float32. With fp8_recipe tensorwise the results are the same, bit for bit.", "fp8_params fp8_primary_weights"},

  Field{"moe", "num_experts", integer<kMoe, &MoeConfig::num_experts>(0, kMaxExperts),
        "Number of experts of a layer; 0 = the model has none, and no other key of this section has an effect.", "num_local_experts n_routed_experts moe_num_experts"},
  Field{"moe", "router_topk", integer<kMoe, &MoeConfig::router_topk>(1, 1 << 10),
        "Number of experts that a token goes to.", "moe_router_topk num_experts_per_tok top_k topk"},
  Field{"moe", "ffn_hidden_size", integer<kMoe, &MoeConfig::ffn_hidden_size>(0, kMaxSize * 4),
        "Width inside an expert; 0 = model.ffn_hidden_size.", "moe_ffn_hidden_size moe_intermediate_size"},
  Field{"moe", "shared_expert_intermediate_size", integer<kMoe, &MoeConfig::shared_expert_intermediate_size>(0, kMaxSize * 4),
        "Width of the shared expert, a SwiGLU that sees all tokens and whose output is added to that of the routed experts; several shared experts are one of the width of all. 0 = none.", "moe_shared_expert_intermediate_size"},
  Field{"moe", "shared_expert_gate", boolean<kMoe, &MoeConfig::shared_expert_gate>(),
        "true: the output of the shared expert is multiplied, token by token, with the sigmoid of a product of the token and a weight vector, as in Qwen2-MoE.", "moe_shared_expert_gate use_shared_expert_gate"},
  Field{"moe", "layer_freq", integer<kMoe, &MoeConfig::layer_freq>(1, kMaxSize),
        "One layer in so many has experts, the first of them too; the others have the MLP of model.ffn_hidden_size. Layers are counted from first_dense_layers on.", "moe_layer_freq decoder_sparse_step"},
  Field{"moe", "first_dense_layers", integer<kMoe, &MoeConfig::first_dense_layers>(0, kMaxSize),
        "Number of layers, counted from the first, that have no experts.", "first_k_dense_replace"},
  Field{"moe", "router_score_function", choice<kMoe, &MoeConfig::router_score_function, kScoreFunctions>(),
        "How scores follow from the router's logits: softmax over all experts, or sigmoid of each. The router computes in float32 whatever model.dtype is.", "moe_router_score_function scoring_func"},
  Field{"moe", "norm_topk_prob", boolean<kMoe, &MoeConfig::norm_topk_prob>(),
        "true: the scores of a token's experts are divided by their sum; with softmax this is the softmax over the chosen logits (Megatron-LM without moe_router_pre_softmax).", "moe_router_pre_softmax renormalize"},
  Field{"moe", "router_topk_scaling_factor", real<kMoe, &MoeConfig::router_topk_scaling_factor>(0, 1e6, Ends::open_below),
        "Factor of the weights of a token's experts.", "moe_router_topk_scaling_factor routed_scaling_factor"},
  Field{"moe", "router_num_groups", integer<kMoe, &MoeConfig::router_num_groups>(0, 32),
        "Number of groups of consecutive experts that limit where a token goes: it chooses router_group_topk of them, and then its experts among those of these groups only. A group is as good as the sum of the scores, with biases, of its best router_topk / router_group_topk experts (rounded down). If it is a multiple of the number of expert ranks, the rows of a token go to at most router_group_topk ranks. 0 = a token may go to any experts.", "moe_router_num_groups n_group num_expert_group"},
  Field{"moe", "router_group_topk", integer<kMoe, &MoeConfig::router_group_topk>(0, 32),
        "Number of groups that a token chooses, if router_num_groups is above 0.", "moe_router_group_topk topk_group limited_groups"},
  Field{"moe", "router_force_load_balancing", boolean<kMoe, &MoeConfig::router_force_load_balancing>(),
        "For measurements only: true: tokens go to the experts in turn, so that all have equally many, whatever the router's scores are. The scores still are the weights.", "moe_router_force_load_balancing"},
  Field{"moe", "router_enable_expert_bias", boolean<kMoe, &MoeConfig::router_enable_expert_bias>(),
        "true: a token chooses its experts by score plus a bias of each expert, and once per step the bias of an expert with more choices than the mean falls and that of one with fewer rises. This balances loads without a loss. The weights of the choices do not contain the bias.", "moe_router_enable_expert_bias e_score_correction_bias"},
  Field{"moe", "router_bias_update_rate", real<kMoe, &MoeConfig::router_bias_update_rate>(0, 1e6),
        "How far such a bias moves in a step.", "moe_router_bias_update_rate bias_update_speed"},
  Field{"moe", "aux_loss_coeff", real<kMoe, &MoeConfig::aux_loss_coeff>(0, 1e6),
        "Coefficient of the loss that balances the experts' loads. It is the mean over the tokens of a micro-batch, on all its ranks and without padding; the micro-batch weighs as it does in the loss, by the tokens (or pairs of preferences) that count there. So it does not depend on the layout. It is not part of the reported loss.", "moe_aux_loss_coeff router_aux_loss_coef"},
  Field{"moe", "z_loss_coeff", real<kMoe, &MoeConfig::z_loss_coeff>(0, 1e6),
        "Coefficient of the loss that keeps the router's logits small: the square of the logarithm of their sum of exponentials, weighted by tokens. It is not part of the reported loss.", "moe_z_loss_coeff router_z_loss_coef"},
  Field{"moe", "device_groups", integer<kMoe, &MoeConfig::device_groups>(0, 1024),
        "Number of groups of consecutive experts whose loads device_aux_loss_coeff and communication_aux_loss_coeff balance; each has num_experts / device_groups of them. 0 = none. It is a key of the model: it need not be the number of expert ranks, so a run on other ranks has the same losses.", ""},
  Field{"moe", "device_aux_loss_coeff", real<kMoe, &MoeConfig::device_aux_loss_coeff>(0, 1e6),
        "Coefficient of the loss that balances the loads of the groups of experts (the device-level loss of DeepSeek-V2). It is defined as aux_loss_coeff is, and not part of the reported loss.", ""},
  Field{"moe", "communication_aux_loss_coeff", real<kMoe, &MoeConfig::communication_aux_loss_coeff>(0, 1e6),
        "Coefficient of the loss that balances how many tokens have a choice in each group of experts (the communication loss of DeepSeek-V2). It is defined as aux_loss_coeff is, and not part of the reported loss.", ""},
  Field{"moe", "expert_capacity_factor", real<kMoe, &MoeConfig::expert_capacity_factor>(0, 1e6),
        "Choices of a micro-batch that each group of experts keeps in training, as a multiple of the mean (at least 1); what exceeds it is dropped, choices with the lowest scores first, and counted. The groups are those of device_groups; without them each expert is one. "
        "Dropping does not depend on the layout, and weights of the other choices of a token stay as they are. Evaluation and decoding drop nothing. 0 = drop nothing.", "moe_expert_capacity_factor capacity_factor"},
  Field{"moe", "capacity_exempt_share", real<kMoe, &MoeConfig::capacity_exempt_share>(0, 1),
        "Share of the training sequences of which expert_capacity_factor drops no choice (about 0.1 in DeepSeek-V2), so that the model also learns without drops. Sequences are drawn by train.seed and their number.", ""},
  Field{"moe", "rows_bound", real<kMoe, &MoeConfig::rows_bound>(0, 1e6),
        "Rows (copies of tokens) of a micro-batch that a rank has memory for, as a multiple of the mean; 0 = for as many as can ever arrive, so that no routing is refused. rows_overflow says what happens to more.", ""},
  Field{"moe", "rows_overflow", choice<kMoe, &MoeConfig::rows_overflow, kRowsOverflows>(),
        "What happens if more rows arrive at a rank than rows_bound has room for. stop: the step stops with an error. drop: the choices with the lowest scores are dropped, and counted, in training and in evaluation. "
        "Which ones those are depends on the layout: they are those of the ranks that share experts.", ""},
  Field{"moe", "token_dispatcher_type", choice<kMoe, &MoeConfig::token_dispatcher_type, kDispatchers>(),
        "How tokens get to the experts of other ranks. alltoall: rows are sent to the ranks that want them, and back. allgather: every rank gets the tokens of all expert ranks, and partial sums are added on the way back; "
        "the time does not depend on router_topk. auto: the one whose transfers take less time at the rates of token_dispatcher_rates; without that file allgather if router_topk is above 0.75 x expert_model_parallel_size, else alltoall. The modes differ in last bits.", "moe_token_dispatcher_type dispatcher"},
  Field{"moe", "token_dispatcher_rates", text<kMoe, &MoeConfig::token_dispatcher_rates>(true),
        "Cluster file, of megascale calibrate for instance, by whose rates token_dispatcher_type = \"auto\" chooses when a command starts; empty = none.", ""},
  Field{"moe", "fp8_communication", boolean<kMoe, &MoeConfig::fp8_communication>(),
        "true: rows and gradients travel to experts and back in 8 bits (e4m3), with a float32 scale for each row in the forward, and for each channel and 128 rows in the backward. Partial sums are added in float32. "
        "This changes bits, more than rounding to bfloat16 would. With overlap.expert_pieces the 128 rows are those of one piece, so another number of pieces changes these bits too. It has an effect only if several ranks share experts.", ""},
  Field{"moe", "fp8_communication_recipe", choice<kMoe, &MoeConfig::fp8_communication_recipe, kFp8CommunicationRecipes>(),
        "The values that share a scale with fp8_communication. blockwise: a row in the forward, a channel of 128 rows in the backward. tensorwise: all rows that a rank sends in one transfer, of one piece with overlap.expert_pieces; for studies of convergence, on the CPU. "
        "Every row or channel then has a copy of that scale, so as many bytes travel as with blockwise.", ""},
  Field{"moe", "routing_replay", choice<kMoe, &MoeConfig::routing_replay, kRoutingReplays>(),
        "record: the choices of the routers and their scores are written to files, one for each step and for each batch of an evaluation. replay: the choices are taken from such files, in training and evaluation. "
        "Two layouts with the same choices agree to rounding; without, a last bit may change a choice. The files do not depend on the layout; all ranks need the same folder.", "moe_enable_routing_replay"},
  Field{"moe", "routing_replay_dir", text<kMoe, &MoeConfig::routing_replay_dir>(true),
        "Folder of the files of routing_replay; empty = RUN_DIR/routing.", ""},

  Field{"lora", "rank", integer<kLora, &LoraConfig::rank>(0, kMaxSize),
        "Rank of the adapters that fine-tuning trains beside the weights of the model, which are frozen (LoRA); 0 = no adapters, all weights are trained.", "lora_r lora_rank lora_dim r"},
  Field{"lora", "alpha", real<kLora, &LoraConfig::alpha>(0, kHuge, Ends::open_below),
        "The result of an adapter is multiplied by alpha / rank.", "lora_alpha"},
  Field{"lora", "targets", text_list<kLora, &LoraConfig::targets>(),
        "Linear layers with adapters: linear_qkv (query, key and value together), linear_proj (the output of attention), linear_fc1 (the first product of the MLP; with swiglu gate and up together), linear_fc2 (its last product). In a layer with experts the MLPs are those of all experts, the shared one too.", "target_modules lora_target_modules q_proj v_proj"},

  Field{"preference", "beta", real<kPreference, &PreferenceConfig::beta>(0, kHuge),
        "Above 0: training on preferences (DPO). The data are pairs of `prepare --format preference`, and a larger beta keeps the model nearer to the one that the run starts from. A usual value is 0.1. 0 = no preferences.", "dpo_beta ref_policy_kl_penalty"},
  Field{"preference", "label_smoothing", real<kPreference, &PreferenceConfig::label_smoothing>(0, 0.5, Ends::open_above),
        "Probability that the two answers of a pair were exchanged by mistake (conservative DPO).", "dpo_label_smoothing"},

  Field{"data", "data_path", text_list<kData, &DataConfig::data_path>(),
        "Prefixes of indexed datasets (PREFIX.bin and PREFIX.idx). Without data_weights they are read as one corpus, in this order. A single string is a list of one prefix.", "train train_data_path path dataset"},
  Field{"data", "data_weights", real_list<kData, &DataConfig::data_weights>(),
        "Weights of the prefixes of data_path, one for each, for a blend: of the samples, each set gives the share weight / sum of weights, in training, validation and test. Sets are not mixed inside a sample. Empty = no blend.", "weights train_weights train_data_weights blend data_blend"},
  Field{"data", "valid_data_path", text<kData, &DataConfig::valid_data_path>(true),
        "Prefix of the validation set. If it is given, all of data_path is training data. Empty = the validation share of split.", "validation valid val_data_path"},
  Field{"data", "validation_sets", text_list<kData, &DataConfig::validation_sets>(),
        "Further validation sets, each as NAME=PREFIX. Each is evaluated by itself at train.eval_interval and reported under its name. They take nothing from data_path.", "valid_data_paths multiple_validation_sets eval_sets"},
  Field{"data", "split", text<kData, &DataConfig::split>(false),
        "Shares of training, validation and test data, counted in tokens, in the order of the files. The cuts are moved to the nearest document border if one is near enough.", ""},
  Field{"data", "split_each_set", boolean<kData, &DataConfig::split_each_set>(),
        "true: of several sets, split cuts each one, so that validation sees all of them; false: it cuts them as one corpus, as version 0.1 did. With one set there is no difference.", ""},
  Field{"data", "tokenizer", text<kData, &DataConfig::tokenizer>(false),
        "\"byte\" (256 ids: the bytes of UTF-8; 0 is the end of a document), or the path of a tokenizer.json, its folder, a *.tiktoken or a *.model file.", "tokenizer_type tokenizer_model"},
  Field{"data", "shuffle", boolean<kData, &DataConfig::shuffle>(),
        "true: every epoch has its own random order of the samples; false: the order of the files.", ""},
  Field{"data", "packed_documents", boolean<kData, &DataConfig::packed_documents>(),
        "true: positions and attention restart at every document border, and the loss leaves out predictions across a border.", "reset_position_ids reset_attention_mask eod_mask_loss"},
  Field{"data", "whole_documents", boolean<kData, &DataConfig::whole_documents>(),
        "true: sequences hold whole documents, packed with little room left over; the rest is padding, which neither the loss nor the numbers of tokens count. A longer document than a sequence is cut.", "packing packed_samples sft"},
  Field{"data", "seed", integer<kData, &DataConfig::seed>(0, kMaxInt),
        "Seed of the sample order.", "data_seed"},
  Field{"data", "prefetch", boolean<kData, &DataConfig::prefetch>(),
        "true: the next batch is read while a step runs; false: a step reads its batch at its start and waits for it. Does not change bits.", "num_workers prefetch_factor"},

  Field{"train", "run_dir", text<kTrain, &TrainConfig::run_dir>(false),
        "Directory for all files that the run writes.", "save output_dir tensorboard_dir"},
  Field{"train", "train_iters", integer<kTrain, &TrainConfig::train_iters>(1, kMaxSteps),
        "Number of training steps.", "steps train_steps max_steps train_samples"},
  Field{"train", "micro_batch_size", integer<kTrain, &TrainConfig::micro_batch_size>(1, kMaxSize),
        "Number of sequences that a rank processes at a time.", "train_micro_batch_size_per_gpu local_batch_size"},
  Field{"train", "global_batch_size", integer<kTrain, &TrainConfig::global_batch_size>(0, std::int64_t{1} << 31),
        "Number of sequences per step, over all ranks; 0 = micro_batch_size x data-parallel size.", "train_batch_size batch_size"},
  Field{"train", "rampup_batch_size", integer_list<kTrain, &TrainConfig::rampup_batch_size>(),
        "[START, INCREMENT, SAMPLES]: the global batch begins with START sequences and grows by INCREMENT, each size for an equal share of SAMPLES samples, until it has global_batch_size. A step has the size that the samples consumed before it ask for. All schedules stay in steps, also those of the learning rate. Evaluations always read batches of global_batch_size. [] = all steps have global_batch_size.", "batch_size_rampup ramp_up_batch_size"},
  Field{"train", "eval_interval", integer<kTrain, &TrainConfig::eval_interval>(0, kMaxSteps),
        "Steps between evaluations; 0 = no evaluation.", "val_interval"},
  Field{"train", "eval_iters", integer<kTrain, &TrainConfig::eval_iters>(1, kMaxSteps),
        "Global batches per evaluation.", "val_iters"},
  Field{"train", "seed", integer<kTrain, &TrainConfig::seed>(0, kMaxInt),
        "Seed of the initial weights.", ""},
  Field{"train", "log_interval", integer<kTrain, &TrainConfig::log_interval>(1, kMaxSteps),
        "Steps between two lines of the log.", ""},
  Field{"train", "device", choice<kTrain, &TrainConfig::device, kDevices>(),
        "Device that the ranks compute on. cuda: rank r of a host uses device r mod (number of devices); several ranks may share a device.", "gpu accelerator"},
  Field{"train", "threads_per_rank", integer<kTrain, &TrainConfig::threads_per_rank>(0, 1 << 16),
        "Number of threads of a rank's kernels; 0 = cores / ranks on this host. Changes the last bits.", "num_threads omp_num_threads"},
  Field{"train", "bind_to_cores", boolean<kTrain, &TrainConfig::bind_to_cores>(),
        "true: ranks that are threads of one process are bound to cores of their own, in the order of the ranks, unless that would leave a core free; false: the operating system places them. Ranks that are processes are bound by their launcher.", "cpu_bind bind_to"},
  Field{"train", "max_skipped_steps", integer<kTrain, &TrainConfig::max_skipped_steps>(0, kMaxSteps),
        "Number of steps in a row without an update after which the run stops with an error, because it has diverged. A step is skipped if its loss or gradient norm is not finite. 0 = never stop.", "exit_on_nan"},
  Field{"train", "repeat_interval", integer<kTrain, &TrainConfig::repeat_interval>(0, 1 << 20),
        "Of every so many tasks of the compute lane one is done twice, in the next step the one before it, and a step fails if its two results differ: hardware gave a wrong value. After so many steps each task was done twice once; one in so many of all computations is added. Needs memory for a copy of what the largest task writes. 0 = never. CPU only.", "replay_interval sdc_check rerun"},

  Field{"optimizer", "name", choice<kOptimizer, &OptimizerConfig::name, kOptimizers>(),
        "Update rule.", "optimizer type"},
  Field{"optimizer", "lr", real<kOptimizer, &OptimizerConfig::lr>(0, 1e6),
        "Largest learning rate.", "learning_rate max_lr"},
  Field{"optimizer", "min_lr", real<kOptimizer, &OptimizerConfig::min_lr>(0, 1e6),
        "Learning rate at the end of the decay and after it.", "min_decay_lr"},
  Field{"optimizer", "lr_warmup_iters", integer<kOptimizer, &OptimizerConfig::lr_warmup_iters>(0, kMaxSteps),
        "Steps of linear growth from 0 to lr.", "warmup_steps lr_warmup_steps warmup_iters"},
  Field{"optimizer", "lr_decay_iters", integer<kOptimizer, &OptimizerConfig::lr_decay_iters>(0, kMaxSteps),
        "Step at which the decay ends, warm-up included; 0 = train_iters.", "lr_decay_steps"},
  Field{"optimizer", "lr_decay_style", choice<kOptimizer, &OptimizerConfig::lr_decay_style, kDecayStyles>(),
        "Shape of the decay. wsd (warm-up, stable, decay) holds lr until the last lr_wsd_decay_iters steps.", "lr_scheduler schedule"},
  Field{"optimizer", "lr_wsd_decay_iters", integer<kOptimizer, &OptimizerConfig::lr_wsd_decay_iters>(0, kMaxSteps),
        "Steps of the decay at the end of a wsd schedule.", ""},
  Field{"optimizer", "weight_decay", real<kOptimizer, &OptimizerConfig::weight_decay>(0, 1e3),
        "Decoupled weight decay. It does not apply to biases and norms.", ""},
  Field{"optimizer", "adam_beta1", real<kOptimizer, &OptimizerConfig::adam_beta1>(0, 1, Ends::open_above),
        "Decay rate of the first moment.", "beta1"},
  Field{"optimizer", "adam_beta2", real<kOptimizer, &OptimizerConfig::adam_beta2>(0, 1, Ends::open_above),
        "Decay rate of the second moment.", "beta2"},
  Field{"optimizer", "adam_eps", real<kOptimizer, &OptimizerConfig::adam_eps>(0, 1, Ends::open_below),
        "Added to the square root of the second moment.", "eps epsilon"},
  Field{"optimizer", "clip_grad", real<kOptimizer, &OptimizerConfig::clip_grad>(0, kHuge),
        "Bound on the global gradient norm; 0 = no clipping.", "max_norm grad_clip gradient_clipping"},

  Field{"parallel", "world_size", integer<kParallel, &ParallelConfig::world_size>(0, kMaxRanks),
        "Number of ranks; 0 = the number from --ranks or from the launcher, and without both tensor x context x pipeline size.", "ranks nproc num_gpus"},
  Field{"parallel", "tensor_model_parallel_size", integer<kParallel, &ParallelConfig::tensor_model_parallel_size>(1, 1 << 16),
        "Number of ranks that share every layer. Above 1 the norms work on shards of the sequence (sequence parallelism).", "tp tensor_parallel_size sequence_parallel"},
  Field{"parallel", "pipeline_model_parallel_size", integer<kParallel, &ParallelConfig::pipeline_model_parallel_size>(1, 1 << 16),
        "Number of pipeline stages.", "pp pipeline_parallel_size"},
  Field{"parallel", "virtual_pipeline_size", integer<kParallel, &ParallelConfig::virtual_pipeline_size>(1, 1 << 16),
        "Number of chunks of layers per stage (interleaved schedule).", "vpp num_layers_per_virtual_pipeline_stage virtual_pipeline_model_parallel_size"},
  Field{"parallel", "pipeline_layers", integer_list<kParallel, &ParallelConfig::pipeline_layers>(),
        "Number of layers of every chunk, in the order of the model: pipeline_model_parallel_size x virtual_pipeline_size numbers, where chunk c of stage s is number c x pipeline_model_parallel_size + s. The first and the last chunk may have 0. Empty = equal numbers (see the next two keys). Does not change bits.", "pipeline_model_parallel_layout decoder_first_pipeline_num_layers decoder_last_pipeline_num_layers num_layers_in_first_pipeline_stage num_layers_in_last_pipeline_stage"},
  Field{"parallel", "account_for_embedding_in_pipeline_split", boolean<kParallel, &ParallelConfig::account_for_embedding_in_pipeline_split>(),
        "true: if pipeline_layers is empty, the embedding counts as a layer, so the first chunk has one layer less than the others.", ""},
  Field{"parallel", "account_for_loss_in_pipeline_split", boolean<kParallel, &ParallelConfig::account_for_loss_in_pipeline_split>(),
        "true: if pipeline_layers is empty, the head with the loss counts as a layer, so the last chunk has one layer less than the others.", ""},
  Field{"parallel", "context_parallel_size", integer<kParallel, &ParallelConfig::context_parallel_size>(1, 1 << 16),
        "Number of ranks that share every sequence; attention exchanges heads for tokens (Ulysses).", "cp"},
  Field{"parallel", "expert_model_parallel_size", integer<kParallel, &ParallelConfig::expert_model_parallel_size>(1, 1 << 16),
        "Number of ranks that share the experts of every layer: each of them holds some. It divides the tensor, context and data ranks of a stage a second time; only experts depend on it.", "ep expert_parallel_size"},
  Field{"parallel", "expert_tensor_parallel_size", integer<kParallel, &ParallelConfig::expert_tensor_parallel_size>(0, 1 << 16),
        "Number of ranks that share the weights of each expert; 0 = tensor_model_parallel_size.", "etp"},
  Field{"parallel", "replicate_shared_experts", boolean<kParallel, &ParallelConfig::replicate_shared_experts>(),
        "true: each tensor rank has the shared experts whole and applies them to its own tokens, which needs more memory and no transfers; false: the tensor ranks divide them, and gather and sum their rows. Changes the last bits.", ""},
  Field{"parallel", "zero_stage", integer<kParallel, &ParallelConfig::zero_stage>(0, 2),
        "0: every data-parallel rank holds the whole optimizer state (moments and float32 masters), and an all_reduce adds the gradients; 1: each rank holds and updates its share of the state, an all_reduce adds the gradients, and an all_gather at the start of a step brings every rank the updated parameters; 2: like 1, but a reduce_scatter adds the gradients, so each rank gets the sum of its share only, for half of the bytes. The main gradients of a rank are never divided.", "use_distributed_optimizer zero"},
  Field{"parallel", "reduce_scatter_with_fp32_accumulation", boolean<kParallel, &ParallelConfig::reduce_scatter_with_fp32_accumulation>(),
        "true: at the end of a step gradients are rounded to bfloat16 once, exchanged by all_to_all and added in float32 in the order of the ranks: half the bytes of a float32 reduce_scatter, and no more memory (MegaScale-MoE, fig. 11). Changes bits. Needs zero_stage 2. With hierarchical_reduction_pieces only what is sent between hosts is rounded. On CUDA devices it ran on an emulated one only.", "ddp_reduce_scatter_with_fp32_accumulation"},
  Field{"parallel", "ranks_per_host", integer<kParallel, &ParallelConfig::ranks_per_host>(0, 1 << 16),
        "How many consecutive ranks share a host, for hierarchical_reduction_pieces: a power of two. 0: all ranks.", ""},
  Field{"parallel", "hierarchical_reduction_pieces", integer<kParallel, &ParallelConfig::hierarchical_reduction_pieces>(0, 64),
        "N from 1 on: gradients are added inside each host first (reduce_scatter), then between hosts, where each rank sends its share only, and with zero_stage 0 and 1 gathered inside hosts (MegaScale-MoE, appendix A.1). There each bucket is cut into N pieces, so that links inside hosts and between them work at the same time; with zero_stage 2 a bucket is one piece. Parameters of zero_stage 1 and 2 are gathered in the same way. 0: over all ranks at once. Changes the last bits, also by another N. Needs ranks_per_host.", ""},
  Field{"parallel", "pipeline_schedule", text<kParallel, &ParallelConfig::pipeline_schedule>(false),
        "gpipe, 1f1b, interleaved, zb-h1, or the path of a schedule file (a name with a / or a dot).", "schedule pipeline_parallel_schedule"},
  Field{"parallel", "data_parallel_buckets", integer<kParallel, &ParallelConfig::data_parallel_buckets>(1, 1 << 16),
        "Number of buckets of parameters per rank, at most one per layer. Each bucket is gathered and reduced by itself.", "ddp_num_buckets ddp_bucket_size buckets"},
  Field{"parallel", "wire_checksums", boolean<kParallel, &ParallelConfig::wire_checksums>(),
        "Every message between ranks that are processes carries a digest, and the receiver compares it. A difference ends the step, and the error names sender and receiver. Ranks of one host send messages too then; otherwise they read each other's memory directly. Ranks that are threads have no wire. CPU only.", ""},

  Field{"overlap", "tensor", boolean<kOverlap, &OverlapConfig::tensor>(),
        "Run tensor- and context-parallel communication beside computation. Tensor-parallel communication also runs beside the matrix products that consume or produce its data.", "tp_comm_overlap"},
  Field{"overlap", "tensor_pieces", integer<kOverlap, &OverlapConfig::tensor_pieces>(0, 1 << 10),
        "Number of pieces into which the rows from each other tensor rank are split, and with them the matrix products that use the rows; 0: one product for the rows of all ranks. A change of the number changes the last bits.", "num_splits"},
  Field{"overlap", "pipeline", boolean<kOverlap, &OverlapConfig::pipeline>(),
        "Run pipeline sends and receives beside computation.", "overlap_p2p_comm overlap_p2p_communication"},
  Field{"overlap", "data", boolean<kOverlap, &OverlapConfig::data>(),
        "Run data-parallel gathers and reductions beside computation.", "overlap_grad_reduce overlap_param_gather"},
  Field{"overlap", "layer_order", boolean<kOverlap, &OverlapConfig::layer_order>(),
        "Order the ops of layers with experts such that recomputation, weight gradients and shared experts run during transfers (MegaScale-MoE, fig. 8). Does not change bits. Not used if tensor_pieces cuts products.", ""},
  Field{"overlap", "context_pieces", integer<kOverlap, &OverlapConfig::context_pieces>(0, 1 << 10),
        "With context parallelism: number of pieces into which the tokens of a rank are split in the matrix products before and after attention's all_to_all. A piece is sent as soon as it is computed, and multiplied as soon as it has arrived (MegaScale-MoE, section 6.2); 0: one product for all tokens. A change of the number changes the last bits.", ""},
  Field{"overlap", "expert_pieces", integer<kOverlap, &OverlapConfig::expert_pieces>(0, 1 << 10),
        "With several expert ranks: number of pieces that are dispatched, multiplied by the experts and combined by themselves, so that the products of one run during the transfers of the others (MegaScale-MoE, section 6.3); 0: everything together. By alltoall a piece has the rows for some experts of every rank. By allgather the ranks are divided into so many groups, each rank's own first, and a piece has the tokens of a group; with more pieces than ranks the tokens of each other rank are cut into several parts. Each piece reads all weights. A change of the number changes the last bits; with moe.fp8_communication or fp8 more than these, since scales belong to the rows of a piece.", ""},
  Field{"overlap", "fused_pairs", boolean<kOverlap, &OverlapConfig::fused_pairs>(),
        "Mark transfers of tensor, context and expert groups, and the matrix products before or after them, as pairs that one kernel may compute tile by tile (MegaScale-MoE, sections 6.2 and 6.3). Simulated only: simulate computes their time if the cluster file has [fused]; train executes their tasks one after the other, as without the key. Does not change bits. Needs overlap.tensor, and no pieces.", ""},
  Field{"overlap", "symmetric_memory", boolean<kOverlap, &OverlapConfig::symmetric_memory>(),
        "For ranks that are processes with CUDA devices: the members of a group on one host, within one pipeline stage, register their arenas with NCCL as symmetric windows, so that its collectives access all of them in place. Needs NCCL 2.29.7 and devices that can access each other's memory; otherwise the run is refused. Has never run on a device. Changes the last bits.", "nccl_ub use_nccl_ub"},

  Field{"kernels", "fused", boolean<kKernels, &KernelsConfig::fused>(),
        "true: norms, activations and attention are fused kernels; false: they are chains of single operations with their results in memory (a baseline for measurements of fusion). Changes the last bits.", "bias_gelu_fusion masked_softmax_fusion persist_layer_norm"},
  Field{"kernels", "cudnn", boolean<kKernels, &KernelsConfig::cudnn>(),
        "true: on CUDA devices cuDNN computes attention in bfloat16 without soft caps, of sequences of two tokens or more, with head_dim 8, 16, ... 256 (above 128: on the Hopper generation) and heads of values of the same size; packed documents are kept apart by a mask. Heads above 128 have not run on a device. false: our own kernels do. Our kernels also serve all other cases; they do not use the matrix units. Changes the last bits.", ""},
  Field{"kernels", "cutlass", boolean<kKernels, &KernelsConfig::cutlass>(),
        "true: on CUDA devices of the Hopper generation CUTLASS's kernels compute the products of experts in bfloat16, if their widths are multiples of 8, and those of 8-bit operands; false: our own kernel does, which uses an older form of the matrix units. With Mixtral 8x7B's shapes on an H200 a step is three times as fast. A binary without CUTLASS's headers and other devices refuse such products while this is true. Changes the last bits.", ""},
  Field{"kernels", "deterministic", boolean<kKernels, &KernelsConfig::deterministic>(),
        "true: every kernel gives the same bits when it is run again; false: cuDNN's gradient of attention adds its parts in the order in which they arrive, which is faster and needs less workspace, and no two runs are equal. For kernels.cudnn on CUDA devices; all other kernels repeat their bits in any case.", "deterministic_mode"},
  Field{"kernels", "gemm_choices", text<kKernels, &KernelsConfig::gemm_choices>(true),
        "File that keeps, for every matrix product on CUDA devices, the fastest algorithm of cuBLASLt. Products that it does not hold yet are measured once and added; the choice is then not reproducible. Empty = the library's first choice, without measurement.", ""},
  Field{"kernels", "fused_gelu", boolean<kKernels, &KernelsConfig::fused_gelu>(),
        "true: on CUDA devices in bfloat16, if products are not cut into pieces, the matrix product before GELU or its gradient computes it too, from its unrounded result; false: they are ops of their own. Changes the last bits.", "gelu_fusion"},
  Field{"kernels", "fused_residual", boolean<kKernels, &KernelsConfig::fused_residual>(),
        "true: on CUDA devices in bfloat16, without tensor parallelism, the matrix product before the sum with the residual stream computes it too, from its unrounded result; false: the sum is an op of its own. Changes the last bits.", ""},
  Field{"kernels", "fused_bias_gradient", boolean<kKernels, &KernelsConfig::fused_bias_gradient>(),
        "true: on CUDA devices in bfloat16, if products are not cut into pieces, the matrix product of a weight gradient also computes the gradient of the bias, so the gradient of the output is read once; false: a sum over rows behind the product does. Products with 8-bit operands cannot. Its speed on a device is not known. Changes the last bits.", ""},
  Field{"kernels", "cuda_graphs", boolean<kKernels, &KernelsConfig::cuda_graphs>(),
        "true: on CUDA devices, from the second step on, consecutive tasks of a lane without a wait for another lane between them are launched as one CUDA graph, which saves launch time on the host. Does not change bits.", "enable_cuda_graph cuda_graph_impl"},
  Field{"kernels", "matrix_unit", boolean<kKernels, &KernelsConfig::matrix_unit>(),
        "true: if the CPU has a matrix unit (AMX), it computes the float32 products of linear layers, with every value as three bfloat16 parts: as exact as float32, and faster; false: the vector units do. Changes the last bits.", ""},
  Field{"kernels", "flash_attention", boolean<kKernels, &KernelsConfig::flash_attention>(),
        "true: attention is one op that does not store the scores; false: scores, softmax and values are ops of their own, with the scores in memory, as before FlashAttention. A plan with false can be sized and simulated, but not executed.", "use_flash_attn"},
  Field{"kernels", "fused_norm", boolean<kKernels, &KernelsConfig::fused_norm>(),
        "true: a norm is one op; false: mean, centring, root, normalisation and scale are ops of their own, with their results in memory. A plan with false can be sized and simulated, but not executed.", ""},

  Field{"recompute", "granularity", choice<kRecompute, &RecomputeConfig::granularity, kGranularities>(),
        "Activations that the backward pass computes again: none, those of the attention core (selective), all but the six that MegaScale-MoE keeps of a layer (selective_moe: inputs of attention and of the MLP, what attention reads and writes, gate and up products), those of whole layers (full), or the outputs of the op kinds in ops (list).", "recompute_granularity"},
  Field{"recompute", "ops", text_list<kRecompute, &RecomputeConfig::ops>(),
        "Names of the op kinds to recompute, such as swiglu (field op in the file of plan --dump); only with granularity = list.", "recompute_modules modules"},
  Field{"recompute", "keep_gathered_input", boolean<kRecompute, &RecomputeConfig::keep_gathered_input>(),
        "true: inputs that tensor or context parallelism has gathered are kept for the weight gradient, which costs memory; false: they are gathered again in the backward pass, during the input gradient.", ""},
  Field{"recompute", "whole_layers", boolean<kRecompute, &RecomputeConfig::whole_layers>(),
        "With granularity = full: repeat all ops of a layer's forward, also products whose results are not read again. Frameworks that recompute through a recorded autograd tape must do so.", "recompute_method"},

  Field{"checkpoint", "interval", integer_or_auto<kCheckpoint, &CheckpointConfig::interval>(0, kMaxSteps),
        "Steps between checkpoints; 0 = only after the last step; \"auto\" = as many as lose the least time, by the measured stall and control.mean_time_between_failures (Young and Daly). The first one is then taken after 10 steps.", "save_interval"},
  Field{"checkpoint", "keep_last", integer<kCheckpoint, &CheckpointConfig::keep_last>(0, kMaxSteps),
        "Number of checkpoints to keep; 0 = all.", "keep_latest_k"},
  Field{"checkpoint", "background", boolean<kCheckpoint, &CheckpointConfig::background>(),
        "true: training stands still only while the state is copied to memory; the copy is written to disk beside the next steps. If the last one is still being written when a checkpoint is due, the state is copied after the first step that begins when all ranks have written it; false: training stands still until the checkpoint is on the disk, or the copy in memory is made. Does not change bits.", "async_save async_checkpoint"},
  Field{"checkpoint", "memory_interval", integer_or_auto<kCheckpoint, &CheckpointConfig::memory_interval>(0, kMaxSteps),
        "Steps between copies of the state in the shared memory of the host (/dev/shm), from which a run goes on after its processes were killed; 0 = no copies; \"auto\" = as for interval. If the ranks are on several hosts, each copy also goes to another host. Needs memory for three more copies of the state, and on several hosts for up to five. Does not change bits.", "non_persistent_save_interval"},
  Field{"checkpoint", "max_rate", real<kCheckpoint, &CheckpointConfig::max_rate>(0, kHuge),
        "Most bytes per second that a rank writes, and reads back, while steps go on; 0 = so many that the checkpoint is written and read back in 85 % of the time between two checkpoints. The last checkpoint of a run is written without this limit.", ""},
  Field{"checkpoint", "dir", text<kCheckpoint, &CheckpointConfig::dir>(true),
        "Directory for checkpoints; empty = the directory checkpoints in run_dir.", "save folder"},
  Field{"checkpoint", "load", text<kCheckpoint, &CheckpointConfig::load>(true),
        "Checkpoint to start from if dir holds none; empty = start with initial weights then. Keys of [model] that are not given come from the checkpoint.", "resume resume_from init_from pretrained_checkpoint"},
  Field{"checkpoint", "start", choice<kCheckpoint, &CheckpointConfig::start, kStarts>(),
        "How to start from load. resume: go on with its whole state; weights: take only its weights and begin anew with step 0, a fresh optimizer, the whole schedule and the first sample. A run whose dir holds a checkpoint of its own always resumes that.", "finetune no_load_optim no_load_rng reset_optimizer"},
  Field{"checkpoint", "allow_changes", text_list<kCheckpoint, &CheckpointConfig::allow_changes>(),
        "What may differ from the checkpoint that a run resumes: tokenizer, data, batch, schedule or optimizer, or several of them. Other differences are refused. The samples go on behind those that the checkpoint has consumed.", "override_opt_param_scheduler use_checkpoint_args"},

  Field{"observe", "trace_steps", integer_list<kObserve, &ObserveConfig::trace_steps>(),
        "Steps, counted from 0, whose task records are kept for good, beside those of the last ring_steps steps. `megascale trace --step` shows them.", ""},
  Field{"observe", "ring_steps", integer<kObserve, &ObserveConfig::ring_steps>(1, 1 << 16),
        "Number of last steps whose task records every rank keeps in its record ring, a memory-mapped file.", ""},
  Field{"observe", "stored_steps", integer<kObserve, &ObserveConfig::stored_steps>(0, 1'000'000'000),
        "Number of last steps whose numbers are stored for every rank, reduced from its records: times by cause, lane and op kind, 1 to 3 KB for each rank and step; 0 = none. `megascale serve` and `megascale report` then show more than the last ring_steps steps.", ""},
  Field{"observe", "tensorboard_dir", text<kObserve, &ObserveConfig::tensorboard_dir>(true),
        "Directory for event files that TensorBoard reads, with the names of Megatron-LM's scalars; empty = none. Every start of the run makes a new file in it.", "tensorboard_log_dir logging_dir"},
  Field{"observe", "csv", boolean<kObserve, &ObserveConfig::csv>(),
        "true: the metrics of every step are also written as a table, metrics.csv in run_dir.", ""},
  Field{"observe", "kafka_brokers", text<kObserve, &ObserveConfig::kafka_brokers>(true),
        "Brokers of a Kafka cluster, as host:port, separated by commas; empty = none. The metrics of every step and the numbers of every rank and step are sent there. Training never waits for them: what cannot be delivered within a minute is dropped and counted.", ""},
  Field{"observe", "kafka_topic", text<kObserve, &ObserveConfig::kafka_topic>(false),
        "Topic of the messages to Kafka.", ""},
  Field{"observe", "kafka_settings", text_list<kObserve, &ObserveConfig::kafka_settings>(),
        "Settings of librdkafka as name=value, such as security.protocol=ssl. They are kept in the run directory, so name files with secrets instead of the secrets themselves.", ""},

  Field{"control", "mean_time_between_failures", real<kControl, &ControlConfig::mean_time_between_failures>(0, 1e12),
        "Seconds between two failures of the job, for intervals that are \"auto\"; 0 = as the job record has it, and one day until it has two attempts.", ""},
  Field{"control", "timeout_seconds", real<kControl, &ControlConfig::timeout_seconds>(0, 1e9, Ends::open_below),
        "Seconds that a rank waits for its peers before it reports them as lost: in a step, at the start (at least one minute), and while a checkpoint is read or written.", "distributed_timeout_minutes timeout"},
  Field{"control", "mode", choice<kControl, &ControlConfig::mode, kControlModes>(),
        "For jobs with --robust, as the other keys below. act: failed ranks are replaced; observe: the driver only records and says what it would do, and the job ends as without it.", ""},
  Field{"control", "heartbeat_seconds", real<kControl, &ControlConfig::heartbeat_seconds>(0.01, 60),
        "Seconds between the heartbeats of an executor. The end of a rank is told at once.", "heartbeat_interval monitor_interval"},
  Field{"control", "lease_seconds", real<kControl, &ControlConfig::lease_seconds>(1, 1e6),
        "Seconds after which a host without heartbeats is lost and its ranks are replaced. Shorter silences are recorded and restart nothing.", "heartbeat_timeout"},
  Field{"control", "frozen_seconds", real<kControl, &ControlConfig::frozen_seconds>(0.1, 1e6),
        "Seconds after which a rank that SIGSTOP or a debugger has stopped is replaced. A job whose ranks run, but make no progress, counts as frozen after 1.5 times this time at the earliest.", "hang_timeout"},
  Field{"control", "frozen_multiple", real<kControl, &ControlConfig::frozen_multiple>(1, 1e6),
        "The time without progress after which a job counts as frozen, as a multiple of its median step. Between steps and while ranks load their state, timeout_seconds applies.", ""},
  Field{"control", "grace_seconds", real<kControl, &ControlConfig::grace_seconds>(0, 1e6),
        "Seconds that ranks get to end after SIGTERM, before they are killed.", "termination_grace_period"},
  Field{"control", "loss_multiple", real<kControl, &ControlConfig::loss_multiple>(0, 1e6),
        "A loss or gradient norm that exceeds the median of the last steps by more than so many times their usual deviation is a jump: the step is replayed from a state before it. So is a step whose loss or norm is not finite. 0: only those.", "loss_spike rerun_mode"},
  Field{"control", "loss_window", integer<kControl, &ControlConfig::loss_window>(8, 48),
        "Number of last steps that tell what is usual for loss_multiple. Earlier steps of an attempt are not judged.", ""},
  Field{"control", "slow_share", real<kControl, &ControlConfig::slow_share>(0, 1e6),
        "A rank that computes longer than the ranks with the same work, by this share of their time or more, for 13 of 16 steps and 2 seconds more, is told as slow. Time in which it waits for other ranks, or for a core that other programs use, does not count. 0: no rank is. Set it, for instance to 0.07, where ranks have cores of their own: programs on the other threads of a core, or in its caches, make a rank slower too.", "straggler"},
  Field{"control", "backoff_seconds", real<kControl, &ControlConfig::backoff_seconds>(0, 1e6),
        "Seconds to wait after an attempt without progress; doubled with each further one, at most a minute.", ""},
  Field{"control", "restarts_per_hour", integer<kControl, &ControlConfig::restarts_per_hour>(0, 1 << 20),
        "The most restarts within an hour. One more ends the job with exit code 3.", "max_restarts"},
  Field{"control", "crash_loop_attempts", integer<kControl, &ControlConfig::crash_loop_attempts>(1, 1 << 20),
        "Attempts in a row without progress that end the job with exit code 3. Progress is a newer checkpoint or a step that was never done before.", ""},
  Field{"control", "checks", boolean<kControl, &ControlConfig::checks>(),
        "Hosts run the self-checks of `megascale diagnose` before they get ranks: at the start of the job, and again after each failure. A host that fails gets none. The checks take some seconds, several times as long as a restart on one host.", ""},
  Field{"control", "check_least_share", real<kControl, &ControlConfig::check_least_share>(0, 1),
        "A self-check fails if a rate of the host, such as its memory bandwidth, is below this share of the host's own baseline.", ""},
  Field{"control", "block_bad_hosts", boolean<kControl, &ControlConfig::block_bad_hosts>(),
        "A host whose hardware a replay has shown to be at fault gets no ranks any more, if a spare can take its place. false: it keeps its ranks, and people are told. Hosts that fail self-checks get none in any case.", ""},
  Field{"control", "allow_fewer", boolean<kControl, &ControlConfig::allow_fewer>(),
        "A job on several hosts goes on with fewer of them if hosts are missing and no spare is there: with fewer data-parallel ranks and more micro-batches of each, so the batch stays the same. At the next restart with enough hosts it has all its ranks again.", "elastic"},
  Field{"control", "fewer_after_seconds", real<kControl, &ControlConfig::fewer_after_seconds>(0, 1e6),
        "Seconds to wait for missing hosts before allow_fewer applies.", "rdzv_timeout"},
};
// clang-format on

}  // namespace

std::span<const Field> config_fields() { return kFields; }

const Field* find_field(std::string_view section, std::string_view key) {
  for (const Field& field : kFields) {
    if (field.section == section && field.key == key) return &field;
  }
  return nullptr;
}

std::string full_name(const Field& field) {
  return std::string(field.section).append(".").append(field.key);
}

}  // namespace megascale
