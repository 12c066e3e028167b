// Counts in floating point, which cannot wrap. The numbers of ops and tasks are rough; the bytes
// are an upper bound, since a sum of all activations of a layer stands for what is alive at once.
#include "megascale/job/plan_size.h"

#include <fmt/format.h>

#include <algorithm>

#include "megascale/base/error.h"
#include "megascale/config/derived.h"

namespace megascale::job {
namespace {

double real(std::int64_t value) { return static_cast<double>(value); }

// Ops of a layer, forward, backward and recomputation together, and the products among them.
constexpr double kOpsPerLayer = 60, kProductsPerLayer = 12;
// Ops that experts and latent attention add to a layer.
constexpr double kOpsOfExperts = 50, kOpsOfLatents = 30;
// Products before and after attention, and ops and transfers beside them, that are cut.
constexpr double kOpsAroundAttention = 20;
// Ops of a step that belong to no layer: of the batch, the loss, the norms and the optimizer.
constexpr double kOpsPerStage = 100;
// Bytes per element of the state: parameter, gradients of two uses, masters, two moments, rounded
// up. Bytes per element of an activation: itself and its gradient in float32.
constexpr double kStateNbytes = 32, kActivationNbytes = 8;

double ops_per_layer(const Config& config) {
  const double tensor = real(config.parallel.tensor_model_parallel_size),
               pieces = real(config.overlap.tensor_pieces),
               context = real(config.parallel.context_parallel_size),
               context_pieces = real(config.overlap.context_pieces);
  // A product that is cut becomes a product and a transfer for every piece of every rank.
  return kOpsPerLayer + (config.model.multi_latent_attention ? kOpsOfLatents : 0) +
         (tensor > 1 ? 2 * kProductsPerLayer * tensor * pieces : 0) +
         (context > 1 ? kOpsAroundAttention * (1 + context) * context_pieces : 0);
}

// Ops that experts add to a layer. With pieces, each of them has its own, and each rank its transfers if
// tokens are gathered.
double ops_of_experts(const Config& config) {
  const std::int64_t pieces = config.overlap.expert_pieces,
                     ranks = config.parallel.expert_model_parallel_size;
  return kOpsOfExperts * real(pieces == 0 ? 1 : std::max(pieces, ranks));
}

// Elements of the weights of the experts and routers of the whole model.
double expert_parameters(const Config& config) {
  const MoeConfig& moe = config.model.moe;
  const double width =
      real(moe.num_experts) * real(moe.ffn_hidden_size) + real(moe.shared_expert_intermediate_size);
  return real(layers_with_experts(config.model)) * real(config.model.hidden_size) *
         (3 * width + real(moe.num_experts));
}

// Elements of the activations of experts of one micro-batch, at the bound of rows.
double expert_activations(const Config& config) {
  const MoeConfig& moe = config.model.moe;
  if (moe.num_experts == 0) return 0;
  const double tokens = real(config.train.micro_batch_size) * real(config.model.seq_length),
               ranks = real(config.parallel.expert_model_parallel_size),
               rows = tokens * real(moe.router_topk) * (1 + ranks);
  return real(layers_with_experts(config.model)) *
         (rows * (4 * real(config.model.hidden_size) + 8 * real(moe.ffn_hidden_size) + 16) +
          tokens * (8 * real(moe.num_experts) + 8 * real(moe.shared_expert_intermediate_size)));
}

// Channels of all heads of queries, keys and values together.
double channels_of_heads(const ModelConfig& m) {
  return (real(m.num_attention_heads) + 2 * real(m.num_query_groups)) *
         real(std::max(m.head_dim, value_head_dim(m)));
}

// Elements of the latent vectors of a token.
double channels_of_latents(const ModelConfig& m) {
  if (!m.multi_latent_attention) return 0;
  return real(m.q_lora_rank) + real(m.kv_lora_rank) + real(m.qk_pos_emb_head_dim);
}

// Elements of the weights of the whole model.
double parameters(const Config& config) {
  const ModelConfig& m = config.model;
  const double hidden = real(m.hidden_size), heads = channels_of_heads(m),
               latents = channels_of_latents(m);
  const double of_layer = hidden * (2 * heads + 3 * real(m.ffn_hidden_size)) +
                          latents * (hidden + heads) +
                          8 * (hidden + heads + latents + real(m.ffn_hidden_size));
  const double tables = 2 * real(padded_vocab_size(config)) + real(m.max_position_embeddings);
  return real(m.num_layers) * of_layer + tables * hidden + expert_parameters(config);
}

// Elements of all activations of one micro-batch.
double activations(const Config& config) {
  const ModelConfig& m = config.model;
  const double tokens = real(config.train.micro_batch_size) * real(m.seq_length),
               heads = real(m.num_attention_heads) + 2 * real(m.num_query_groups);
  // Scores, probabilities and their gradients, if attention stores them.
  const double scores = config.kernels.flash_attention ? 8.0 : 6 * real(m.seq_length);
  const double of_layer =
      tokens * (16 * real(m.hidden_size) + 8 * (channels_of_heads(m) + channels_of_latents(m)) +
                8 * real(m.ffn_hidden_size) + heads * scores);
  const double positions = 2 * real(m.max_position_embeddings) * real(m.head_dim);
  return real(m.num_layers) * of_layer + 4 * tokens * real(padded_vocab_size(config)) + positions +
         expert_activations(config);
}

}  // namespace

PlanSize estimate_plan_size(const Config& config) {
  const double stages = real(config.parallel.pipeline_model_parallel_size),
               chunks = real(config.parallel.virtual_pipeline_size),
               micro_batches = real(num_micro_batches(config));
  const double ops_of_layers = real(config.model.num_layers) * ops_per_layer(config) +
                               real(layers_with_experts(config.model)) * ops_of_experts(config);
  return {.ops = ops_of_layers + stages * (chunks + 1) * kOpsPerStage,
          .tasks = (ops_of_layers + stages * chunks * 8) * micro_batches + stages * kOpsPerStage,
          // Slots: no more micro-batches are in flight than a step has.
          .rank_nbytes = kStateNbytes * parameters(config) +
                         kActivationNbytes * activations(config) * micro_batches};
}

void require_plan_size(const Config& config) {
  const PlanSize size = estimate_plan_size(config);
  if (size.ops > kMostPlanOps) {
    throw Error(ErrorCode::bad_usage,
                fmt::format("expected a plan of at most {:.0e} ops, estimated {:.1e} from "
                            "model.num_layers = {}, parallel.pipeline_model_parallel_size = {}, "
                            "parallel.tensor_model_parallel_size = {}, overlap.tensor_pieces = {}, "
                            "overlap.context_pieces = {}",
                            kMostPlanOps, size.ops, config.model.num_layers,
                            config.parallel.pipeline_model_parallel_size,
                            config.parallel.tensor_model_parallel_size,
                            config.overlap.tensor_pieces, config.overlap.context_pieces));
  }
  if (size.tasks > kMostPlanTasks) {
    throw Error(ErrorCode::bad_usage,
                fmt::format("expected a step of at most {:.0e} tasks, estimated {:.1e} from {} "
                            "micro-batches (train.global_batch_size = {}, train.micro_batch_size "
                            "= {}, data-parallel size {}), model.num_layers = {}, "
                            "parallel.tensor_model_parallel_size = {}, overlap.tensor_pieces = {}, "
                            "overlap.context_pieces = {}",
                            kMostPlanTasks, size.tasks, num_micro_batches(config),
                            config.train.global_batch_size, config.train.micro_batch_size,
                            data_parallel_size(config), config.model.num_layers,
                            config.parallel.tensor_model_parallel_size,
                            config.overlap.tensor_pieces, config.overlap.context_pieces));
  }
  if (size.rank_nbytes > kMostRankNbytes) {
    throw Error(ErrorCode::bad_usage,
                fmt::format("expected byte counts below 2^62, estimated {:.1e} bytes from "
                            "model.num_layers = {}, model.hidden_size = {}, "
                            "model.ffn_hidden_size = {}, model.seq_length = {}, "
                            "train.micro_batch_size = {} and {} micro-batches a step",
                            size.rank_nbytes, config.model.num_layers, config.model.hidden_size,
                            config.model.ffn_hidden_size, config.model.seq_length,
                            config.train.micro_batch_size, num_micro_batches(config)));
  }
}

}  // namespace megascale::job
