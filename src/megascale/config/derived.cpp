// Computes the numbers that follow from a configuration, such as the data-parallel size, and
// replaces "0 = VALUE" defaults. resolve() also runs on configurations that are not valid yet, so
// that the rules can check the resolved values. The arithmetic therefore yields 0 instead of
// overflowing or dividing by zero.
#include "megascale/config/derived.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "megascale/base/error.h"
#include "megascale/base/expert_capacity.h"
#include "megascale/base/numbers.h"
#include "megascale/base/run_directory.h"

namespace megascale {
namespace {

// Returns a x b, or 0 if a factor is not positive or the product overflows.
std::int64_t product(std::int64_t a, std::int64_t b) noexcept {
  std::int64_t result = 0;
  if (a <= 0 || b <= 0 || __builtin_mul_overflow(a, b, &result)) return 0;
  return result;
}

// Returns a + b, or 0 if the sum overflows.
std::int64_t sum(std::int64_t a, std::int64_t b) noexcept {
  std::int64_t result = 0;
  return __builtin_add_overflow(a, b, &result) ? 0 : result;
}

std::int64_t ranks_per_replica(const Config& config) noexcept {
  const ParallelConfig& p = config.parallel;
  return product(product(p.tensor_model_parallel_size, p.context_parallel_size),
                 p.pipeline_model_parallel_size);
}

}  // namespace

Config resolve(Config config) {
  ModelConfig& model = config.model;
  if (model.ffn_hidden_size == 0) model.ffn_hidden_size = product(4, model.hidden_size);
  if (model.moe.ffn_hidden_size == 0) model.moe.ffn_hidden_size = model.ffn_hidden_size;
  if (model.num_query_groups == 0) model.num_query_groups = model.num_attention_heads;
  if (model.head_dim == 0 && model.multi_latent_attention)
    model.head_dim = sum(model.qk_head_dim, model.qk_pos_emb_head_dim);
  if (model.head_dim == 0 && model.num_attention_heads > 0 &&
      model.hidden_size % model.num_attention_heads == 0) {
    model.head_dim = model.hidden_size / model.num_attention_heads;
  }
  if (model.max_position_embeddings == 0) model.max_position_embeddings = model.seq_length;
  if (config.train.global_batch_size == 0) {
    config.train.global_batch_size =
        product(config.train.micro_batch_size, data_parallel_size(config));
  }
  if (config.optimizer.lr_decay_iters == 0) {
    config.optimizer.lr_decay_iters = config.train.train_iters;
  }
  if (config.checkpoint.dir.empty())
    config.checkpoint.dir = RunDirectory(config.train.run_dir).checkpoints().string();
  return config;
}

std::int64_t world_size(const Config& config) noexcept {
  return config.parallel.world_size != 0 ? config.parallel.world_size : ranks_per_replica(config);
}

std::int64_t data_parallel_size(const Config& config) noexcept {
  const std::int64_t replica = ranks_per_replica(config);
  return replica > 0 ? world_size(config) / replica : 0;
}

std::int64_t expert_tensor_parallel_size(const Config& config) noexcept {
  const ParallelConfig& p = config.parallel;
  return p.expert_tensor_parallel_size != 0 ? p.expert_tensor_parallel_size
                                            : p.tensor_model_parallel_size;
}

std::int64_t num_micro_batches(const Config& config) noexcept {
  const std::int64_t sequences = product(config.train.micro_batch_size, data_parallel_size(config));
  if (sequences == 0) return 0;
  return config.train.global_batch_size == 0 ? 1 : config.train.global_batch_size / sequences;
}

std::int64_t data_parallel_buckets(const Config& config, std::int64_t zero_stage) noexcept {
  const ParallelConfig& parallel = config.parallel;
  if (parallel.data_parallel_buckets > 0) return parallel.data_parallel_buckets;
  // Chunks share the number. Beside its layers a chunk may have the embedding, the last norm and the head.
  return zero_stage == 3 ? (config.model.num_layers + 3) * parallel.virtual_pipeline_size : 8;
}

std::int64_t padded_vocab_size(const Config& config) noexcept {
  const std::int64_t multiple = std::lcm(config.model.make_vocab_size_divisible_by,
                                         config.parallel.tensor_model_parallel_size);
  MEGASCALE_CHECK(multiple > 0, "the configuration is valid");
  return (config.model.vocab_size + multiple - 1) / multiple * multiple;
}

std::vector<std::int64_t> layers_of_chunks(const Config& config) {
  const ParallelConfig& p = config.parallel;
  if (!p.pipeline_layers.empty()) return p.pipeline_layers;
  const std::int64_t chunks = p.pipeline_model_parallel_size * p.virtual_pipeline_size;
  const std::int64_t embedding = p.account_for_embedding_in_pipeline_split ? 1 : 0,
                     loss = p.account_for_loss_in_pipeline_split ? 1 : 0;
  std::vector<std::int64_t> layers(static_cast<std::size_t>(chunks),
                                   (config.model.num_layers + embedding + loss) / chunks);
  layers.front() -= embedding;
  layers.back() -= loss;
  return layers;
}

std::int64_t window_of_layer(const ModelConfig& model, std::int64_t layer) noexcept {
  const std::int64_t every = model.window_attn_skip_freq;
  const bool is_full =
      layer < model.full_attention_layers || (every > 0 && (layer + 1) % every == 0);
  return is_full ? 0 : model.sliding_window;
}

std::int64_t rotary_channels(const ModelConfig& model) noexcept {
  if (model.multi_latent_attention) return model.qk_pos_emb_head_dim;
  return static_cast<std::int64_t>(static_cast<double>(model.head_dim) * model.rotary_percent);
}

std::int64_t value_head_dim(const ModelConfig& model) noexcept {
  return model.multi_latent_attention ? model.v_head_dim : model.head_dim;
}

std::int64_t cached_channels(const ModelConfig& model) noexcept {
  return model.multi_latent_attention ? model.kv_lora_rank + model.qk_pos_emb_head_dim
                                      : model.num_query_groups * 2 * model.head_dim;
}

namespace {

// By how much YaRN lets rotated vectors grow where a configuration gives the multiple m of the growth.
double yarn_growth(const ModelConfig& model, double m) {
  return 0.1 * m * std::log(model.rope_scaling_factor) + 1;
}

bool has_yarn(const ModelConfig& model) {
  return model.use_rope_scaling && model.rope_scaling_type == RopeScalingType::yarn;
}

}  // namespace

double attention_scale(const ModelConfig& model) {
  const double scalar = model.query_pre_attn_scalar;
  const bool grows =
      model.multi_latent_attention && has_yarn(model) && model.rope_mscale_all_dim > 0;
  if (!grows) return scalar > 0 ? 1 / std::sqrt(scalar) : 0;
  const double growth = yarn_growth(model, model.rope_mscale_all_dim);
  return growth * growth / std::sqrt(scalar > 0 ? scalar : static_cast<double>(model.head_dim));
}

double rotated_factor(const ModelConfig& model) {
  const double of_rope = model.rope_mscale, of_all = model.rope_mscale_all_dim;
  if (!has_yarn(model) || of_rope <= 0 || of_all <= 0) return model.rope_attention_factor;
  return yarn_growth(model, of_rope) / yarn_growth(model, of_all);
}

bool has_experts(const ModelConfig& model, std::int64_t layer) noexcept {
  const MoeConfig& moe = model.moe;
  return moe.num_experts > 0 && layer >= moe.first_dense_layers &&
         (layer - moe.first_dense_layers) % moe.layer_freq == 0;
}

bool has_adapter(const ModelConfig& model, std::string_view target) noexcept {
  const std::vector<std::string>& targets = model.lora.targets;
  return has_adapters(model) && std::find(targets.begin(), targets.end(), target) != targets.end();
}

std::int64_t layers_with_experts(const ModelConfig& model) noexcept {
  const MoeConfig& moe = model.moe;
  if (moe.num_experts == 0 || moe.first_dense_layers >= model.num_layers) return 0;
  return (model.num_layers - moe.first_dense_layers + moe.layer_freq - 1) / moe.layer_freq;
}

std::int64_t layers_with_experts_before(const ModelConfig& model, std::int64_t layer) noexcept {
  ModelConfig before = model;
  before.num_layers = layer;
  return layers_with_experts(before);
}

std::filesystem::path routing_directory(const Config& config) {
  const std::string& stated = config.model.moe.routing_replay_dir;
  return stated.empty() ? RunDirectory(config.train.run_dir).path() / "routing"
                        : std::filesystem::path(stated);
}

std::int64_t routing_records(const ModelConfig& model) noexcept {
  return layers_with_experts(model) * (model.moe.num_experts + kRoutingRecords);
}

std::int64_t step_records(const Config& config) noexcept {
  return routing_records(config.model) + (has_preferences(config) ? kPreferenceRecords : 0);
}

std::int64_t capacity_groups(const MoeConfig& moe) noexcept {
  return moe.device_groups > 0 ? moe.device_groups : moe.num_experts;
}

std::int64_t expert_capacity(const MoeConfig& moe, std::int64_t tokens) noexcept {
  return expert_capacity(moe.expert_capacity_factor, tokens * moe.router_topk,
                         capacity_groups(moe));
}

namespace {

// Returns the rows for which memory is placed, from the mean and the worst case.
std::int64_t bound_of(const MoeConfig& moe, const ExpertRows& rows) noexcept {
  if (moe.rows_bound == 0) return rows.worst;
  const double bound = std::ceil(moe.rows_bound * static_cast<double>(rows.mean));
  return bound < static_cast<double>(rows.worst) ? static_cast<std::int64_t>(bound) : rows.worst;
}

}  // namespace

ExpertRows expert_rows(const MoeConfig& moe, std::int64_t tokens, std::int64_t expert_ranks,
                       std::int64_t tokens_dropped_together) noexcept {
  ExpertRows rows;
  rows.sent = rows.mean = tokens * moe.router_topk;
  const std::int64_t of_rank = moe.num_experts / expert_ranks;
  rows.worst = expert_ranks * tokens * std::min(moe.router_topk, of_rank);
  const std::int64_t groups = capacity_groups(moe), arriving = expert_ranks * tokens;
  // A capacity bounds the rows of a rank that has whole groups, if the tokens that may arrive are those of
  // whole micro-batches, or of one. Exempt sequences can exceed it.
  if (tokens_dropped_together > 0 && moe.capacity_exempt_share == 0 && groups % expert_ranks == 0 &&
      (arriving % tokens_dropped_together == 0 || tokens_dropped_together % arriving == 0)) {
    const std::int64_t micro_batches =
        std::max<std::int64_t>(1, arriving / tokens_dropped_together);
    rows.worst = std::min(rows.worst, groups / expert_ranks * micro_batches *
                                          expert_capacity(moe, tokens_dropped_together));
  }
  rows.bound = bound_of(moe, rows);
  return rows;
}

ExpertRows expert_rows_of_piece(const MoeConfig& moe, std::int64_t tokens,
                                std::int64_t expert_ranks, std::int64_t pieces) noexcept {
  const std::int64_t experts = moe.num_experts / expert_ranks / pieces;
  ExpertRows rows;
  rows.sent = tokens * moe.router_topk;
  rows.mean = std::max<std::int64_t>(rows.sent / pieces, 1);
  rows.worst = expert_ranks * tokens * std::min(moe.router_topk, experts);
  rows.bound = bound_of(moe, rows);
  return rows;
}

std::int64_t tokens_of_expert_rank(const Config& config) noexcept {
  const ParallelConfig& p = config.parallel;
  return config.train.micro_batch_size * config.model.seq_length /
         (p.tensor_model_parallel_size * p.context_parallel_size) *
         expert_tensor_parallel_size(config);
}

ExpertRows expert_rows(const Config& config) noexcept {
  const std::int64_t of_micro_batch = config.train.micro_batch_size * config.model.seq_length;
  const std::int64_t tokens = tokens_of_expert_rank(config);
  const MoeConfig& moe = config.model.moe;
  const std::int64_t ranks = config.parallel.expert_model_parallel_size,
                     pieces = config.overlap.expert_pieces;
  const bool is_cut = cuts_experts(moe, pieces, ranks);
  // A piece has room for all rows that its tokens can ever have.
  const bool drops = moe.expert_capacity_factor > 0 && !is_cut;
  ExpertRows rows = expert_rows(moe, tokens, ranks, drops ? of_micro_batch : 0);
  if (is_cut && !gathers_tokens(moe, ranks))
    rows.bound = pieces * expert_rows_of_piece(moe, tokens, ranks, pieces).bound;
  return rows;
}

DispatchVolume dispatch_volume(const MoeConfig& moe, std::int64_t tokens,
                               std::int64_t expert_ranks) noexcept {
  const auto others = static_cast<double>(expert_ranks - 1);
  const auto choices = static_cast<double>(tokens) * static_cast<double>(moe.router_topk);
  return {.alltoall = 2 * choices * others / static_cast<double>(expert_ranks),
          .allgather = 2 * static_cast<double>(tokens) * others};
}

bool gathers_tokens(const MoeConfig& moe, std::int64_t expert_ranks) noexcept {
  if (expert_ranks == 1) return false;
  if (moe.token_dispatcher_type != TokenDispatcher::automatic)
    return moe.token_dispatcher_type == TokenDispatcher::allgather;
  const DispatchVolume rows = dispatch_volume(moe, 1, expert_ranks);
  return rows.allgather < rows.alltoall / kAllToAllRate;
}

bool cuts_experts(const MoeConfig& moe, std::int64_t pieces, std::int64_t expert_ranks) noexcept {
  return moe.num_experts > 0 && expert_ranks > 1 &&
         pieces > (gathers_tokens(moe, expert_ranks) ? 0 : 1);
}

std::int64_t tokens_per_step(const Config& config) noexcept {
  return config.train.micro_batch_size * data_parallel_size(config) * num_micro_batches(config) *
         config.model.seq_length;
}

std::optional<std::array<double, 3>> parse_split(std::string_view split) {
  std::array<double, 3> shares{};
  double sum = 0;
  std::size_t count = 0;
  for (std::size_t at = 0; at <= split.size();) {
    const std::size_t comma = std::min(split.find(',', at), split.size());
    const std::string_view part = split.substr(at, comma - at);
    const auto share = parse_number<double>(part);
    if (count == shares.size() || !share || *share < 0) return std::nullopt;
    shares[count++] = *share;
    sum += *share;
    at = comma + 1;
  }
  if (!(sum > 0) || !std::isfinite(sum)) return std::nullopt;
  for (double& share : shares) share /= sum;
  return shares;
}

}  // namespace megascale
