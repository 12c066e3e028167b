// The table of tensors of Hugging Face's GPT-2 and GPT-NeoX, and of Llama and the families that derive
// from it, with our names for them, and conversions between element types. Each line of the functions
// gpt2(), gpt_neox() and llama() is one tensor, with its bias if it has one.
#include "megascale/checkpoint/huggingface/tensor_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "megascale/checkpoint/huggingface/family.h"
#include "megascale/config/derived.h"

namespace megascale::checkpoint::huggingface {
namespace {

// Builds the table for one model. The helpers below differ in the kind of tensor they add: whole
// tensors, norms, transposed linears (conv1d), and rows of packed linears.
class MapBuilder {
 public:
  explicit MapBuilder(const ModelConfig& model) : model_(model) {}

  std::vector<TensorMapping> gpt2() {
    const std::int64_t width = model_.hidden_size, ffn = model_.ffn_hidden_size;
    whole("wte.weight", "embedding.word.weight", {model_.vocab_size, width});
    whole("wpe.weight", "embedding.position.weight", {model_.max_position_embeddings, width});
    for (std::int64_t i = 0; i < model_.num_layers; ++i) {
      const std::string theirs = fmt::format("h.{}.", i), ours = fmt::format("layers.{}.", i);
      norm(theirs + "ln_1", ours + "attention.norm");
      conv1d(theirs + "attn.c_attn", ours + "attention.qkv", 3 * width, width);
      conv1d(theirs + "attn.c_proj", ours + "attention.output", width, width);
      norm(theirs + "ln_2", ours + "mlp.norm");
      conv1d(theirs + "mlp.c_fc", ours + "mlp.up", ffn, width);
      conv1d(theirs + "mlp.c_proj", ours + "mlp.down", width, ffn);
    }
    norm("ln_f", "final_norm");
    return std::move(map_);
  }

  std::vector<TensorMapping> gpt_neox() {
    const std::int64_t width = model_.hidden_size, ffn = model_.ffn_hidden_size;
    whole("embed_in.weight", "embedding.word.weight", {model_.vocab_size, width});
    for (std::int64_t i = 0; i < model_.num_layers; ++i) {
      const std::string theirs = fmt::format("layers.{}.", i), ours = fmt::format("layers.{}.", i);
      norm(theirs + "input_layernorm", ours + (model_.parallel_block ? "norm" : "attention.norm"));
      const std::size_t qkv = map_.size();
      rows(theirs + "attention.query_key_value",
           {ours + "attention.qkv", 3 * width, width, model_.add_bias_linear}, 0, 3 * width);
      for (std::size_t part = qkv; part < map_.size(); ++part)
        map_[part].interleaved_heads = model_.num_attention_heads;
      rows(theirs + "attention.dense",
           {ours + "attention.output", width, width, model_.add_bias_linear}, 0, width);
      norm(theirs + "post_attention_layernorm", ours + "mlp.norm");
      rows(theirs + "mlp.dense_h_to_4h", {ours + "mlp.up", ffn, width, model_.add_bias_linear}, 0,
           ffn);
      rows(theirs + "mlp.dense_4h_to_h", {ours + "mlp.down", width, ffn, model_.add_bias_linear}, 0,
           width);
    }
    norm("final_layer_norm", "final_norm");
    return std::move(map_);
  }

  std::vector<TensorMapping> llama() {
    const std::int64_t width = model_.hidden_size, ffn = model_.ffn_hidden_size;
    whole("embed_tokens.weight", "embedding.word.weight", {model_.vocab_size, width});
    for (std::int64_t i = 0; i < model_.num_layers; ++i) {
      const std::string theirs = fmt::format("layers.{}.", i), ours = fmt::format("layers.{}.", i);
      const Linear gate_up{ours + "mlp.gate_up", 2 * ffn, width, model_.add_bias_linear},
          down{ours + "mlp.down", width, ffn, model_.add_bias_linear};
      if (model_.norm_position != NormPosition::after)
        whole(theirs + "input_layernorm.weight", ours + "attention.norm.weight", {width});
      if (model_.multi_latent_attention) {
        latent_attention(theirs + "self_attn.", ours + "attention.");
      } else {
        attention(theirs + "self_attn.", ours + "attention.");
      }
      further_norms(theirs, ours);
      if (model_.type == ModelType::phi3) {
        rows(theirs + "mlp.gate_up_proj", gate_up, 0, gate_up.outputs);
        rows(theirs + "mlp.down_proj", down, 0, width);
        continue;
      }
      if (has_experts(model_, i)) {
        experts(theirs, ours + "mlp.");
        continue;
      }
      swiglu(theirs + "mlp.", gate_up, down);
    }
    whole("norm.weight", "final_norm.weight", {width});
    return std::move(map_);
  }

 private:
  void whole(std::string theirs, std::string ours, Extents shape) {
    const std::int64_t rows = shape[0];
    map_.push_back({.theirs = std::move(theirs),
                    .ours = std::move(ours),
                    .shape = std::move(shape),
                    .rows = rows});
  }
  // Adds the products of attention and the norms of its heads.
  void attention(const std::string& theirs, const std::string& ours) {
    const std::int64_t width = model_.hidden_size, size = model_.head_dim,
                       queries = model_.num_attention_heads * size,
                       keys = model_.num_query_groups * size;
    const Linear qkv{ours + "qkv", queries + 2 * keys, width,
                     model_.add_bias_linear || model_.add_qkv_bias};
    if (model_.type == ModelType::phi3) {
      rows(theirs + "qkv_proj", qkv, 0, qkv.outputs);
    } else {
      rows(theirs + "q_proj", qkv, 0, queries);
      rows(theirs + "k_proj", qkv, queries, keys);
      rows(theirs + "v_proj", qkv, queries + keys, keys);
    }
    rows(theirs + "o_proj", {ours + "output", width, queries, model_.add_bias_linear}, 0, width);
    if (!model_.qk_layernorm) return;
    const bool per_head = model_.qk_layernorm_per_head;
    whole(theirs + "q_norm.weight", ours + "query_norm.weight", {per_head ? size : queries});
    whole(theirs + "k_norm.weight", ours + "key_norm.weight", {per_head ? size : keys});
  }
  // The same for latent attention.
  void latent_attention(const std::string& theirs, const std::string& ours) {
    const std::int64_t width = model_.hidden_size, heads = model_.num_attention_heads,
                       of_query = model_.q_lora_rank, of_key = model_.kv_lora_rank,
                       rotated = model_.qk_pos_emb_head_dim;
    const auto linear = [&](const char* name, const char* our_name, std::int64_t outputs,
                            std::int64_t inputs) -> TensorMapping& {
      whole(theirs + name + ".weight", ours + our_name + ".weight", {outputs, inputs});
      return map_.back();
    };
    const auto norm = [&](const char* name, const char* our_name, std::int64_t size) {
      whole(theirs + name + ".weight", ours + our_name + ".weight", {size});
    };
    if (of_query > 0) {
      linear("q_a_proj", "query_latent", of_query, width);
      norm("q_a_layernorm", "query_latent_norm", of_query);
    }
    TensorMapping& query = linear(of_query > 0 ? "q_b_proj" : "q_proj", "query",
                                  heads * model_.head_dim, of_query > 0 ? of_query : width);
    query.rotated_rows = rotated;
    query.head_rows = model_.head_dim;
    constexpr const char* kBoth = "kv_a_proj_with_mqa";
    linear(kBoth, "latent", of_key, width).their_rows = of_key + rotated;
    TensorMapping& key = linear(kBoth, "key_rope", rotated, width);
    key.their_row = of_key;
    key.their_rows = of_key + rotated;
    key.rotated_rows = key.head_rows = rotated;
    norm("kv_a_layernorm", "latent_norm", of_key);
    linear("kv_b_proj", "key_value", heads * (model_.qk_head_dim + model_.v_head_dim), of_key);
    linear("o_proj", "output", width, heads * model_.v_head_dim);
  }
  // Adds the norms of a layer behind attention's input. Their names depend on how many there are.
  void further_norms(const std::string& theirs, const std::string& ours) {
    const auto add = [&](const char* name, const char* our_name) {
      whole(theirs + name + ".weight", ours + our_name + ".weight", {model_.hidden_size});
    };
    const NormPosition position = model_.norm_position;
    add("post_attention_layernorm",
        position == NormPosition::before ? "mlp.norm" : "attention.post_norm");
    if (position == NormPosition::both) add("pre_feedforward_layernorm", "mlp.norm");
    if (position != NormPosition::before) add("post_feedforward_layernorm", "mlp.post_norm");
  }
  // Adds the router and all experts of a layer.
  void experts(const std::string& layer, const std::string& ours) {
    const MoeConfig& moe = model_.moe;
    const std::int64_t width = model_.hidden_size, ffn = moe.ffn_hidden_size;
    const bool mixtral = model_.type == ModelType::mixtral;
    const std::string theirs = layer + (mixtral ? "block_sparse_moe." : "mlp.");
    whole(theirs + "gate.weight", ours + "router.weight", {moe.num_experts, width});
    const auto add = [&](std::int64_t expert, const char* name, const char* stack, Extents shape,
                         std::int64_t row, std::int64_t count) {
      map_.push_back({.theirs = fmt::format("{}experts.{}.{}.weight", theirs, expert, name),
                      .ours = ours + stack,
                      .shape = std::move(shape),
                      .row = row,
                      .rows = count,
                      .expert = expert});
    };
    const Extents gate_up{moe.num_experts, 2 * ffn, width}, down{moe.num_experts, width, ffn};
    for (std::int64_t e = 0; e < moe.num_experts; ++e) {
      add(e, mixtral ? "w1" : "gate_proj", "experts.gate_up.weight", gate_up, 0, ffn);
      add(e, mixtral ? "w3" : "up_proj", "experts.gate_up.weight", gate_up, ffn, ffn);
      add(e, mixtral ? "w2" : "down_proj", "experts.down.weight", down, 0, width);
    }
    if (moe.router_enable_expert_bias) {
      whole(theirs + "gate.e_score_correction_bias", ours + "router.choice_bias",
            {moe.num_experts});
      map_.back().stays_float32 = true;
    }
    if (const std::int64_t shared = moe.shared_expert_intermediate_size; shared > 0) {
      const bool several = family_of(model_.type).experts == ExpertKeys::deepseek;
      swiglu(theirs + (several ? "shared_experts." : "shared_expert."),
             {ours + "shared_expert.gate_up", 2 * shared, width},
             {ours + "shared_expert.down", width, shared});
    }
    if (moe.shared_expert_gate)
      whole(theirs + "shared_expert_gate.weight", ours + "shared_expert_gate.weight", {1, width});
  }
  void norm(const std::string& theirs, const std::string& ours) {
    for (const char* part : {".weight", ".bias"})
      whole(theirs + part, ours + part, {model_.hidden_size});
  }
  void conv1d(const std::string& theirs, const std::string& ours, std::int64_t outputs,
              std::int64_t inputs) {
    whole(theirs + ".weight", ours + ".weight", {outputs, inputs});
    map_.back().transposed = true;
    whole(theirs + ".bias", ours + ".bias", {outputs});
  }
  // One of our linears.
  struct Linear {
    std::string name;
    std::int64_t outputs = 0, inputs = 0;
    bool has_bias = false;
  };
  // Adds the products of an MLP with SwiGLU, of which ours has the first two in one.
  void swiglu(const std::string& theirs, const Linear& gate_up, const Linear& down) {
    const std::int64_t ffn = gate_up.outputs / 2;
    rows(theirs + "gate_proj", gate_up, 0, ffn);
    rows(theirs + "up_proj", gate_up, ffn, ffn);
    rows(theirs + "down_proj", down, 0, down.outputs);
  }
  // Adds a linear of theirs that is `count` rows of ours, from `row` on.
  void rows(const std::string& theirs, const Linear& ours, std::int64_t row, std::int64_t count) {
    map_.push_back({.theirs = theirs + ".weight",
                    .ours = ours.name + ".weight",
                    .shape = {ours.outputs, ours.inputs},
                    .row = row,
                    .rows = count});
    if (!ours.has_bias) return;
    map_.push_back({.theirs = theirs + ".bias",
                    .ours = ours.name + ".bias",
                    .shape = {ours.outputs},
                    .row = row,
                    .rows = count});
  }

  ModelConfig model_;
  std::vector<TensorMapping> map_;
};

float half_to_float(std::uint16_t half) noexcept {
  const int exponent = (half >> 10) & 31, fraction = half & 1023;
  float value = 0;
  if (exponent == 31) {
    value = fraction == 0 ? INFINITY : NAN;
  } else if (exponent == 0) {
    value = std::ldexp(static_cast<float>(fraction), -24);
  } else {
    value = std::ldexp(static_cast<float>(fraction + 1024), exponent - 25);
  }
  return (half & 0x8000) != 0 ? -value : value;
}

std::uint16_t float_to_bfloat16(float value) noexcept {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  // Rounding could turn a NaN into an infinity, so a NaN is truncated and one bit of its fraction
  // is set.
  if (std::isnan(value)) return static_cast<std::uint16_t>((bits >> 16) | 0x40);
  return static_cast<std::uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

std::uint16_t float_to_half(float value) noexcept {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000);
  const float magnitude = std::fabs(value);
  if (std::isnan(value)) return static_cast<std::uint16_t>(sign | 0x7e00);
  // Halfway between the largest half and the next power of two, and above: infinity.
  if (magnitude >= 65520.0F) return static_cast<std::uint16_t>(sign | 0x7c00);
  // Below 2^-14 halves are multiples of 2^-24, else of 2^-10 of their own power of two. The product
  // is exact, and nearbyint() rounds ties to even. A fraction of 1024 carries into the exponent.
  if (magnitude < 0x1p-14F)
    return static_cast<std::uint16_t>(
        sign | static_cast<std::uint16_t>(std::nearbyint(magnitude * 0x1p24F)));
  const int exponent = std::ilogb(magnitude);
  const auto fraction =
      static_cast<std::uint16_t>(std::nearbyint(std::ldexp(magnitude, 10 - exponent))) - 1024;
  return static_cast<std::uint16_t>(sign | (((exponent + 15) << 10) + fraction));
}

template <class T, class F>
void convert(std::span<const std::byte> in, std::span<float> out, F&& to_float) noexcept {
  for (std::size_t i = 0; i < out.size(); ++i) {
    T value;
    // memcpy, because tensors in files may be misaligned for T.
    std::memcpy(&value, in.data() + i * sizeof(T), sizeof(T));
    out[i] = to_float(value);
  }
}

// Returns the row of theirs, in their part, that is the row `row` of ours, in ours.
std::int64_t their_row_of(const TensorMapping& mapping, std::int64_t row) {
  if (const std::int64_t heads = mapping.interleaved_heads; heads > 0) {
    constexpr std::int64_t kPartsOfHead = 3;  // query, key, value
    const std::int64_t rows = mapping.rows / (heads * kPartsOfHead), block = row / rows;
    return (block % heads * kPartsOfHead + block / heads) * rows + row % rows;
  }
  if (mapping.rotated_rows == 0) return row;
  const std::int64_t half = mapping.rotated_rows / 2,
                     first = mapping.head_rows - mapping.rotated_rows,
                     channel = row % mapping.head_rows - first;
  if (channel < 0) return row;
  return row - channel + (channel < half ? 2 * channel : 2 * (channel - half) + 1);
}

enum class Side : std::uint8_t { ours, theirs };

// Returns values of the other side in the order of the rows of this one.
std::vector<float> in_order_of(Side side, const TensorMapping& mapping,
                               const std::vector<float>& in) {
  const std::size_t width = in.size() / static_cast<std::size_t>(mapping.rows);
  std::vector<float> out(in.size());
  for (std::int64_t row = 0; row < mapping.rows; ++row) {
    const auto ours = static_cast<std::size_t>(row),
               theirs = static_cast<std::size_t>(their_row_of(mapping, row));
    std::copy_n(in.data() + (side == Side::ours ? theirs : ours) * width, width,
                out.data() + (side == Side::ours ? ours : theirs) * width);
  }
  return out;
}

}  // namespace

Box TensorMapping::box() const {
  Box box = whole(shape);
  const std::size_t dimension = expert < 0 ? 0 : 1;
  if (expert >= 0) {
    box.offset[0] = expert;
    box.shape[0] = 1;
  }
  box.offset[dimension] = row;
  box.shape[dimension] = rows;
  return box;
}

Extents TensorMapping::their_shape() const {
  Extents theirs_extents = box().shape;
  if (expert >= 0) theirs_extents.erase(theirs_extents.begin());
  if (transposed) std::swap(theirs_extents[0], theirs_extents[1]);
  if (their_rows > 0) theirs_extents[0] = their_rows;
  return theirs_extents;
}

std::vector<TensorMapping> tensor_map(const ModelConfig& model) {
  MapBuilder builder(model);
  std::vector<TensorMapping> map = model.type == ModelType::gpt2       ? builder.gpt2()
                                   : model.type == ModelType::gpt_neox ? builder.gpt_neox()
                                                                       : builder.llama();
  if (model.untie_embeddings_and_output_weights) {
    map.push_back({.theirs = std::string(head_name(model.type)),
                   .ours = "head.weight",
                   .shape = {model.vocab_size, model.hidden_size},
                   .rows = model.vocab_size});
  }
  return map;
}

std::string_view prefix_of(ModelType type) noexcept {
  if (type == ModelType::gpt_neox) return "gpt_neox.";
  return type == ModelType::gpt2 ? "transformer." : "model.";
}

std::string_view head_name(ModelType type) noexcept {
  return type == ModelType::gpt_neox ? "embed_out.weight" : "lm_head.weight";
}

bool is_buffer(ModelType type, std::string_view theirs) noexcept {
  if (type == ModelType::gpt2)
    return theirs.ends_with(".attn.bias") || theirs.ends_with(".attn.masked_bias");
  if (type == ModelType::gpt_neox &&
      (theirs.ends_with(".attention.bias") || theirs.ends_with(".attention.masked_bias")))
    return true;
  return theirs.ends_with(".rotary_emb.inv_freq");
}

bool can_convert(StoredType type) noexcept {
  return type == StoredType::float32 || type == StoredType::bfloat16 ||
         type == StoredType::float16 || type == StoredType::float64;
}

bool can_write(StoredType type) noexcept {
  return type == StoredType::float32 || type == StoredType::bfloat16 || type == StoredType::float16;
}

void to_float32(StoredType from, std::span<const std::byte> in, std::span<float> out) noexcept {
  if (from == StoredType::float32) {
    std::memcpy(out.data(), in.data(), in.size());
  } else if (from == StoredType::bfloat16) {
    convert<std::uint16_t>(in, out, [](std::uint16_t bits) {
      return std::bit_cast<float>(std::uint32_t{bits} << 16);
    });
  } else if (from == StoredType::float16) {
    convert<std::uint16_t>(in, out, half_to_float);
  } else {
    convert<double>(in, out, [](double value) { return static_cast<float>(value); });
  }
}

void from_float32(StoredType to, std::span<const float> in, std::span<std::byte> out) noexcept {
  if (to == StoredType::float32) {
    std::memcpy(out.data(), in.data(), out.size());
    return;
  }
  const auto narrow = to == StoredType::bfloat16 ? float_to_bfloat16 : float_to_half;
  for (std::size_t i = 0; i < in.size(); ++i) {
    const std::uint16_t bits = narrow(in[i]);
    std::memcpy(out.data() + i * sizeof bits, &bits, sizeof bits);
  }
}

std::vector<float> to_ours(const TensorMapping& mapping, std::vector<float> theirs) {
  if (mapping.keeps_order()) return theirs;
  if (!mapping.transposed) return in_order_of(Side::ours, mapping, theirs);
  const Extents shape = mapping.their_shape();
  std::vector<float> ours(theirs.size());
  transpose(theirs, static_cast<std::size_t>(shape[0]), static_cast<std::size_t>(shape[1]), ours);
  return ours;
}

std::vector<float> to_theirs(const TensorMapping& mapping, std::vector<float> ours) {
  if (mapping.keeps_order()) return ours;
  if (!mapping.transposed) return in_order_of(Side::theirs, mapping, ours);
  const Extents shape = mapping.their_shape();
  std::vector<float> theirs(ours.size());
  transpose(ours, static_cast<std::size_t>(shape[1]), static_cast<std::size_t>(shape[0]), theirs);
  return theirs;
}

void transpose(std::span<const float> in, std::size_t rows, std::size_t columns,
               std::span<float> out) noexcept {
  // Two tiles of 32 x 32 floats (8 KiB) fit in the first-level cache
  constexpr std::size_t kTile = 32;
  for (std::size_t r0 = 0; r0 < rows; r0 += kTile) {
    for (std::size_t c0 = 0; c0 < columns; c0 += kTile) {
      for (std::size_t r = r0; r < std::min(rows, r0 + kTile); ++r) {
        for (std::size_t c = c0; c < std::min(columns, c0 + kTile); ++c)
          out[c * rows + r] = in[r * columns + c];
      }
    }
  }
}

}  // namespace megascale::checkpoint::huggingface
