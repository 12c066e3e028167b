#ifndef MEGASCALE_GRAPH_ATTRIBUTE_NAMES_H_
#define MEGASCALE_GRAPH_ATTRIBUTE_NAMES_H_

#include <string_view>

// The names of the attributes of ops. Shape rules, kernels, passes and checks ask for an attribute
// by a constant of this file, so each name is spelled once. The declaration or definition of an op
// kind (graph/ops/) says which attributes it has.
// NOLINTBEGIN(readability-identifier-naming): each constant has the name of its attribute.
namespace megascale::graph::attribute {

using Name = std::string_view;

// Transfers, and the ops that pack or unpack their bytes.
inline constexpr Name axes = "axes";            // bits of the AxisSet of the group
inline constexpr Name ranks = "ranks";          // number of members of the group
inline constexpr Name dtype = "dtype";          // dtype of the elements, a DType
inline constexpr Name root = "root";            // index in the group
inline constexpr Name offset = "offset";        // distance to the member that a rank receives from
inline constexpr Name rows = "rows";            // rows that are sent or received, at most
inline constexpr Name mean_rows = "mean_rows";  // rows that are received on average
inline constexpr Name columns = "columns";      // columns that are sent or received
inline constexpr Name row_nbytes = "row_nbytes";  // bytes of a row
inline constexpr Name blocks = "blocks";          // equal parts of a flat buffer
inline constexpr Name scales = "scales";          // which elements share a scale, a Float8Scales
inline constexpr Name one_scale = "one_scale";    // 1: all scales of pack_float8 are the same one
inline constexpr Name backward = "backward";      // 1: against the direction of the pipeline

// Attention and rotary embedding.
inline constexpr Name heads = "heads";          // number of query heads
inline constexpr Name groups = "groups";        // number of key-value heads
inline constexpr Name head_dim = "head_dim";    // channels of a head
inline constexpr Name value_dim = "value_dim";  // channels of a head of values; absent: head_dim
inline constexpr Name sequence = "sequence";    // tokens of one sequence
inline constexpr Name window = "window";        // largest number of keys a query sees; 0: no limit
inline constexpr Name positions = "positions";  // rows of the table of angles
inline constexpr Name base = "base";            // base of the angles
inline constexpr Name soft_cap = "soft_cap";    // c of c tanh(x / c), of scores or logits; 0: none
// The scaling of the angles (graph/rope_scaling.h); absent without scaling.
inline constexpr Name scaling = "scaling";  // a RopeScalingKind; absent: llama3
inline constexpr Name scaling_factor = "scaling_factor";
inline constexpr Name low_turns = "low_turns";
inline constexpr Name high_turns = "high_turns";
inline constexpr Name original_positions = "original_positions";
inline constexpr Name divisors = "divisors";                  // of the frequencies, a list
inline constexpr Name attention_factor = "attention_factor";  // of cosines and sines; 0: by factor

// Products, norms, dropout and the loss.
inline constexpr Name fp8 = "fp8";        // 1: the operands of a product are rounded to 8 bits
inline constexpr Name format = "format";  // 0: e4m3; 1: e5m2, for gradients
inline constexpr Name sides = "sides";    // bits: what quantising writes, a QuantisedSides
// 1: the product of a weight gradient also sums the gradient of the bias
inline constexpr Name sums_bias = "sums_bias";
// 1: with few rows, the bits of a row of a product do not depend on the other rows, as decoding needs
inline constexpr Name separate_rows = "separate_rows";
inline constexpr Name epsilon = "epsilon";            // of a norm or of the optimizer
inline constexpr Name gamma_offset = "gamma_offset";  // added to the weights of a norm; absent: 0
inline constexpr Name whole = "whole";  // 1: one norm of all query heads, and one of all key heads
inline constexpr Name exact = "exact";  // 1: GELU by the error function; absent: the tanh form
inline constexpr Name centred = "centred";  // 1: the input of norm_normalise has mean 0
inline constexpr Name scale = "scale";      // factor of values, scores, or a router's weights
inline constexpr Name rate = "rate";        // share of the elements that dropout sets to 0
inline constexpr Name seed = "seed";        // train.seed, by which dropout draws
inline constexpr Name stream = "stream";    // the digest of the name under which an op draws
inline constexpr Name valid_vocabulary = "valid_vocabulary";  // later entries are padding
inline constexpr Name gradient = "gradient";  // 1: the gradient of the logits is wanted
inline constexpr Name beta = "beta";          // of preferences: nats to the unit of a reward
inline constexpr Name label_smoothing = "label_smoothing";  // of preferences: share of wrong pairs

// Routers and experts (graph/ops/expert_ops.h).
inline constexpr Name top_k = "top_k";      // experts of a token
inline constexpr Name experts = "experts";  // of the model
inline constexpr Name pieces = "pieces";    // blocks of rows with counts of their own
// The experts of each rank are divided into so many runs of neighbours, and an op works on one of them.
inline constexpr Name expert_pieces = "expert_pieces";    // absent: 1
inline constexpr Name expert_piece = "expert_piece";      // its number
inline constexpr Name of_rank = "of_rank";                // 1: of the experts of this rank only
inline constexpr Name affinities = "affinities";          // 1: scores of the choices are wanted
inline constexpr Name score_function = "score_function";  // 0: softmax, 1: sigmoid
// 1: of the ranks that share experts, not of those of a micro-batch. Absent: 0.
inline constexpr Name of_expert_group = "of_expert_group";
inline constexpr Name expert_tensor_ranks = "expert_tensor_ranks";  // with of_expert_group
inline constexpr Name expert_groups =
    "expert_groups";  // that a token chooses from; absent: any expert
inline constexpr Name groups_of_token = "groups_of_token";  // how many of them it chooses
inline constexpr Name group_best =
    "group_best";  // experts that say how good a group is; absent: top_k / groups_of_token
inline constexpr Name even_choices = "even_choices";  // 1: tokens have experts in turn; absent: 0
inline constexpr Name normalise = "normalise";  // 1: weights of a token are divided by their sum
inline constexpr Name aux_loss = "aux_loss";    // coefficient of the balancing loss
inline constexpr Name z_loss = "z_loss";        // coefficient of the z-loss
inline constexpr Name capacity = "capacity";    // choices that a group of experts keeps
inline constexpr Name capacity_factor =
    "capacity_factor";  // of the mean of the choices that are there; absent: no such limit
inline constexpr Name context_ranks = "context_ranks";  // that divide every sequence
inline constexpr Name device_groups = "device_groups";  // of consecutive experts; 0: none
inline constexpr Name device_loss = "device_loss";      // coefficient of the loss of groups' loads
inline constexpr Name communication_loss = "communication_loss";  // of the loss of tokens sent

// The optimizer.
inline constexpr Name shard_axes = "shard_axes";  // bits of the AxisSet that shares a flat buffer
inline constexpr Name shards = "shards";          // number of parts of the flat buffer
inline constexpr Name beta1 = "beta1";
inline constexpr Name beta2 = "beta2";
inline constexpr Name weight_decay = "weight_decay";
inline constexpr Name micro_batches = "micro_batches";  // of a rank in a step
inline constexpr Name bias_rate = "bias_rate";          // how far a step moves the bias of a choice
inline constexpr Name clip_norm = "clip_norm";  // largest norm of the gradients; 0: no clipping

}  // namespace megascale::graph::attribute
// NOLINTEND(readability-identifier-naming)

#endif  // MEGASCALE_GRAPH_ATTRIBUTE_NAMES_H_
