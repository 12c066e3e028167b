#ifndef MEGASCALE_CONFIG_CONFIG_H_
#define MEGASCALE_CONFIG_CONFIG_H_

#include <cstdint>
#include <string>
#include <vector>

#include "megascale/base/dtype.h"

// The typed configuration of a job: plain values, one struct per section. The defaults stand here
// and nowhere else. Names are those of Megatron-LM where it has one. The table in fields.cpp states
// the meaning, unit and range of every key; docs/configuration.md is written from it.
//
// A comment "0 = VALUE" means that load_config() and resolve() replace 0 by VALUE. Four keys keep
// their 0: world_size, threads_per_rank, lr_wsd_decay_iters and expert_tensor_parallel_size.
namespace megascale {

// Sets the defaults of the keys that apply_model_type_defaults() names (fields.h).
enum class ModelType : std::uint8_t {
  gpt2,
  llama,
  mistral,
  qwen2,
  qwen3,
  mixtral,
  qwen3_moe,
  qwen2_moe,
  phi3,
  olmo2,
  olmo3,
  gpt_neox,
  gemma2,
  gemma3,
  olmoe,
  deepseek,
  dots1,
  glm4_moe,
  deepseek_v2,
  deepseek_v3
};
enum class Normalization : std::uint8_t { layer_norm, rms_norm };
enum class Fp8Format : std::uint8_t { none, hybrid, e4m3 };
enum class Fp8Recipe : std::uint8_t { tensorwise, rowwise };
enum class Fp8CommunicationRecipe : std::uint8_t { blockwise, tensorwise };
// gelu and geglu have the tanh form, gelu_erf is exact. swiglu and geglu have a gate.
enum class Activation : std::uint8_t { gelu, swiglu, gelu_erf, geglu };
enum class PositionEmbedding : std::uint8_t { learned, rope };
// How rotary frequencies are scaled for long contexts (graph/rope_scaling.h).
enum class RopeScalingType : std::uint8_t { llama3, linear, dynamic, yarn, longrope };
// The norms of a branch: of its input, of its output before the residual sum, or of both.
enum class NormPosition : std::uint8_t { before, after, both };
enum class ScoreFunction : std::uint8_t { softmax, sigmoid };
// A step with more rows of experts than there is memory for stops, or drops some of them.
enum class RowsOverflow : std::uint8_t { stop, drop };
enum class OptimizerKind : std::uint8_t { adamw, lamb };
enum class LrDecayStyle : std::uint8_t { constant, linear, cosine, wsd };
enum class DeviceKind : std::uint8_t { cpu, cuda };
enum class RecomputeGranularity : std::uint8_t { none, selective, full, list, selective_moe };
enum class CheckpointStart : std::uint8_t { resume, weights };
enum class ControlMode : std::uint8_t { act, observe };

// Whether a run writes the choices of its routers to files, or takes them from files.
enum class RoutingReplay : std::uint8_t { none, record, replay };
// How copies of tokens get to the experts of other ranks and back.
enum class TokenDispatcher : std::uint8_t {
  alltoall,   // every rank sends the rows that the other ranks want
  allgather,  // every rank gets all tokens of the group and takes its rows; partial sums go back
  automatic   // the one that takes less time (gathers_tokens() in derived.h)
};

// Section [moe]: layers whose MLP is a mixture of experts. A router gives every token router_topk
// experts, each a SwiGLU of width ffn_hidden_size. With num_experts 0 no other key has an effect.
// Names are Megatron-LM's without their prefix "moe_".
struct MoeConfig {
  std::int64_t num_experts = 0;  // of a layer; 0: the model has no experts
  std::int64_t router_topk = 2;
  std::int64_t ffn_hidden_size = 0;                  // 0 = model.ffn_hidden_size
  std::int64_t shared_expert_intermediate_size = 0;  // 0: no expert that sees all tokens
  bool shared_expert_gate = false;  // its output is scaled by sigmoid(x . w), a number per token
  std::int64_t layer_freq = 1;      // one layer in so many has experts
  std::int64_t first_dense_layers = 0;  // first layers, without experts
  ScoreFunction router_score_function = ScoreFunction::softmax;
  bool norm_topk_prob = true;  // the weights of a token's experts are divided by their sum
  double router_topk_scaling_factor = 1.0;
  // A token chooses router_group_topk of router_num_groups groups of consecutive experts, and then experts of these
  // only; 0 groups: any experts. The best router_group_best experts of a group say how good it is; 0:
  // router_topk / router_group_topk.
  std::int64_t router_num_groups = 0, router_group_topk = 0, router_group_best = 0;
  bool router_force_load_balancing = false;  // for measurements: experts in turn
  // Choices go by score plus a bias of each expert, which balances the loads.
  bool router_enable_expert_bias = false;
  double router_bias_update_rate = 1e-3;
  double aux_loss_coeff = 0.0;
  double z_loss_coeff = 0.0;
  // Groups of consecutive experts that the next two losses balance, as many experts in each; 0: none.
  std::int64_t device_groups = 0;
  double device_aux_loss_coeff = 0.0;
  double communication_aux_loss_coeff = 0.0;
  // The choices of a micro-batch that a group of experts keeps in training, as a multiple of the mean; 0:
  // all. Without groups each expert is one.
  double expert_capacity_factor = 0.0;
  double capacity_exempt_share = 0.0;  // of the sequences, whose choices are all kept
  // Rows that a rank has room for, as a multiple of the mean; 0: as many as can ever arrive.
  double rows_bound = 0.0;
  RowsOverflow rows_overflow = RowsOverflow::stop;
  RoutingReplay routing_replay = RoutingReplay::none;
  std::string routing_replay_dir;  // "": RUN_DIR/routing
  TokenDispatcher token_dispatcher_type = TokenDispatcher::alltoall;
  std::string token_dispatcher_rates;  // cluster file that decides if the type is automatic
  bool fp8_communication = false;      // rows to and from experts travel in 8 bits
  // Which values share a scale then: those of a row or a piece of a channel, or all of a transfer.
  Fp8CommunicationRecipe fp8_communication_recipe = Fp8CommunicationRecipe::blockwise;
  bool operator==(const MoeConfig&) const = default;
};

// Section [lora]: adapters of low rank (arXiv 2106.09685). With a rank above 0 the weights of the model are
// frozen, and each linear layer with weight W[O,I] that `targets` names computes
//   y = x W^T + alpha / rank (x A^T) B^T,  A[rank,I], B[O,rank]
// of which only A and B are trained. A begins with numbers uniform within 1 / sqrt(I), B with 0.
struct LoraConfig {
  std::int64_t rank = 0;  // 0: no adapters; all weights are trained
  double alpha = 16.0;
  // The layers with adapters, by kAdapterTargets.
  std::vector<std::string> targets = {"linear_qkv", "linear_proj", "linear_fc1", "linear_fc2"};
  bool operator==(const LoraConfig&) const = default;
};

// Section [preference]: direct preference optimisation (DPO, arXiv 2305.18290). With beta above 0 the data are
// pairs of a chosen and a rejected answer, and the loss of a pair is
//   -(1 - label_smoothing) log sigmoid(m) - label_smoothing log sigmoid(-m),
//   m = beta ((chosen - chosen of the reference) - (rejected - rejected of the reference)),
// where each term is the sum of the log-probabilities of an answer's tokens. The reference is the model that
// the run starts from.
struct PreferenceConfig {
  double beta = 0.0;             // 0: no preferences; the loss is that of the tokens
  double label_smoothing = 0.0;  // the share of pairs that are taken to be the wrong way round
  bool operator==(const PreferenceConfig&) const = default;
};

struct ModelConfig {
  ModelType type = ModelType::gpt2;
  // The comments give the defaults of llama, mistral, qwen2 and qwen3. mixtral has those of mistral,
  // qwen2_moe those of qwen2, qwen3_moe and dots1 those of qwen3, phi3 and deepseek those of llama,
  // deepseek_v2 and deepseek_v3 these with latent attention. The
  // defaults of the other types are in apply_model_type_defaults().
  Normalization normalization = Normalization::layer_norm;            // rms_norm
  Activation activation = Activation::gelu;                           // swiglu
  PositionEmbedding position_embedding = PositionEmbedding::learned;  // rope
  bool add_bias_linear = true;                                        // false
  bool add_qkv_bias = false;                                          // qwen2: true
  bool qk_layernorm = false;                                          // qwen3: true
  // false: the norm of qk_layernorm is one of all query heads of a token, and one of all key heads.
  bool qk_layernorm_per_head = true;
  NormPosition norm_position = NormPosition::before;
  bool layernorm_zero_centered_gamma = false;  // norms multiply by 1 + weight
  bool scale_embedding = false;                // the embedding is multiplied by sqrt(hidden_size)
  bool untie_embeddings_and_output_weights = false;  // true
  std::int64_t num_layers = 12;
  std::int64_t hidden_size = 768;
  std::int64_t ffn_hidden_size = 0;  // 0 = 4 x hidden_size
  std::int64_t num_attention_heads = 12;
  std::int64_t num_query_groups = 0;  // 0 = num_attention_heads
  // 0 = hidden_size / num_attention_heads; with latent attention qk_head_dim + qk_pos_emb_head_dim
  std::int64_t head_dim = 0;
  // Latent attention (DeepSeek-V2, arXiv 2405.04434): keys and values of all heads are products of one
  // latent vector per token. A head of queries and keys has qk_head_dim channels without positions, then
  // qk_pos_emb_head_dim that are rotated. The rotated channels of a key are the same in all heads.
  bool multi_latent_attention = false;
  std::int64_t q_lora_rank = 0;  // width of the latent vector of queries; 0: queries have none
  std::int64_t kv_lora_rank = 512;
  std::int64_t qk_head_dim = 128, qk_pos_emb_head_dim = 64, v_head_dim = 128;
  std::int64_t seq_length = 1024;            // tokens
  std::int64_t max_position_embeddings = 0;  // 0 = seq_length
  std::int64_t vocab_size = 256;
  std::int64_t make_vocab_size_divisible_by = 128;
  double norm_epsilon = 1e-5;
  double rotary_base = 10000.0;
  double rope_local_base_freq = 0.0;  // base in layers with a window, without scaling; 0: as in all
  double rotary_percent = 1.0;        // share of a head's channels that is rotated
  // Scaled rotary frequencies (graph/rope_scaling.h); the next twelve keys have no effect without.
  bool use_rope_scaling = false;
  RopeScalingType rope_scaling_type = RopeScalingType::llama3;
  double rope_scaling_factor = 8.0;
  double rope_low_freq_factor = 1.0;
  double rope_high_freq_factor = 4.0;
  double rope_beta_fast = 32.0;        // turns, of yarn
  double rope_beta_slow = 1.0;         // turns, of yarn
  double rope_attention_factor = 0.0;  // of yarn and longrope; 0: by rope_scaling_factor
  // Of yarn, in DeepSeek's models (derived.h: attention_scale()); 0: not given.
  double rope_mscale = 0.0, rope_mscale_all_dim = 0.0;
  // Divisors of the frequencies, the highest first, of longrope: up to original_max_position_embeddings
  // tokens, and beyond.
  std::vector<double> rope_short_factor, rope_long_factor;
  std::int64_t original_max_position_embeddings = 8192;
  // true: attention and MLP of a layer read the same norm, and their outputs are added together.
  bool parallel_block = false;
  bool parallel_block_mlp_norm = false;  // the MLP of a parallel block has a norm of its own
  std::int64_t sliding_window = 0;  // tokens, the token itself included; 0 = full causal attention
  std::int64_t full_attention_layers = 0;  // number of first layers without the sliding window
  std::int64_t window_attn_skip_freq = 0;  // one layer in so many has no window; 0: none
  double query_pre_attn_scalar = 0.0;      // scores are divided by its root; 0: head_dim
  // Soft caps c of values x: c tanh(x / c); 0: none.
  double attn_logit_softcapping = 0.0;   // of the scores of attention
  double final_logit_softcapping = 0.0;  // of the logits
  double hidden_dropout = 0.0;           // probability, for the embedding and every branch's output
  double attention_dropout = 0.0;        // probability, for the attention probabilities
  double init_method_std = 0.02;
  DType dtype = DType::float32;  // of parameters and activations; master weights are float32
  // The operands of the layers' matrix products. hybrid, on CUDA devices: e4m3, gradients among them
  // e5m2. e4m3, on the CPU: all are rounded to that format, and multiplied in float32.
  Fp8Format fp8 = Fp8Format::none;
  // Which elements share a scale: all of a matrix, or those that one sum runs over (at most 128
  // tokens if it runs over tokens).
  Fp8Recipe fp8_recipe = Fp8Recipe::tensorwise;
  // The weights of these products are kept, and gathered, in 8 bits.
  bool fp8_param_gather = false;
  MoeConfig moe;    // section [moe]
  LoraConfig lora;  // section [lora]
  bool operator==(const ModelConfig&) const = default;
};

struct DataConfig {
  std::vector<std::string> data_path;  // prefixes of .bin and .idx files
  // One for each prefix of data_path: the share of the samples that come from it. Their sum does not
  // count. Empty: the prefixes are read as one corpus.
  std::vector<double> data_weights;
  std::string valid_data_path;               // prefix; empty = the validation share of `split`
  std::vector<std::string> validation_sets;  // "NAME=PREFIX" of each further validation set
  std::string split = "969,30,1";            // shares of train, validation, test, by tokens
  bool split_each_set = true;                // false: `split` cuts all sets as one
  std::string tokenizer = "byte";            // "byte", or the path of a tokenizer file
  bool shuffle = true;
  bool packed_documents = false;  // documents of one sequence do not see each other
  bool whole_documents = false;   // no document is cut at the end of a sequence
  std::int64_t seed = 1234;       // of the sample order only
  bool prefetch = true;           // read the next batch during a step, not at the next step's start
  bool operator==(const DataConfig&) const = default;
};

struct TrainConfig {
  std::string run_dir = "run";
  std::int64_t train_iters = 1000;
  std::int64_t micro_batch_size = 1;   // sequences
  std::int64_t global_batch_size = 0;  // sequences; 0 = micro_batch_size x data-parallel size
  // START, INCREMENT and SAMPLES of a global batch that grows (batch_phases.h); empty: it does not.
  std::vector<std::int64_t> rampup_batch_size;
  std::int64_t eval_interval = 0;  // steps; 0 = no evaluation
  std::int64_t eval_iters = 10;    // global batches
  std::int64_t seed = 1234;        // of the initial weights
  std::int64_t log_interval = 1;
  DeviceKind device = DeviceKind::cpu;
  std::int64_t threads_per_rank = 0;    // 0 = cores / local ranks
  bool bind_to_cores = true;            // only for ranks that are threads of one process
  std::int64_t max_skipped_steps = 20;  // in a row; the run stops then. 0 = it never does
  std::int64_t repeat_interval = 0;     // of so many tasks one is done twice; 0 = none is
  bool operator==(const TrainConfig&) const = default;
};

struct OptimizerConfig {
  OptimizerKind name = OptimizerKind::adamw;
  double lr = 3e-4;
  double min_lr = 0.0;
  std::int64_t lr_warmup_iters = 0;
  std::int64_t lr_decay_iters = 0;  // 0 = train_iters
  LrDecayStyle lr_decay_style = LrDecayStyle::cosine;
  std::int64_t lr_wsd_decay_iters = 0;
  double weight_decay = 0.1;
  double adam_beta1 = 0.9;
  double adam_beta2 = 0.95;
  double adam_eps = 1e-8;
  double clip_grad = 1.0;  // bound on the global gradient norm; 0 = no clipping
  bool operator==(const OptimizerConfig&) const = default;
};

struct ParallelConfig {
  std::int64_t world_size = 0;  // ranks; world_size() in derived.h says what 0 means
  std::int64_t tensor_model_parallel_size = 1;
  std::int64_t pipeline_model_parallel_size = 1;
  std::int64_t virtual_pipeline_size = 1;  // chunks per pipeline stage
  // Layers of each chunk, in the order of the model; layers_of_chunks() says what empty means.
  std::vector<std::int64_t> pipeline_layers;
  bool account_for_embedding_in_pipeline_split = false;
  bool account_for_loss_in_pipeline_split = false;
  std::int64_t context_parallel_size = 1;
  std::int64_t expert_model_parallel_size = 1;
  std::int64_t expert_tensor_parallel_size = 0;  // 0 = tensor_model_parallel_size
  bool replicate_shared_experts = false;         // each tensor rank has them whole
  std::int64_t zero_stage = 0;                   // 0 to 3
  // gpipe, 1f1b, interleaved, zb-h1, or the path of a file (a name with '/' or '.').
  std::string pipeline_schedule = "1f1b";
  std::int64_t data_parallel_buckets = 0;              // per rank, at most one per layer; 0: chosen
  bool wire_checksums = false;                         // messages between processes carry digests
  bool reduce_scatter_with_fp32_accumulation = false;  // gradients travel in bfloat16
  bool fp8_reduce_scatter = false;  // partial sums of tensor ranks travel in 8 bits
  // Pieces in which an all_reduce of gradients goes over hosts step by step; 0: all ranks at once.
  std::int64_t hierarchical_reduction_pieces = 0;
  std::int64_t ranks_per_host = 0;  // for hierarchical reductions
  bool operator==(const ParallelConfig&) const = default;
};

// Which communication runs beside computation. Each switch can be set by itself.
struct OverlapConfig {
  bool tensor = true;
  std::int64_t tensor_pieces = 0;  // 0 = do not split; other values change the last bits
  bool pipeline = true;
  bool data = true;
  bool symmetric_memory = false;    // NCCL accesses the arenas of ranks on the same host directly
  bool layer_order = true;          // ops of layers with experts are ordered for overlap
  std::int64_t context_pieces = 0;  // 0 = do not split; other values change the last bits
  std::int64_t expert_pieces = 0;   // of expert ranks or experts; 0 = do not split; as above
  bool fused_pairs = false;         // a transfer and the product beside it may run tile by tile
  bool operator==(const OverlapConfig&) const = default;
};

// Which implementation of an op runs. "Simulated only" below: such a plan can be sized and
// simulated, but not executed.
struct KernelsConfig {
  bool cudnn = true;          // bfloat16 attention on CUDA devices: cuDNN; false: our own kernels
  bool cutlass = true;        // products of experts in bfloat16 or 8 bits on Hopper: CUTLASS
  bool deterministic = true;  // cuDNN's attention repeats its bits; false: a faster gradient
  bool fused = true;          // norms, activations, attention; false: chains of single operations
  // File that keeps the fastest cuBLASLt algorithm of every product; missing ones are measured.
  // Empty = no measurement: the algorithm that the library prefers.
  std::string gemm_choices;
  // For bfloat16 on CUDA devices. true: the matrix product before GELU or the residual sum also
  // computes that op.
  bool fused_gelu = true;
  bool fused_residual = true;
  bool fused_bias_gradient = false;  // in the product of the weight gradient
  bool cuda_graphs = false;          // launch consecutive tasks of a lane as one CUDA graph
  bool matrix_unit = true;  // float32 products on the CPU's matrix unit (AMX), if it has one
  // false: scores, softmax and values are ops of their own. Simulated only.
  bool flash_attention = true;
  bool fused_norm = true;  // false: norms are chains of ops. Simulated only.
  bool operator==(const KernelsConfig&) const = default;
};

struct RecomputeConfig {
  RecomputeGranularity granularity = RecomputeGranularity::none;
  std::vector<std::string> ops;  // op names; only with granularity = list
  // true: column-parallel linears keep their gathered input; false: the backward gathers it again.
  bool keep_gathered_input = false;
  // true: granularity full repeats all ops of a layer, also those whose results are not read again.
  bool whole_layers = false;
  bool operator==(const RecomputeConfig&) const = default;
};

struct CheckpointConfig {
  // "auto" as a value of interval and memory_interval: as many steps as lose the least (train/interval.h).
  static constexpr std::int64_t kAuto = INT64_MIN;
  std::int64_t interval = 0;         // steps; 0 = only after the last step
  std::int64_t keep_last = 2;        // 0 = keep all
  bool background = true;            // write while steps go on
  std::int64_t memory_interval = 0;  // steps between copies in shared memory; 0 = none
  // Most bytes per second of a rank's writes and reads beside steps; 0 = see train/checkpoints.h.
  double max_rate = 0.0;
  std::string dir;   // empty = run_dir/checkpoints
  std::string load;  // checkpoint to start from if `dir` holds none; empty = none
  // How to start from `load`: resume = its whole state; weights = only its weights.
  CheckpointStart start = CheckpointStart::resume;
  std::vector<std::string> allow_changes;  // names of ChangeKind (changes.h)
  bool operator==(const CheckpointConfig&) const = default;
};

struct ObserveConfig {
  std::vector<std::int64_t> trace_steps;  // counted from 0; their task records are kept for good
  std::int64_t ring_steps = 8;            // number of last steps whose records the ring holds
  std::int64_t stored_steps = 0;          // of which numbers of every rank are kept; 0: none
  std::string tensorboard_dir;            // for event files; empty: none
  bool csv = false;                       // metrics.csv in the run directory
  std::string kafka_brokers;              // "host:port,host:port" of a Kafka cluster; empty: none
  std::string kafka_topic = "megascale";
  std::vector<std::string> kafka_settings;  // "name=value", of librdkafka
  bool operator==(const ObserveConfig&) const = default;
};

struct ControlConfig {
  double timeout_seconds = 600.0;  // the longest wait for other ranks; the job fails after it
  double mean_time_between_failures = 0.0;  // seconds; 0 = measured
  // The rest is for jobs with --robust.
  ControlMode mode = ControlMode::act;
  double heartbeat_seconds = 1.0;
  double lease_seconds = 30.0;    // a host that is silent for longer is lost
  double frozen_seconds = 5.0;    // the shortest time without progress that counts as frozen
  double frozen_multiple = 10.0;  // the same in median steps
  double grace_seconds = 2.0;     // between SIGTERM and SIGKILL
  double loss_multiple = 5.0;     // of the usual deviation: a loss that is further off is a jump
  std::int64_t loss_window = 32;  // steps that tell what is usual
  double slow_share = 0;          // a rank that computes by so much longer is slow; 0: none is
  double backoff_seconds = 1.0;   // before the second attempt in a row without progress
  std::int64_t restarts_per_hour = 30;
  std::int64_t crash_loop_attempts = 3;
  bool checks = false;                // hosts run self-checks before they get ranks
  double check_least_share = 0.5;     // of the host's own baseline, that its rates must reach
  bool block_bad_hosts = true;        // those that a replay has shown to be at fault get no ranks
  bool allow_fewer = false;           // the job may go on with fewer hosts
  double fewer_after_seconds = 60.0;  // the wait for hosts before that
  bool operator==(const ControlConfig&) const = default;
};

struct Config {
  ModelConfig model;
  PreferenceConfig preference;
  DataConfig data;
  TrainConfig train;
  OptimizerConfig optimizer;
  ParallelConfig parallel;
  OverlapConfig overlap;
  KernelsConfig kernels;
  RecomputeConfig recompute;
  CheckpointConfig checkpoint;
  ObserveConfig observe;
  ControlConfig control;
  bool operator==(const Config&) const = default;
};

}  // namespace megascale

#endif  // MEGASCALE_CONFIG_CONFIG_H_
