#ifndef MEGASCALE_CONFIG_CONFIG_H_
#define MEGASCALE_CONFIG_CONFIG_H_

#include <cstdint>
#include <string>
#include <vector>

#include "megascale/base/dtype.h"

// The typed configuration of a job: plain values, one struct per section, defaults here and nowhere
// else. Names are Megatron-LM's where it has one. What each key means, its unit and its range stand
// in one table, fields.cpp, from which docs/configuration.md is written. "0 = ..." below:
// load_config and resolve() replace the zero by that value, apart from world_size, threads_per_rank
// and lr_wsd_decay_iters, which stay as given. Thread safety: values. Ownership: everything by
// value.
namespace megascale {

enum class ModelType : std::uint8_t { gpt2, llama };  // sets the defaults of the five keys after it
enum class Normalization : std::uint8_t { layer_norm, rms_norm };
enum class Fp8Format : std::uint8_t { none, hybrid };
enum class Activation : std::uint8_t { gelu, swiglu };
enum class PositionEmbedding : std::uint8_t { learned, rope };
enum class OptimizerKind : std::uint8_t { adamw, lamb };
enum class LrDecayStyle : std::uint8_t { constant, linear, cosine, wsd };
enum class DeviceKind : std::uint8_t { cpu, cuda };
enum class RecomputeGranularity : std::uint8_t { none, selective, full, list };

struct ModelConfig {
  ModelType type = ModelType::gpt2;
  Normalization normalization = Normalization::layer_norm;            // llama: rms_norm
  Activation activation = Activation::gelu;                           // llama: swiglu
  PositionEmbedding position_embedding = PositionEmbedding::learned;  // llama: rope
  bool add_bias_linear = true;                                        // llama: false
  bool untie_embeddings_and_output_weights = false;                   // llama: true
  std::int64_t num_layers = 12;
  std::int64_t hidden_size = 768;
  std::int64_t ffn_hidden_size = 0;  // 0 = 4 x hidden_size
  std::int64_t num_attention_heads = 12;
  std::int64_t num_query_groups = 0;         // 0 = num_attention_heads
  std::int64_t head_dim = 0;                 // 0 = hidden_size / num_attention_heads
  std::int64_t seq_length = 1024;            // tokens
  std::int64_t max_position_embeddings = 0;  // 0 = seq_length
  std::int64_t vocab_size = 256;
  std::int64_t make_vocab_size_divisible_by = 128;
  double norm_epsilon = 1e-5;
  double rotary_base = 10000.0;
  bool parallel_block = false;      // attention and MLP read the same norm and are added together
  std::int64_t sliding_window = 0;  // tokens, the token itself included; 0 = full causal attention
  double hidden_dropout = 0.0;      // of the embedding's and of every branch's output
  double attention_dropout = 0.0;   // of the attention probabilities
  double init_method_std = 0.02;
  DType dtype = DType::float32;  // of parameters and activations; masters are float32
  // Operands of the layers' matrix products: e4m3, gradients e5m2, each matrix with one scale.
  Fp8Format fp8 = Fp8Format::none;
  bool operator==(const ModelConfig&) const = default;
};

struct DataConfig {
  std::vector<std::string> data_path;  // prefixes of .bin and .idx: one corpus, in this order
  std::string valid_data_path;         // prefix; empty = the validation share of `split`
  std::string split = "969,30,1";      // shares of train, validation, test, by tokens
  std::string tokenizer = "byte";      // or a file
  bool shuffle = true;
  bool packed_documents = false;
  std::int64_t seed = 1234;  // of the sample order only
  bool prefetch = true;      // the next batch is read while a step runs; else when it is needed
  bool operator==(const DataConfig&) const = default;
};

struct TrainConfig {
  std::string run_dir = "run";
  std::int64_t train_iters = 1000;
  std::int64_t micro_batch_size = 1;   // sequences
  std::int64_t global_batch_size = 0;  // sequences; 0 = micro_batch_size x data-parallel size
  std::int64_t eval_interval = 0;      // steps; 0 = no evaluation
  std::int64_t eval_iters = 10;        // global batches
  std::int64_t seed = 1234;            // of the initial weights
  std::int64_t log_interval = 1;
  DeviceKind device = DeviceKind::cpu;
  std::int64_t threads_per_rank = 0;  // 0 = cores / local ranks
  bool bind_to_cores = true;          // ranks that are threads, where they fill the cores
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
  std::int64_t world_size = 0;  // ranks; 0 = see world_size() in derived.h
  std::int64_t tensor_model_parallel_size = 1;
  std::int64_t pipeline_model_parallel_size = 1;
  std::int64_t virtual_pipeline_size = 1;  // chunks per pipeline stage
  std::int64_t context_parallel_size = 1;
  std::int64_t zero_stage = 0;             // 0, 1 or 2
  std::string pipeline_schedule = "1f1b";  // gpipe, interleaved, zb-h1, or a file ('/' or '.')
  std::int64_t data_parallel_buckets = 8;  // per rank, at most one per layer
  bool operator==(const ParallelConfig&) const = default;
};

struct OverlapConfig {
  bool tensor = true;
  std::int64_t tensor_pieces = 0;
  bool pipeline = true;
  bool data = true;
  bool symmetric_memory = false;  // NCCL reaches into the arenas of ranks on one host
  bool operator==(const OverlapConfig&) const = default;
};

struct KernelsConfig {
  bool cudnn = true;  // attention of bfloat16 on CUDA devices by cuDNN; else by our own kernels
  bool fused = true;  // norms, activations, attention; else chains of single operations
  // File of the fastest of cuBLASLt's ways, measured where it has none yet; empty: its favourites.
  std::string gemm_choices;
  // Of bfloat16 on CUDA devices: parts of the matrix products before them.
  bool fused_gelu = true;
  bool fused_residual = true;
  bool cuda_graphs = false;     // tasks of a lane that nothing comes between are launched as one
  bool matrix_unit = true;      // float32 products on the CPU's, where it has one
  bool flash_attention = true;  // else scores, softmax and values are ops: planned and simulated
  bool fused_norm = true;       // else norms are chains of ops: planned and simulated
  bool operator==(const KernelsConfig&) const = default;
};

struct RecomputeConfig {
  RecomputeGranularity granularity = RecomputeGranularity::none;
  std::vector<std::string> ops;      // op names; only with granularity = list
  bool keep_gathered_input = false;  // of column-parallel linears; else gathered again in backward
  bool whole_layers = false;         // granularity full also repeats what nothing reads again
  bool operator==(const RecomputeConfig&) const = default;
};

struct CheckpointConfig {
  std::int64_t interval = 0;   // steps; 0 = only after the last step
  std::int64_t keep_last = 2;  // 0 = keep all
  std::string dir;             // empty = run_dir/checkpoints
  std::string load;            // empty = the newest of `dir`, if any
  bool operator==(const CheckpointConfig&) const = default;
};

struct ObserveConfig {
  std::vector<std::int64_t> trace_steps;  // steps whose task records are kept whole
  std::int64_t ring_steps = 8;            // last steps that the shared-memory ring holds
  bool operator==(const ObserveConfig&) const = default;
};

struct ControlConfig {
  double timeout_seconds = 600.0;  // after which silent peers are reported as lost
  bool operator==(const ControlConfig&) const = default;
};

struct Config {
  ModelConfig model;
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
