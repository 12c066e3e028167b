#include "megascale/config/fields.h"

#include <array>
#include <limits>

namespace megascale {
namespace {

constexpr std::int64_t kMaxInt = std::numeric_limits<std::int64_t>::max();
// Bounds that keep every product of sizes in 64 bits; far above any machine or model of today.
constexpr std::int64_t kMaxRanks = 1 << 24;
constexpr std::int64_t kMaxSize = 1 << 24;  // widths, lengths, layers
constexpr std::int64_t kMaxSteps = 2'000'000'000;
constexpr std::int64_t kMaxVocab = (std::int64_t{1} << 31) - (1 << 24);  // padded ids fit int32
constexpr double kHuge = 1e12;

template <class Enum>
struct EnumName {
  Enum value;
  std::string_view name;
};
template <class Enum>  // clang 14 deduces no arguments of aggregates
EnumName(Enum, std::string_view)->EnumName<Enum>;
constexpr std::array kModelTypes{EnumName{ModelType::gpt2, "gpt2"},
                                 EnumName{ModelType::llama, "llama"}};
constexpr std::array kNormalizations{EnumName{Normalization::layer_norm, "layer_norm"},
                                     EnumName{Normalization::rms_norm, "rms_norm"}};
constexpr std::array kActivations{EnumName{Activation::gelu, "gelu"},
                                  EnumName{Activation::swiglu, "swiglu"}};
constexpr std::array kPositionEmbeddings{EnumName{PositionEmbedding::learned, "learned"},
                                         EnumName{PositionEmbedding::rope, "rope"}};
constexpr std::array kDTypes{EnumName{DType::float32, "float32"},
                             EnumName{DType::bfloat16, "bfloat16"}};
constexpr std::array kFp8Formats{EnumName{Fp8Format::none, "none"},
                                 EnumName{Fp8Format::hybrid, "hybrid"}};
constexpr std::array kOptimizers{EnumName{OptimizerKind::adamw, "adamw"},
                                 EnumName{OptimizerKind::lamb, "lamb"}};
constexpr std::array kDecayStyles{
    EnumName{LrDecayStyle::constant, "constant"}, EnumName{LrDecayStyle::linear, "linear"},
    EnumName{LrDecayStyle::cosine, "cosine"}, EnumName{LrDecayStyle::wsd, "wsd"}};
constexpr std::array kDevices{EnumName{DeviceKind::cpu, "cpu"}, EnumName{DeviceKind::cuda, "cuda"}};
constexpr std::array kGranularities{EnumName{RecomputeGranularity::none, "none"},
                                    EnumName{RecomputeGranularity::selective, "selective"},
                                    EnumName{RecomputeGranularity::full, "full"},
                                    EnumName{RecomputeGranularity::list, "list"}};

// The accessors are captureless functions made from pointers to members, so the table is constant
// data.
template <auto Section, auto Member>
auto& member(Config& config) {
  return (config.*Section).*Member;
}
template <auto Section, auto Member>
constexpr Access integer(std::int64_t min, std::int64_t max) {
  return IntegerAccess{&member<Section, Member>, min, max};
}
enum class Ends : std::uint8_t { closed, open_below, open_above };
template <auto Section, auto Member>
constexpr Access real(double min, double max, Ends ends = Ends::closed) {
  return RealAccess{&member<Section, Member>, min, max, ends != Ends::open_below,
                    ends != Ends::open_above};
}
template <auto Section, auto Member>
constexpr Access boolean() {
  return BooleanAccess{&member<Section, Member>};
}
template <auto Section, auto Member>
constexpr Access text(bool may_be_empty) {
  return StringAccess{&member<Section, Member>, may_be_empty};
}
template <auto Section, auto Member, const auto& Names>
constexpr Access choice() {
  return EnumAccess{[](const Config& config) {
                      for (const auto& [value, name] : Names) {
                        if (value == (config.*Section).*Member) return name;
                      }
                      return std::string_view{};
                    },
                    [](Config& config, std::string_view wanted) {
                      for (const auto& [value, name] : Names) {
                        if (name == wanted) {
                          (config.*Section).*Member = value;
                          return true;
                        }
                      }
                      return false;
                    },
                    [] {
                      std::vector<std::string> names;
                      for (const auto& entry : Names) names.emplace_back(entry.name);
                      return names;
                    }};
}
template <auto Section, auto Member>
constexpr Access text_list() {
  return StringListAccess{&member<Section, Member>};
}
template <auto Section, auto Member>
constexpr Access integer_list() {
  return IntegerListAccess{&member<Section, Member>};
}

constexpr auto kModel = &Config::model;
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
        "The family. It sets the defaults of the next five keys: gpt2 is layer_norm, gelu, learned, true, false; "
        "llama is rms_norm, swiglu, rope, false, true.", "architecture model_type"},
  Field{"model", "normalization", choice<kModel, &ModelConfig::normalization, kNormalizations>(),
        "The norm before attention and before the MLP.", "norm"},
  Field{"model", "activation", choice<kModel, &ModelConfig::activation, kActivations>(),
        "The MLP's activation; swiglu has a gate and an up projection of ffn_hidden_size each.", "swiglu hidden_act activation_func"},
  Field{"model", "position_embedding", choice<kModel, &ModelConfig::position_embedding, kPositionEmbeddings>(),
        "Learned absolute positions added to the token embedding, or rotary positions in attention.", "position_embedding_type use_rotary_position_embeddings"},
  Field{"model", "add_bias_linear", boolean<kModel, &ModelConfig::add_bias_linear>(),
        "Whether the linear layers have biases.", "disable_bias_linear bias"},
  Field{"model", "untie_embeddings_and_output_weights", boolean<kModel, &ModelConfig::untie_embeddings_and_output_weights>(),
        "true: the output layer has weights of its own; false: it uses the token embedding.", "tie_embeddings tie_word_embeddings"},
  Field{"model", "num_layers", integer<kModel, &ModelConfig::num_layers>(1, kMaxSize),
        "Transformer layers.", "n_layer n_layers num_hidden_layers"},
  Field{"model", "hidden_size", integer<kModel, &ModelConfig::hidden_size>(1, kMaxSize),
        "Width of the residual stream.", "n_embd d_model dim"},
  Field{"model", "ffn_hidden_size", integer<kModel, &ModelConfig::ffn_hidden_size>(0, kMaxSize * 4),
        "Width inside the MLP; 0 = 4 x hidden_size.", "intermediate_size d_ff ffn_dim"},
  Field{"model", "num_attention_heads", integer<kModel, &ModelConfig::num_attention_heads>(1, kMaxSize),
        "Query heads.", "n_head n_heads num_heads"},
  Field{"model", "num_query_groups", integer<kModel, &ModelConfig::num_query_groups>(0, kMaxSize),
        "Key and value heads, each shared by an equal number of query heads; 0 = num_attention_heads.", "num_key_value_heads n_kv_heads"},
  Field{"model", "head_dim", integer<kModel, &ModelConfig::head_dim>(0, kMaxSize),
        "Width of one head; 0 = hidden_size / num_attention_heads.", "kv_channels head_size"},
  Field{"model", "seq_length", integer<kModel, &ModelConfig::seq_length>(1, kMaxSize),
        "Tokens per sequence.", "seq_len sequence_length max_target_length block_size context_length"},
  Field{"model", "max_position_embeddings", integer<kModel, &ModelConfig::max_position_embeddings>(0, kMaxSize),
        "Rows of the learned position embedding; 0 = seq_length.", "n_positions max_seq_len"},
  Field{"model", "vocab_size", integer<kModel, &ModelConfig::vocab_size>(1, kMaxVocab),
        "Token ids of the tokenizer; 256 for the byte tokenizer.", "padded_vocab_size n_vocab"},
  Field{"model", "make_vocab_size_divisible_by", integer<kModel, &ModelConfig::make_vocab_size_divisible_by>(1, 1 << 16),
        "The embedding's rows are vocab_size rounded up to a multiple of the least common multiple of this and the tensor-parallel size.", ""},
  Field{"model", "norm_epsilon", real<kModel, &ModelConfig::norm_epsilon>(0, 1, Ends::open_below),
        "Added to the variance inside the norms.", "layernorm_epsilon rms_norm_eps layer_norm_epsilon norm_eps"},
  Field{"model", "rotary_base", real<kModel, &ModelConfig::rotary_base>(1, kHuge),
        "Base of the rotary frequencies.", "rope_theta"},
  Field{"model", "parallel_block", boolean<kModel, &ModelConfig::parallel_block>(),
        "Attention and MLP read one norm and are added together (MegaScale's parallel transformer block).", "parallel_residual"},
  Field{"model", "sliding_window", integer<kModel, &ModelConfig::sliding_window>(0, kMaxSize),
        "Tokens that a token attends to, itself included; 0 = all before it.", "window_size attention_window"},
  Field{"model", "hidden_dropout", real<kModel, &ModelConfig::hidden_dropout>(0, 1, Ends::open_above),
        "Share of the embedding's and of every branch's output that is dropped. Above 0 the plan is sized and simulated, not executed.", "dropout resid_pdrop embd_pdrop"},
  Field{"model", "attention_dropout", real<kModel, &ModelConfig::attention_dropout>(0, 1, Ends::open_above),
        "Share of the attention probabilities that is dropped. Above 0 the plan is sized and simulated, not executed.", "attn_pdrop"},
  Field{"model", "init_method_std", real<kModel, &ModelConfig::init_method_std>(0, 1e3),
        "Standard deviation of the initial weights.", "initializer_range init_std"},
  Field{"model", "dtype", choice<kModel, &ModelConfig::dtype, kDTypes>(),
        "Of parameters and activations; master weights and main gradients are float32. The CPU executes float32 only, CUDA devices both.", "bf16 fp16 params_dtype precision"},
  Field{"model", "fp8", choice<kModel, &ModelConfig::fp8, kFp8Formats>(),
        "hybrid: the matrix products of the layers, but not the head's, have 8-bit operands on CUDA devices: e4m3, of gradients e5m2, every matrix with one scale by its largest value at the time. Everything else stays bfloat16 or float32.", "fp8_format fp8_recipe"},

  Field{"data", "data_path", text_list<kData, &DataConfig::data_path>(),
        "Prefixes of indexed datasets (PREFIX.bin and PREFIX.idx), read as one corpus in this order. A single string is a list of one.", "train train_data_path path dataset"},
  Field{"data", "valid_data_path", text<kData, &DataConfig::valid_data_path>(true),
        "Prefix of the validation set; then all of data_path is training data. Empty = the validation share of split.", "validation valid val_data_path"},
  Field{"data", "split", text<kData, &DataConfig::split>(false),
        "Shares of training, validation and test data, by tokens in the order of the files; cuts fall between documents where those are near enough.", ""},
  Field{"data", "tokenizer", text<kData, &DataConfig::tokenizer>(false),
        "\"byte\" (256 ids: the bytes of UTF-8, with 0 as the end of a document), or a tokenizer file.", "tokenizer_type tokenizer_model"},
  Field{"data", "shuffle", boolean<kData, &DataConfig::shuffle>(),
        "Permute the samples anew in each epoch; false = the order of the files.", ""},
  Field{"data", "packed_documents", boolean<kData, &DataConfig::packed_documents>(),
        "Restart positions and attention at document borders and leave the loss across them out.", "reset_position_ids reset_attention_mask eod_mask_loss"},
  Field{"data", "seed", integer<kData, &DataConfig::seed>(0, kMaxInt),
        "Of the sample order.", "data_seed"},
  Field{"data", "prefetch", boolean<kData, &DataConfig::prefetch>(),
        "Read the next batch while a step runs; false: at the step's start, which waits for it. The bits are the same.", "num_workers prefetch_factor"},

  Field{"train", "run_dir", text<kTrain, &TrainConfig::run_dir>(false),
        "Directory of everything that the run writes.", "save output_dir tensorboard_dir"},
  Field{"train", "train_iters", integer<kTrain, &TrainConfig::train_iters>(1, kMaxSteps),
        "Steps.", "steps train_steps max_steps train_samples"},
  Field{"train", "micro_batch_size", integer<kTrain, &TrainConfig::micro_batch_size>(1, kMaxSize),
        "Sequences that a rank works on at a time.", "train_micro_batch_size_per_gpu local_batch_size"},
  Field{"train", "global_batch_size", integer<kTrain, &TrainConfig::global_batch_size>(0, std::int64_t{1} << 31),
        "Sequences per step over all ranks; 0 = micro_batch_size x data-parallel size.", "train_batch_size batch_size"},
  Field{"train", "eval_interval", integer<kTrain, &TrainConfig::eval_interval>(0, kMaxSteps),
        "Steps between evaluations; 0 = none.", "val_interval"},
  Field{"train", "eval_iters", integer<kTrain, &TrainConfig::eval_iters>(1, kMaxSteps),
        "Global batches per evaluation.", "val_iters"},
  Field{"train", "seed", integer<kTrain, &TrainConfig::seed>(0, kMaxInt),
        "Of the initial weights.", ""},
  Field{"train", "log_interval", integer<kTrain, &TrainConfig::log_interval>(1, kMaxSteps),
        "Steps between lines of the log.", ""},
  Field{"train", "device", choice<kTrain, &TrainConfig::device, kDevices>(),
        "What ranks compute on. cuda: rank r of a host on its device r mod devices; several ranks may share one.", "gpu accelerator"},
  Field{"train", "threads_per_rank", integer<kTrain, &TrainConfig::threads_per_rank>(0, 1 << 16),
        "Threads of a rank's kernels; 0 = cores / ranks on this host. Part of what decides the last bits.", "num_threads omp_num_threads"},
  Field{"train", "bind_to_cores", boolean<kTrain, &TrainConfig::bind_to_cores>(),
        "Ranks that are threads of one process keep to cores of their own, rank after rank around the host's, where they leave none free; false: the operating system moves them. Ranks that are processes are bound by who starts them.", "cpu_bind bind_to"},

  Field{"optimizer", "name", choice<kOptimizer, &OptimizerConfig::name, kOptimizers>(),
        "The update rule.", "optimizer type"},
  Field{"optimizer", "lr", real<kOptimizer, &OptimizerConfig::lr>(0, 1e6),
        "Largest learning rate.", "learning_rate max_lr"},
  Field{"optimizer", "min_lr", real<kOptimizer, &OptimizerConfig::min_lr>(0, 1e6),
        "Learning rate at the end of the decay and after it.", "min_decay_lr"},
  Field{"optimizer", "lr_warmup_iters", integer<kOptimizer, &OptimizerConfig::lr_warmup_iters>(0, kMaxSteps),
        "Steps of linear growth from 0 to lr.", "warmup_steps lr_warmup_steps warmup_iters"},
  Field{"optimizer", "lr_decay_iters", integer<kOptimizer, &OptimizerConfig::lr_decay_iters>(0, kMaxSteps),
        "Step at which the decay ends, warm-up included; 0 = train_iters.", "lr_decay_steps"},
  Field{"optimizer", "lr_decay_style", choice<kOptimizer, &OptimizerConfig::lr_decay_style, kDecayStyles>(),
        "Shape of the decay; wsd holds lr until the last lr_wsd_decay_iters steps.", "lr_scheduler schedule"},
  Field{"optimizer", "lr_wsd_decay_iters", integer<kOptimizer, &OptimizerConfig::lr_wsd_decay_iters>(0, kMaxSteps),
        "Steps of the decay at the end of a wsd schedule.", ""},
  Field{"optimizer", "weight_decay", real<kOptimizer, &OptimizerConfig::weight_decay>(0, 1e3),
        "Decoupled weight decay; not for biases and norms.", ""},
  Field{"optimizer", "adam_beta1", real<kOptimizer, &OptimizerConfig::adam_beta1>(0, 1, Ends::open_above),
        "Decay of the first moment.", "beta1"},
  Field{"optimizer", "adam_beta2", real<kOptimizer, &OptimizerConfig::adam_beta2>(0, 1, Ends::open_above),
        "Decay of the second moment.", "beta2"},
  Field{"optimizer", "adam_eps", real<kOptimizer, &OptimizerConfig::adam_eps>(0, 1, Ends::open_below),
        "Added to the root of the second moment.", "eps epsilon"},
  Field{"optimizer", "clip_grad", real<kOptimizer, &OptimizerConfig::clip_grad>(0, kHuge),
        "Bound on the global gradient norm; 0 = no clipping.", "max_norm grad_clip gradient_clipping"},

  Field{"parallel", "world_size", integer<kParallel, &ParallelConfig::world_size>(0, kMaxRanks),
        "Ranks; 0 = as --ranks or the launcher say, and without either tensor x context x pipeline.", "ranks nproc num_gpus"},
  Field{"parallel", "tensor_model_parallel_size", integer<kParallel, &ParallelConfig::tensor_model_parallel_size>(1, 1 << 16),
        "Ranks that share each layer; above 1 the norms work on shards of the sequence (sequence parallelism).", "tp tensor_parallel_size sequence_parallel"},
  Field{"parallel", "pipeline_model_parallel_size", integer<kParallel, &ParallelConfig::pipeline_model_parallel_size>(1, 1 << 16),
        "Pipeline stages.", "pp pipeline_parallel_size"},
  Field{"parallel", "virtual_pipeline_size", integer<kParallel, &ParallelConfig::virtual_pipeline_size>(1, 1 << 16),
        "Chunks of layers per stage (interleaved schedule).", "vpp num_layers_per_virtual_pipeline_stage virtual_pipeline_model_parallel_size"},
  Field{"parallel", "context_parallel_size", integer<kParallel, &ParallelConfig::context_parallel_size>(1, 1 << 16),
        "Ranks that share each sequence; attention exchanges heads for tokens (Ulysses).", "cp"},
  Field{"parallel", "zero_stage", integer<kParallel, &ParallelConfig::zero_stage>(0, 2),
        "What the data-parallel ranks shard: 0 nothing, 1 the optimizer, 2 the optimizer and the reduced gradients.", "use_distributed_optimizer zero"},
  Field{"parallel", "pipeline_schedule", text<kParallel, &ParallelConfig::pipeline_schedule>(false),
        "gpipe, 1f1b, interleaved, zb-h1, or a file (a name with a / or a dot).", "schedule pipeline_parallel_schedule"},
  Field{"parallel", "data_parallel_buckets", integer<kParallel, &ParallelConfig::data_parallel_buckets>(1, 1 << 16),
        "Buckets of parameters per rank that are communicated apart, at most one per layer.", "ddp_num_buckets ddp_bucket_size buckets"},

  Field{"overlap", "tensor", boolean<kOverlap, &OverlapConfig::tensor>(),
        "Run tensor- and context-parallel communication beside computation, tensor-parallel also beside the matrix products that use it.", "tp_comm_overlap"},
  Field{"overlap", "tensor_pieces", integer<kOverlap, &OverlapConfig::tensor_pieces>(0, 1 << 10),
        "Pieces of what each other tensor rank sends, and of the products that use it; 0: all ranks' rows at once. Other numbers change the last bits.", "num_splits"},
  Field{"overlap", "pipeline", boolean<kOverlap, &OverlapConfig::pipeline>(),
        "Run pipeline sends and receives beside computation.", "overlap_p2p_comm overlap_p2p_communication"},
  Field{"overlap", "data", boolean<kOverlap, &OverlapConfig::data>(),
        "Run data-parallel gathers and reductions beside computation.", "overlap_grad_reduce overlap_param_gather"},
  Field{"overlap", "symmetric_memory", boolean<kOverlap, &OverlapConfig::symmetric_memory>(),
        "Of ranks on CUDA devices that are processes: groups of one pipeline stage on one host get each other's arenas as windows, so that NCCL's collectives work in place in all of them. Needs NCCL 2.29.7 and devices that reach each other's memory, else the run is refused. Has never run on a device. Changes the last bits.", "nccl_ub use_nccl_ub"},

  Field{"kernels", "fused", boolean<kKernels, &KernelsConfig::fused>(),
        "Norms, activations and attention as fused kernels; false: as chains of single operations with their results in memory, as without fusion (to measure against). Changes the last bits.", "bias_gelu_fusion masked_softmax_fusion persist_layer_norm"},
  Field{"kernels", "cudnn", boolean<kKernels, &KernelsConfig::cudnn>(),
        "On CUDA devices attention in bfloat16, without segments, with heads of 8, 16, ... 128, by cuDNN; false: by our own kernels, which serve all other cases too and do not use the matrix units. Changes the last bits.", ""},
  Field{"kernels", "gemm_choices", text<kKernels, &KernelsConfig::gemm_choices>(true),
        "File that keeps, for each product on CUDA devices, which of cuBLASLt's ways was the fastest; those that it does not have yet are measured once, and which way they get then is chance. Empty: the library's favourites, unmeasured.", ""},
  Field{"kernels", "fused_gelu", boolean<kKernels, &KernelsConfig::fused_gelu>(),
        "On CUDA devices in bfloat16, where products are not cut into pieces, GELU and its gradient are computed by the matrix product before them, from what it has not rounded; false: as ops of their own. Changes the last bits.", "gelu_fusion"},
  Field{"kernels", "fused_residual", boolean<kKernels, &KernelsConfig::fused_residual>(),
        "On CUDA devices in bfloat16, without tensor parallelism, the sum with the residual stream is computed by the matrix product before it, from what it has not rounded; false: as an op of its own. Changes the last bits.", ""},
  Field{"kernels", "cuda_graphs", boolean<kKernels, &KernelsConfig::cuda_graphs>(),
        "On CUDA devices tasks of a lane that no other lane comes between are launched as one CUDA graph from the second step on, which spares the host their launches. Never changes bits.", "enable_cuda_graph cuda_graph_impl"},
  Field{"kernels", "matrix_unit", boolean<kKernels, &KernelsConfig::matrix_unit>(),
        "Float32 products of linear layers on the CPU's matrix unit (AMX) where it has one, each value as three bfloat16 parts: as exact as float32, and faster; false: on its vector units. Changes the last bits.", ""},
  Field{"kernels", "flash_attention", boolean<kKernels, &KernelsConfig::flash_attention>(),
        "Attention as one op that keeps no scores; false: scores, softmax and values are ops of their own with the scores in memory, as before FlashAttention. Such a plan is sized and simulated, not executed.", "use_flash_attn"},
  Field{"kernels", "fused_norm", boolean<kKernels, &KernelsConfig::fused_norm>(),
        "Norms as one op; false: mean, centring, root, normalisation and scale are ops of their own with their results in memory. Such a plan is sized and simulated, not executed.", ""},

  Field{"recompute", "granularity", choice<kRecompute, &RecomputeConfig::granularity, kGranularities>(),
        "What the backward pass computes again: nothing, the attention core, whole layers, or the ops listed.", "recompute_granularity"},
  Field{"recompute", "ops", text_list<kRecompute, &RecomputeConfig::ops>(),
        "Names of ops; with granularity = list.", "recompute_modules modules"},
  Field{"recompute", "keep_gathered_input", boolean<kRecompute, &RecomputeConfig::keep_gathered_input>(),
        "Keep what tensor or context parallelism gathered for the weight gradient; else it is gathered again under the input gradient.", ""},
  Field{"recompute", "whole_layers", boolean<kRecompute, &RecomputeConfig::whole_layers>(),
        "With granularity = full: repeat a layer's forward as a whole, with the products whose results nothing reads again, as frameworks that record what they ran must.", "recompute_method"},

  Field{"checkpoint", "interval", integer<kCheckpoint, &CheckpointConfig::interval>(0, kMaxSteps),
        "Steps between checkpoints; 0 = only after the last step.", "save_interval"},
  Field{"checkpoint", "keep_last", integer<kCheckpoint, &CheckpointConfig::keep_last>(0, kMaxSteps),
        "Checkpoints that are kept; 0 = all.", "keep_latest_k"},
  Field{"checkpoint", "dir", text<kCheckpoint, &CheckpointConfig::dir>(true),
        "Where checkpoints are written; empty = checkpoints in run_dir.", "save folder"},
  Field{"checkpoint", "load", text<kCheckpoint, &CheckpointConfig::load>(true),
        "Checkpoint to start from; empty = the newest in dir, if there is one.", "resume"},

  Field{"observe", "trace_steps", integer_list<kObserve, &ObserveConfig::trace_steps>(),
        "Steps of which every task record is kept.", ""},
  Field{"observe", "ring_steps", integer<kObserve, &ObserveConfig::ring_steps>(1, 1 << 16),
        "Last steps whose task records a rank holds in shared memory.", ""},

  Field{"control", "timeout_seconds", real<kControl, &ControlConfig::timeout_seconds>(0, 1e9, Ends::open_below),
        "Seconds that a rank waits for its peers, in a step, at the start (a minute at least) and while a checkpoint is read or written, before it reports them as lost.", "distributed_timeout_minutes timeout"},
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

void apply_model_type_defaults(ModelConfig& model) {
  const bool llama = model.type == ModelType::llama;
  model.normalization = llama ? Normalization::rms_norm : Normalization::layer_norm;
  model.activation = llama ? Activation::swiglu : Activation::gelu;
  model.position_embedding = llama ? PositionEmbedding::rope : PositionEmbedding::learned;
  model.add_bias_linear = !llama;
  model.untie_embeddings_and_output_weights = llama;
}

}  // namespace megascale
