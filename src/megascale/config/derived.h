#ifndef MEGASCALE_CONFIG_DERIVED_H_
#define MEGASCALE_CONFIG_DERIVED_H_

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "megascale/config/config.h"

// Numbers that follow from a configuration. All functions but resolve() and parse_split() expect a
// configuration that validate() accepts. All are pure; any thread may call them.
namespace megascale {

// Returns `config` with every "0 = VALUE" replaced by its value (config.h names the four keys that
// keep their 0). It also accepts a configuration that is not valid: a value that cannot be computed
// stays 0. resolve(resolve(c)) == resolve(c).
[[nodiscard]] Config resolve(Config config);

// Returns the number of ranks: parallel.world_size, or, if that is 0, tensor x context x pipeline
// size, which gives data-parallel size 1. The command line passes --ranks or the launcher's
// WORLD_SIZE as an override of the key, so 0 means that none of them is given.
[[nodiscard]] std::int64_t world_size(const Config& config) noexcept;
// Returns the number of ranks that hold the same parameters: world_size / (tensor x context x
// pipeline size).
[[nodiscard]] std::int64_t data_parallel_size(const Config& config) noexcept;
// Returns the number of ranks that share each expert: parallel.expert_tensor_parallel_size, or, if
// that is 0, the tensor-parallel size.
[[nodiscard]] std::int64_t expert_tensor_parallel_size(const Config& config) noexcept;
// Returns the micro-batches of every rank per step: global_batch_size / (micro_batch_size x
// data-parallel size).
[[nodiscard]] std::int64_t num_micro_batches(const Config& config) noexcept;
// Returns the most buckets of a rank with this stage of ZeRO: those of the key, or of its default.
[[nodiscard]] std::int64_t data_parallel_buckets(const Config& config,
                                                 std::int64_t zero_stage) noexcept;
// Returns the rows of the embedding: vocab_size, rounded up to a multiple of
// lcm(make_vocab_size_divisible_by, tensor-parallel size). Megatron rounds up to a multiple of the
// product, so its embedding has a different shape at every tensor-parallel size. The lcm is the
// same for all sizes that divide make_vocab_size_divisible_by, so shapes and checkpoints do not
// depend on the layout.
[[nodiscard]] std::int64_t padded_vocab_size(const Config& config) noexcept;
// Returns the number of layers of every chunk of the pipeline, in the order of the model:
// parallel.pipeline_layers, or, if that is empty, equal numbers. Where the embedding or the head
// counts as a layer, the first or the last chunk has one layer less.
[[nodiscard]] std::vector<std::int64_t> layers_of_chunks(const Config& config);
// Returns the sliding window of this layer, counted from 0; 0: full causal attention.
[[nodiscard]] std::int64_t window_of_layer(const ModelConfig& model, std::int64_t layer) noexcept;
// Returns how many channels of a head are rotated.
[[nodiscard]] std::int64_t rotary_channels(const ModelConfig& model) noexcept;
// Returns the channels of a head of values.
[[nodiscard]] std::int64_t value_head_dim(const ModelConfig& model) noexcept;
// Returns the channels that decoding keeps of a token in each layer: keys and values of all heads, or the
// latent vector and the rotated channels of the key.
[[nodiscard]] std::int64_t cached_channels(const ModelConfig& model) noexcept;
// Returns the factor of attention's scores; 0: 1 / sqrt(head_dim).
[[nodiscard]] double attention_scale(const ModelConfig& model);
// Returns the factor of rotated queries and keys with yarn or longrope; 0: it follows from
// rope_scaling_factor.
[[nodiscard]] double rotated_factor(const ModelConfig& model);
// Returns whether the MLP has a gate beside its up projection.
[[nodiscard]] inline bool is_gated(Activation activation) noexcept {
  return activation == Activation::swiglu || activation == Activation::geglu;
}
// Returns whether the MLP of this layer, counted from 0, is a mixture of experts.
[[nodiscard]] bool has_experts(const ModelConfig& model, std::int64_t layer) noexcept;
// The linear layers that may have adapters, by Megatron's names: query, key and value; the output of
// attention; the first product of the MLP (gate and up where it has a gate); its last one. In a layer with
// experts the MLPs are those of all experts, the shared one too.
inline constexpr std::array<std::string_view, 4> kAdapterTargets{"linear_qkv", "linear_proj",
                                                                 "linear_fc1", "linear_fc2"};
// Returns whether the model has adapters.
[[nodiscard]] inline bool has_adapters(const ModelConfig& model) noexcept {
  return model.lora.rank > 0;
}
// Returns whether the linear layers of this name have adapters.
[[nodiscard]] bool has_adapter(const ModelConfig& model, std::string_view target) noexcept;
// Returns the number of layers with experts.
[[nodiscard]] std::int64_t layers_with_experts(const ModelConfig& model) noexcept;
// Returns the number of layers with experts before this one.
[[nodiscard]] std::int64_t layers_with_experts_before(const ModelConfig& model,
                                                      std::int64_t layer) noexcept;
// The numbers that a step records about the routing of a layer: the loads of all experts, then these.
enum class RoutingRecord : std::uint8_t { dropped, aux_loss, z_loss };
inline constexpr std::int64_t kRoutingRecords = 3;
// Returns the folder of the files of moe.routing_replay.
[[nodiscard]] std::filesystem::path routing_directory(const Config& config);
// Returns how many numbers a step records about all layers.
[[nodiscard]] std::int64_t routing_records(const ModelConfig& model) noexcept;
// Returns whether the run trains on preferences.
[[nodiscard]] inline bool has_preferences(const Config& config) noexcept {
  return config.preference.beta > 0;
}
// The sums over the pairs of a step that it records if it trains on preferences: the rewards of the chosen
// and of the rejected answers, and the number of pairs whose chosen answer has the larger reward.
enum class PreferenceRecord : std::uint8_t { chosen, rejected, accurate };
inline constexpr std::int64_t kPreferenceRecords = 3;
// Returns how many numbers a step records (graph::Role::record): those of routing, then those of preferences.
[[nodiscard]] std::int64_t step_records(const Config& config) noexcept;
// The rows (copies of tokens) that arrive at the experts of a rank in one layer and micro-batch.
struct ExpertRows {
  std::int64_t sent = 0;   // by every rank: its tokens x router_topk
  std::int64_t mean = 0;   // that arrive if all experts are chosen equally often; equals `sent`
  std::int64_t worst = 0;  // that can ever arrive: every token of the expert group chooses as many
                           // experts of this rank as it can
  std::int64_t bound = 0;  // for which memory is placed: worst, or less by moe.rows_bound
};
// `tokens`: of a rank between layers. `tokens_dropped_together`: those of a micro-batch on all its ranks,
// if choices are dropped by moe.expert_capacity_factor; else 0.
[[nodiscard]] ExpertRows expert_rows(const MoeConfig& moe, std::int64_t tokens,
                                     std::int64_t expert_ranks,
                                     std::int64_t tokens_dropped_together) noexcept;
// The same for the rows of one piece of each rank's experts, if they are cut into `pieces` pieces
// (overlap.expert_pieces).
[[nodiscard]] ExpertRows expert_rows_of_piece(const MoeConfig& moe, std::int64_t tokens,
                                              std::int64_t expert_ranks,
                                              std::int64_t pieces) noexcept;
// Returns how many choices of a micro-batch of `tokens` each group of experts keeps.
[[nodiscard]] std::int64_t expert_capacity(const MoeConfig& moe, std::int64_t tokens) noexcept;
// Returns the number of groups that expert_capacity() holds for.
[[nodiscard]] std::int64_t capacity_groups(const MoeConfig& moe) noexcept;
// The same for a rank of the job, in training. With experts in pieces, `bound` is the memory of all pieces.
[[nodiscard]] ExpertRows expert_rows(const Config& config) noexcept;
// Returns the tokens of a micro-batch that an expert rank dispatches: those of all ranks that share an
// expert.
[[nodiscard]] std::int64_t tokens_of_expert_rank(const Config& config) noexcept;
// Rows that leave a rank in one layer and micro-batch, forward: to the experts and back.
struct DispatchVolume {
  double alltoall = 0, allgather = 0;
};
[[nodiscard]] DispatchVolume dispatch_volume(const MoeConfig& moe, std::int64_t tokens,
                                             std::int64_t expert_ranks) noexcept;
// The rate of an all_to_all relative to that of an all_gather: 57 of 76 GB/s for a rank of 8 H800
// (arXiv 2505.11432, figure 7). Every rank talks to all others, not to its neighbours in a ring.
inline constexpr double kAllToAllRate = 0.75;
// Returns whether tokens are dispatched by all_gather and reduce_scatter: as configured, or, if that
// is auto, if it takes less time at these rates.
[[nodiscard]] bool gathers_tokens(const MoeConfig& moe, std::int64_t expert_ranks) noexcept;
// Returns whether experts are cut into `pieces` (overlap.expert_pieces): by rank, if tokens are gathered,
// which also with one piece changes how tokens travel; else by expert.
[[nodiscard]] bool cuts_experts(const MoeConfig& moe, std::int64_t pieces,
                                std::int64_t expert_ranks) noexcept;
// Returns the tokens of one global batch.
[[nodiscard]] std::int64_t tokens_per_step(const Config& config) noexcept;

// Returns the shares of training, validation and test data, scaled to the sum 1. `split` is the
// text of data.split: one to three numbers, such as "969,30,1"; missing ones are 0. Returns nothing
// if the text is no such list, a share is negative, or all shares are 0.
[[nodiscard]] std::optional<std::array<double, 3>> parse_split(std::string_view split);

}  // namespace megascale

#endif  // MEGASCALE_CONFIG_DERIVED_H_
