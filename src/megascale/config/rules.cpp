// The table of rules between keys, such as divisibility by parallel sizes, and the check of a
// configuration against ranges and rules. A rule states what is expected (`law`), which keys it
// depends on, and a predicate. Laws are parts of messages ("expected LAW; found key = value, ...")
// and of docs/configuration.md.
#include "megascale/config/rules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "megascale/base/error.h"
#include "megascale/config/architecture_rules.h"
#include "megascale/config/batch_phases.h"
#include "megascale/config/course_rules.h"
#include "megascale/config/derived.h"
#include "megascale/config/expert_rules.h"
#include "megascale/config/fields.h"
#include "megascale/config/load.h"
#include "megascale/config/preference_rules.h"

namespace megascale {
namespace {

bool is_built_in(std::string_view schedule) {
  return schedule == "gpipe" || schedule == "1f1b" || schedule == "interleaved" ||
         schedule == "zb-h1";
}
std::int64_t tensor_context(const Config& c) {
  return c.parallel.tensor_model_parallel_size * c.parallel.context_parallel_size;
}
bool layout_fits(const Config& c) {
  return world_size(c) % (tensor_context(c) * c.parallel.pipeline_model_parallel_size) == 0;
}
// The ranks of a pipeline stage, which experts cut in their own way.
bool experts_fit(const Config& c) {
  const std::int64_t stage = world_size(c) / c.parallel.pipeline_model_parallel_size;
  return stage % (expert_tensor_parallel_size(c) * c.parallel.expert_model_parallel_size) == 0;
}
std::int64_t chunks_of_model(const Config& c) {
  return c.parallel.pipeline_model_parallel_size * c.parallel.virtual_pipeline_size;
}
bool layers_divide(const Config& c) {
  const std::int64_t counted = c.model.num_layers +
                               (c.parallel.account_for_embedding_in_pipeline_split ? 1 : 0) +
                               (c.parallel.account_for_loss_in_pipeline_split ? 1 : 0);
  return counted % chunks_of_model(c) == 0;
}
bool layer_list_fits(const Config& c) {
  const std::vector<std::int64_t>& layers = c.parallel.pipeline_layers;
  if (layers.empty()) return true;
  if (static_cast<std::int64_t>(layers.size()) != chunks_of_model(c)) return false;
  std::int64_t left = c.model.num_layers;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const bool may_be_empty = i == 0 || i + 1 == layers.size();
    if (layers[i] > left || (layers[i] == 0 && !may_be_empty)) return false;
    left -= layers[i];
  }
  return left == 0;
}
bool has_whole_micro_batches(const Config& c) {
  return c.train.global_batch_size % (c.train.micro_batch_size * data_parallel_size(c)) == 0;
}
bool is_empty_or_three(const std::vector<std::int64_t>& ramp) {
  constexpr std::int64_t kMostSamples = std::int64_t{1} << 62;
  return ramp.empty() ||
         (ramp.size() == 3 && std::find(ramp.begin(), ramp.end(), 0) == ramp.end() &&
          ramp.back() <= kMostSamples);
}
// Returns whether `fits` holds for every size of the global batch. True if there are no sizes: rules of
// their own report a ramp that cannot be.
template <class Fits>
bool every_batch_fits(const Config& c, const Fits& fits) {
  if (c.train.rampup_batch_size.empty()) return fits(c);
  if (!is_ramp(c.train) || batch_increments(c.train) >= kMostBatchSizes) return true;
  const std::vector<std::int64_t> sizes = batch_sizes(c.train);
  return std::all_of(sizes.begin(), sizes.end(),
                     [&](std::int64_t size) { return fits(with_batch_size(c, size)); });
}
// Returns the extents of the products of attention on a tensor rank, without hidden_size.
std::vector<std::int64_t> extents_of_attention(const ModelConfig& m, std::int64_t tensor) {
  const std::int64_t heads = m.num_attention_heads, values = value_head_dim(m);
  std::vector<std::int64_t> extents{heads * values / tensor};
  if (m.multi_latent_attention) {
    extents.insert(extents.end(),
                   {m.kv_lora_rank, m.qk_pos_emb_head_dim, m.q_lora_rank,
                    heads * m.head_dim / tensor, heads * (m.qk_head_dim + values) / tensor});
  } else {
    extents.push_back((heads + 2 * m.num_query_groups) * m.head_dim / tensor);
  }
  return extents;
}
// FP8 matrix products need extents that are multiples of 16. Checks every extent of the layers'
// matrix products on one rank but the rows of experts, which may be any number.
bool fits_fp8(const Config& c) {
  const std::int64_t tensor = c.parallel.tensor_model_parallel_size;
  const ModelConfig& m = c.model;
  const std::int64_t tokens =
      c.train.micro_batch_size * m.seq_length / c.parallel.context_parallel_size;
  std::vector<std::int64_t> extents = extents_of_attention(m, tensor);
  extents.insert(extents.end(), {m.hidden_size, m.ffn_hidden_size / tensor, tokens});
  if (m.multi_latent_attention) extents.push_back(tokens / tensor);  // of latent vectors
  if (tensor > 1 && c.overlap.tensor_pieces > 0)
    extents.push_back(tokens / tensor / c.overlap.tensor_pieces);
  if (m.moe.num_experts > 0) {
    extents.push_back(m.moe.ffn_hidden_size / expert_tensor_parallel_size(c));
    const std::int64_t shared = m.moe.shared_expert_intermediate_size;
    // Each tensor rank has a whole shared expert, for its own tokens.
    const bool is_whole = shared > 0 && c.parallel.replicate_shared_experts;
    extents.push_back(is_whole ? shared : shared / tensor);
    if (is_whole) extents.push_back(tokens / tensor);
  }
  return std::all_of(extents.begin(), extents.end(),
                     [](std::int64_t extent) { return extent % 16 == 0; });
}

// Rounding to 8 bits works on rows of a multiple of four values.
bool fits_e4m3(const Config& c) {
  const std::int64_t tensor = c.parallel.tensor_model_parallel_size;
  const ModelConfig& m = c.model;
  const auto fits = [](std::int64_t width, std::int64_t ranks) { return width / ranks % 4 == 0; };
  const std::vector<std::int64_t> attention = extents_of_attention(m, tensor);
  return std::all_of(attention.begin(), attention.end(),
                     [&](std::int64_t extent) { return fits(extent, 1); }) &&
         fits(m.hidden_size, 1) && fits(m.ffn_hidden_size, tensor) &&
         fits(m.moe.ffn_hidden_size, expert_tensor_parallel_size(c)) &&
         fits(m.moe.shared_expert_intermediate_size, tensor);
}

std::vector<Rule> model_rules() {
  return {
      {{"model.hidden_size", "model.num_attention_heads", "model.head_dim"},
       "hidden_size to be a multiple of num_attention_heads, unless head_dim is set",
       [](const Config& c) { return c.model.head_dim > 0; }},
      {{"model.num_attention_heads", "model.num_query_groups"},
       "num_attention_heads to be a multiple of num_query_groups",
       [](const Config& c) { return c.model.num_attention_heads % c.model.num_query_groups == 0; }},
      {{"model.max_position_embeddings", "model.seq_length", "model.position_embedding"},
       "max_position_embeddings >= seq_length if positions are learned",
       [](const Config& c) {
         return c.model.position_embedding != PositionEmbedding::learned ||
                c.model.max_position_embeddings >= c.model.seq_length;
       }},
      {{"model.attention_dropout", "train.device", "kernels.fused"},
       "attention_dropout 0 unless device is cpu and fused is true: other kernels have no dropout",
       [](const Config& c) {
         return c.model.attention_dropout == 0 ||
                (c.train.device == DeviceKind::cpu && c.kernels.fused);
       }},
      {{"model.hidden_dropout", "train.device"},
       "hidden_dropout 0 unless device is cpu",
       [](const Config& c) {
         return c.model.hidden_dropout == 0 || c.train.device == DeviceKind::cpu;
       }},
      {{"kernels.fused", "train.device"},
       "fused to be true if device is cuda: the chains of single operations have CPU kernels only",
       [](const Config& c) { return c.kernels.fused || c.train.device == DeviceKind::cpu; }},
  };
}

std::vector<Rule> float8_rules() {
  return {
      {{"model.fp8", "model.dtype"},
       "fp8 hybrid only if dtype is bfloat16, and e4m3 only if it is float32",
       [](const Config& c) {
         if (c.model.fp8 == Fp8Format::none) return true;
         const DType dtype = c.model.fp8 == Fp8Format::hybrid ? DType::bfloat16 : DType::float32;
         return c.model.dtype == dtype;
       }},
      {{"model.fp8", "overlap.tensor_pieces", "overlap.context_pieces"},
       "fp8 only if context_pieces is 0, and e4m3 only if tensor_pieces is 0 too",
       [](const Config& c) {
         if (c.model.fp8 == Fp8Format::none) return true;
         return c.overlap.context_pieces == 0 &&
                (c.overlap.tensor_pieces == 0 || c.model.fp8 == Fp8Format::hybrid);
       }},
      {{"model.fp8", "train.device"},
       "fp8 e4m3 only if device is cpu",
       [](const Config& c) {
         return c.model.fp8 != Fp8Format::e4m3 || c.train.device == DeviceKind::cpu;
       }},
      {{"model.fp8_recipe", "model.fp8"},
       "fp8_recipe rowwise only if fp8 is e4m3",
       [](const Config& c) {
         return c.model.fp8_recipe == Fp8Recipe::tensorwise || c.model.fp8 == Fp8Format::e4m3;
       }},
      {{"model.fp8_param_gather", "model.fp8"},
       "fp8_param_gather only if fp8 is e4m3: parameters are kept in the format of the products",
       [](const Config& c) { return !c.model.fp8_param_gather || c.model.fp8 == Fp8Format::e4m3; }},
      {{"model.fp8", "model.hidden_size", "model.head_dim", "model.kv_lora_rank",
        "model.q_lora_rank", "model.v_head_dim", "model.ffn_hidden_size", "moe.ffn_hidden_size",
        "moe.shared_expert_intermediate_size", "train.micro_batch_size", "model.seq_length",
        "parallel.tensor_model_parallel_size", "parallel.expert_tensor_parallel_size",
        "parallel.replicate_shared_experts", "overlap.tensor_pieces"},
       "with fp8 hybrid multiples of 16 for hidden_size, the widths of qkv, latent vectors, MLP "
       "and experts per "
       "tensor rank, and the tokens of a micro-batch on a rank, with replicate_shared_experts on "
       "a tensor rank, with tensor_pieces in a piece of a tensor rank",
       [](const Config& c) { return c.model.fp8 != Fp8Format::hybrid || fits_fp8(c); }},
      {{"model.fp8", "model.hidden_size", "model.head_dim", "model.kv_lora_rank",
        "model.q_lora_rank", "model.v_head_dim", "model.ffn_hidden_size", "moe.ffn_hidden_size",
        "moe.shared_expert_intermediate_size", "parallel.tensor_model_parallel_size",
        "parallel.expert_tensor_parallel_size"},
       "with fp8 e4m3 multiples of 4 for hidden_size and, per tensor rank, the widths of heads, "
       "latent vectors, MLP "
       "and experts",
       [](const Config& c) { return c.model.fp8 != Fp8Format::e4m3 || fits_e4m3(c); }},
  };
}

std::vector<Rule> device_rules() {
  return {
      {{"overlap.symmetric_memory", "train.device"},
       "symmetric_memory only if device is cuda",
       [](const Config& c) {
         return !c.overlap.symmetric_memory || c.train.device == DeviceKind::cuda;
       }},
      {{"parallel.wire_checksums", "train.device"},
       "wire_checksums only if device is cpu: NCCL's messages carry no digests",
       [](const Config& c) {
         return !c.parallel.wire_checksums || c.train.device == DeviceKind::cpu;
       }},
      {{"train.repeat_interval", "train.device"},
       "repeat_interval 0 unless device is cpu",
       [](const Config& c) {
         return c.train.repeat_interval == 0 || c.train.device == DeviceKind::cpu;
       }},
  };
}

std::vector<Rule> tokenizer_rules() {
  return {
      {{"model.vocab_size", "data.tokenizer"},
       "vocab_size >= 256 with the byte tokenizer",
       [](const Config& c) { return c.data.tokenizer != "byte" || c.model.vocab_size >= 256; }},
  };
}

std::string names_of_targets() { return fmt::format("{}", fmt::join(kAdapterTargets, ", ")); }

bool targets_are_known(const LoraConfig& lora) {
  const std::set<std::string_view> targets(lora.targets.begin(), lora.targets.end());
  return !targets.empty() && targets.size() == lora.targets.size() &&
         std::all_of(targets.begin(), targets.end(), [](std::string_view target) {
           return std::find(kAdapterTargets.begin(), kAdapterTargets.end(), target) !=
                  kAdapterTargets.end();
         });
}

// Returns the smallest extent of the weights that the targets name.
std::int64_t smallest_adapted_extent(const ModelConfig& m) {
  std::int64_t smallest = m.hidden_size;  // an extent of every target
  if (has_adapter(m, "linear_proj"))
    smallest = std::min(smallest, m.num_attention_heads * value_head_dim(m));
  if (!has_adapter(m, "linear_fc1") && !has_adapter(m, "linear_fc2")) return smallest;
  const std::int64_t routed = layers_with_experts(m);
  if (routed < m.num_layers) smallest = std::min(smallest, m.ffn_hidden_size);
  if (routed == 0) return smallest;
  smallest = std::min(smallest, m.moe.ffn_hidden_size);
  const std::int64_t shared = m.moe.shared_expert_intermediate_size;
  if (shared > 0) smallest = std::min(smallest, shared);
  return smallest;
}

bool every_chunk_has_layers(const Config& c) {
  if (!layer_list_fits(c) || (c.parallel.pipeline_layers.empty() && !layers_divide(c))) return true;
  const auto layers = layers_of_chunks(c);
  return std::find(layers.begin(), layers.end(), 0) == layers.end();
}

std::vector<Rule> adapter_rules() {
  static const std::string targets =
      fmt::format("targets to name at least one of {}, each once", names_of_targets());
  return {
      {{"lora.targets"}, targets, [](const Config& c) { return targets_are_known(c.model.lora); }},
      {{"lora.rank", "lora.targets", "model.hidden_size", "model.ffn_hidden_size",
        "model.num_attention_heads", "model.head_dim", "moe.ffn_hidden_size",
        "moe.shared_expert_intermediate_size"},
       "rank not above the smallest extent of the weights that targets names: a larger adapter is "
       "no smaller "
       "than the weight",
       [](const Config& c) { return c.model.lora.rank <= smallest_adapted_extent(c.model); }},
      {{"lora.rank", "lora.targets", "model.multi_latent_attention"},
       "targets without linear_qkv with multi_latent_attention, whose projections have no adapters",
       [](const Config& c) {
         return !c.model.multi_latent_attention || !has_adapter(c.model, "linear_qkv");
       }},
      {{"lora.rank", "model.fp8"},
       "rank 0 with fp8: products of adapters in 8 bits are not done yet",
       [](const Config& c) { return !has_adapters(c.model) || c.model.fp8 == Fp8Format::none; }},
      {{"lora.rank", "overlap.tensor_pieces", "overlap.context_pieces", "overlap.fused_pairs"},
       "no pieces and no fused pairs with adapters: these passes know one product beside a "
       "transfer",
       [](const Config& c) {
         return !has_adapters(c.model) || (c.overlap.tensor_pieces == 0 &&
                                           c.overlap.context_pieces == 0 && !c.overlap.fused_pairs);
       }},
      {{"lora.rank", "parallel.pipeline_layers", "parallel.pipeline_model_parallel_size",
        "parallel.account_for_embedding_in_pipeline_split",
        "parallel.account_for_loss_in_pipeline_split", "model.num_layers"},
       "a layer in every chunk of the pipeline with adapters: a chunk without one has nothing to "
       "train",
       [](const Config& c) { return !has_adapters(c.model) || every_chunk_has_layers(c); }},
  };
}

std::vector<Rule> grid_rules() {
  return {
      {{"parallel.world_size", "parallel.tensor_model_parallel_size",
        "parallel.context_parallel_size", "parallel.pipeline_model_parallel_size"},
       "world_size to be a multiple of tensor x context x pipeline sizes (the quotient is the "
       "data-parallel size)",
       layout_fits},
      {{"parallel.expert_model_parallel_size", "parallel.expert_tensor_parallel_size",
        "parallel.tensor_model_parallel_size", "parallel.context_parallel_size",
        "parallel.pipeline_model_parallel_size", "parallel.world_size"},
       "the ranks of a stage (world_size / pipeline size) to be a multiple of "
       "expert_tensor_parallel_size (0: tensor_model_parallel_size) x expert_model_parallel_size "
       "(the quotient is the size of the groups that hold the same experts)",
       [](const Config& c) { return !layout_fits(c) || experts_fit(c); }},
      {{"train.global_batch_size", "train.micro_batch_size", "parallel.world_size",
        "parallel.tensor_model_parallel_size", "parallel.context_parallel_size",
        "parallel.pipeline_model_parallel_size"},
       "global_batch_size to be a multiple of micro_batch_size x data-parallel size",
       [](const Config& c) { return !layout_fits(c) || has_whole_micro_batches(c); }},
      {{"train.rampup_batch_size"},
       "rampup_batch_size to be empty, or [START, INCREMENT, SAMPLES] with three numbers above 0, "
       "SAMPLES not above 2^62",
       [](const Config& c) { return is_empty_or_three(c.train.rampup_batch_size); }},
      {{"train.rampup_batch_size", "train.global_batch_size"},
       "START of rampup_batch_size not above global_batch_size, and INCREMENT to divide the "
       "difference "
       "into fewer than 128 increments",
       [](const Config& c) {
         const TrainConfig& train = c.train;
         // The rule above reports other numbers than three.
         return train.rampup_batch_size.empty() || !is_empty_or_three(train.rampup_batch_size) ||
                (is_ramp(train) && batch_increments(train) < kMostBatchSizes);
       }},
      {{"train.rampup_batch_size", "train.micro_batch_size", "parallel.world_size",
        "parallel.tensor_model_parallel_size", "parallel.context_parallel_size",
        "parallel.pipeline_model_parallel_size"},
       "START and INCREMENT of rampup_batch_size to be multiples of micro_batch_size x "
       "data-parallel "
       "size",
       [](const Config& c) {
         return c.train.rampup_batch_size.empty() || !layout_fits(c) ||
                every_batch_fits(c, has_whole_micro_batches);
       }},
  };
}

std::vector<Rule> division_rules() {
  return {
      {{"model.num_layers", "parallel.pipeline_model_parallel_size",
        "parallel.virtual_pipeline_size", "parallel.pipeline_layers",
        "parallel.account_for_embedding_in_pipeline_split",
        "parallel.account_for_loss_in_pipeline_split"},
       "num_layers to be a multiple of pipeline_model_parallel_size x virtual_pipeline_size "
       "(embedding and loss are added if they count as layers), unless pipeline_layers names the "
       "layers of every chunk",
       [](const Config& c) { return !c.parallel.pipeline_layers.empty() || layers_divide(c); }},
      {{"parallel.pipeline_layers", "parallel.pipeline_model_parallel_size",
        "parallel.virtual_pipeline_size", "model.num_layers"},
       "pipeline_layers to be empty or to have pipeline_model_parallel_size x "
       "virtual_pipeline_size numbers, none 0 but the first and the last, with the sum num_layers",
       layer_list_fits},
      {{"model.num_attention_heads", "parallel.tensor_model_parallel_size",
        "parallel.context_parallel_size"},
       "num_attention_heads to be a multiple of tensor x context sizes",
       [](const Config& c) { return c.model.num_attention_heads % tensor_context(c) == 0; }},
      {{"model.num_query_groups", "model.num_attention_heads",
        "parallel.tensor_model_parallel_size", "parallel.context_parallel_size"},
       "num_query_groups to be a multiple of tensor_model_parallel_size, and the quotient a "
       "multiple "
       "or a divisor of context_parallel_size",
       [](const Config& c) {
         const std::int64_t tensor = c.parallel.tensor_model_parallel_size;
         const std::int64_t context = c.parallel.context_parallel_size;
         const std::int64_t own = c.model.num_query_groups / tensor;
         // If there are as many groups as heads, the rule above covers them.
         return c.model.num_query_groups == c.model.num_attention_heads ||
                (c.model.num_query_groups % tensor == 0 &&
                 (own % context == 0 || context % own == 0));
       }},
      {{"model.ffn_hidden_size", "model.hidden_size", "parallel.tensor_model_parallel_size"},
       "ffn_hidden_size to be a multiple of tensor_model_parallel_size",
       [](const Config& c) {
         return c.model.ffn_hidden_size % c.parallel.tensor_model_parallel_size == 0;
       }},
      {{"model.seq_length", "parallel.tensor_model_parallel_size",
        "parallel.context_parallel_size"},
       "seq_length to be a multiple of tensor x context sizes (each rank has a shard of the "
       "sequence)",
       [](const Config& c) { return c.model.seq_length % tensor_context(c) == 0; }},
  };
}

std::vector<Rule> overlap_rules() {
  return {
      {{"overlap.tensor_pieces", "train.micro_batch_size", "model.seq_length",
        "parallel.tensor_model_parallel_size", "parallel.context_parallel_size"},
       "micro_batch_size x seq_length to be a multiple of tensor x context sizes x tensor_pieces",
       [](const Config& c) {
         // Without pieces, and where the rule above is violated, this rule adds nothing.
         const std::int64_t rows = c.train.micro_batch_size * c.model.seq_length;
         const std::int64_t pieces = c.overlap.tensor_pieces;
         return c.parallel.tensor_model_parallel_size == 1 || pieces == 0 ||
                rows % tensor_context(c) != 0 || rows % (tensor_context(c) * pieces) == 0;
       }},
      {{"overlap.context_pieces", "train.micro_batch_size", "model.seq_length",
        "parallel.context_parallel_size"},
       "micro_batch_size x seq_length to be a multiple of context size x context_pieces",
       [](const Config& c) {
         const std::int64_t rows = c.train.micro_batch_size * c.model.seq_length;
         const std::int64_t ranks = c.parallel.context_parallel_size;
         const std::int64_t pieces = c.overlap.context_pieces;
         return ranks == 1 || pieces == 0 || rows % ranks != 0 || rows % (ranks * pieces) == 0;
       }},
      {{"overlap.context_pieces", "overlap.tensor_pieces", "parallel.context_parallel_size",
        "parallel.tensor_model_parallel_size"},
       "with both tensor and context parallelism, only one of tensor_pieces and context_pieces "
       "above 0 (a product is cut in one way)",
       [](const Config& c) {
         return c.parallel.context_parallel_size == 1 ||
                c.parallel.tensor_model_parallel_size == 1 || c.overlap.context_pieces == 0 ||
                c.overlap.tensor_pieces == 0;
       }},
      {{"overlap.fused_pairs", "overlap.tensor"},
       "tensor true with fused_pairs: without it computation stands still during transfers",
       [](const Config& c) { return !c.overlap.fused_pairs || c.overlap.tensor; }},
      {{"overlap.fused_pairs", "overlap.tensor_pieces", "overlap.context_pieces",
        "overlap.expert_pieces"},
       "no pieces with fused_pairs: both divide a transfer and the product beside it",
       [](const Config& c) {
         return !c.overlap.fused_pairs ||
                (c.overlap.tensor_pieces == 0 && c.overlap.context_pieces == 0 &&
                 c.overlap.expert_pieces == 0);
       }},
  };
}

std::vector<Rule> schedule_rules() {
  return {
      {{"parallel.pipeline_schedule"},
       "gpipe, 1f1b, interleaved, zb-h1, or a file (a name with '/' or '.')",
       [](const Config& c) {
         const std::string& name = c.parallel.pipeline_schedule;
         return is_built_in(name) || name.find_first_of("/.") != std::string::npos;
       }},
      {{"parallel.virtual_pipeline_size", "parallel.pipeline_schedule",
        "parallel.pipeline_model_parallel_size"},
       "virtual_pipeline_size above 1 only with pipeline_model_parallel_size above 1 and "
       "pipeline_schedule "
       "interleaved or a file",
       [](const Config& c) {
         const std::string& name = c.parallel.pipeline_schedule;
         return c.parallel.virtual_pipeline_size == 1 ||
                (c.parallel.pipeline_model_parallel_size > 1 &&
                 (name == "interleaved" || !is_built_in(name)));
       }},
      {{"train.global_batch_size", "train.rampup_batch_size", "train.micro_batch_size",
        "parallel.pipeline_schedule", "parallel.pipeline_model_parallel_size",
        "parallel.world_size", "parallel.tensor_model_parallel_size",
        "parallel.context_parallel_size"},
       "with pipeline_schedule interleaved a number of micro-batches per step that is a multiple "
       "of "
       "pipeline_model_parallel_size",
       [](const Config& c) {
         return c.parallel.pipeline_schedule != "interleaved" || !layout_fits(c) ||
                every_batch_fits(c, [](const Config& of_size) {
                  return num_micro_batches(of_size) %
                             of_size.parallel.pipeline_model_parallel_size ==
                         0;
                });
       }},
  };
}

}  // namespace

std::span<const Rule> config_rules() {
  static const std::vector<Rule> rules = [] {
    std::vector<Rule> all = model_rules();
    for (const auto& group :
         {float8_rules(), device_rules(), tokenizer_rules(), architecture_rules(),
          expert_choice_rules(), expert_combination_rules(), expert_division_rules(),
          adapter_rules(), preference_rules(), data_rules(), learning_rate_rules(), restart_rules(),
          reduction_rules(), recompute_rules(), grid_rules(), division_rules(), overlap_rules(),
          schedule_rules()}) {
      all.insert(all.end(), group.begin(), group.end());
    }
    return all;
  }();
  return rules;
}

std::vector<Violation> find_violations(const Config& given, std::span<const std::string> broken) {
  std::vector<Violation> violations;
  std::set<std::string, std::less<>> unusable(broken.begin(), broken.end());
  // The given values first, then the resolved ones: a value that replaces 0 is a product of sizes,
  // which may be out of range although the sizes are in range.
  const Config config = resolve(given);
  for (const Config* values : {&given, &config}) {
    for (const Field& field : config_fields()) {
      std::string name = full_name(field);
      if (unusable.contains(name)) continue;
      if (auto message = range_error(field, *values)) {
        unusable.insert(name);
        violations.push_back({{std::move(name)}, std::move(*message)});
      }
    }
  }
  for (const Rule& rule : config_rules()) {
    const auto is_unusable = [&](std::string_view key) { return unusable.contains(key); };
    if (std::any_of(rule.keys.begin(), rule.keys.end(), is_unusable) || rule.holds(config)) {
      continue;
    }
    Violation violation;
    std::vector<std::string> found;
    for (const std::string_view name : rule.keys) {
      const std::size_t dot = name.find('.');
      const Field* field = find_field(name.substr(0, dot), name.substr(dot + 1));
      MEGASCALE_CHECK(field != nullptr, name);
      violation.keys.emplace_back(name);
      found.push_back(fmt::format("{} = {}", field->key, toml_value(*field, config)));
    }
    violation.message = fmt::format("expected {}; found {}{}{}", rule.law, fmt::join(found, ", "),
                                    rule.advice.empty() ? "" : "; ", rule.advice);
    violations.push_back(std::move(violation));
  }
  return violations;
}

std::vector<Error> validate(const Config& config) {
  std::vector<Error> errors;
  for (const Violation& violation : find_violations(config)) {
    errors.emplace_back(ErrorCode::bad_usage,
                        fmt::format("{}: {}", violation.keys.front(), violation.message));
  }
  return errors;
}

}  // namespace megascale
