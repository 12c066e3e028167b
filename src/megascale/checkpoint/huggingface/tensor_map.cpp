// The table of tensors of Hugging Face's GPT-2 and Llama and of our names for them, and conversions
// between element types. MapBuilder has one function per family; each line there is one tensor.
#include "megascale/checkpoint/huggingface/tensor_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

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

  std::vector<TensorMapping> llama() {
    const std::int64_t width = model_.hidden_size, ffn = model_.ffn_hidden_size;
    const std::int64_t queries = model_.num_attention_heads * model_.head_dim,
                       keys = model_.num_query_groups * model_.head_dim;
    whole("embed_tokens.weight", "embedding.word.weight", {model_.vocab_size, width});
    for (std::int64_t i = 0; i < model_.num_layers; ++i) {
      const std::string theirs = fmt::format("layers.{}.", i), ours = fmt::format("layers.{}.", i);
      whole(theirs + "input_layernorm.weight", ours + "attention.norm.weight", {width});
      rows(theirs + "self_attn.q_proj", ours + "attention.qkv", queries + 2 * keys, width, 0,
           queries);
      rows(theirs + "self_attn.k_proj", ours + "attention.qkv", queries + 2 * keys, width, queries,
           keys);
      rows(theirs + "self_attn.v_proj", ours + "attention.qkv", queries + 2 * keys, width,
           queries + keys, keys);
      rows(theirs + "self_attn.o_proj", ours + "attention.output", width, queries, 0, width);
      whole(theirs + "post_attention_layernorm.weight", ours + "mlp.norm.weight", {width});
      rows(theirs + "mlp.gate_proj", ours + "mlp.gate_up", 2 * ffn, width, 0, ffn);
      rows(theirs + "mlp.up_proj", ours + "mlp.gate_up", 2 * ffn, width, ffn, ffn);
      rows(theirs + "mlp.down_proj", ours + "mlp.down", width, ffn, 0, width);
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
  void rows(const std::string& theirs, const std::string& ours, std::int64_t outputs,
            std::int64_t inputs, std::int64_t row, std::int64_t count) {
    map_.push_back({.theirs = theirs + ".weight",
                    .ours = ours + ".weight",
                    .shape = {outputs, inputs},
                    .row = row,
                    .rows = count});
    if (!model_.add_bias_linear) return;
    map_.push_back({.theirs = theirs + ".bias",
                    .ours = ours + ".bias",
                    .shape = {outputs},
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

template <class T, class F>
void convert(std::span<const std::byte> in, std::span<float> out, F&& to_float) noexcept {
  for (std::size_t i = 0; i < out.size(); ++i) {
    T value;
    // memcpy, because tensors in files may be misaligned for T.
    std::memcpy(&value, in.data() + i * sizeof(T), sizeof(T));
    out[i] = to_float(value);
  }
}

}  // namespace

Box TensorMapping::box() const {
  Box box = whole(shape);
  box.offset[0] = row;
  box.shape[0] = rows;
  return box;
}

Extents TensorMapping::their_shape() const {
  Extents theirs_extents = box().shape;
  if (transposed) std::swap(theirs_extents[0], theirs_extents[1]);
  return theirs_extents;
}

std::vector<TensorMapping> tensor_map(const ModelConfig& model) {
  MapBuilder builder(model);
  std::vector<TensorMapping> map = model.type == ModelType::gpt2 ? builder.gpt2() : builder.llama();
  if (model.untie_embeddings_and_output_weights) {
    map.push_back({.theirs = "lm_head.weight",
                   .ours = "head.weight",
                   .shape = {model.vocab_size, model.hidden_size},
                   .rows = model.vocab_size});
  }
  return map;
}

std::string_view prefix_of(ModelType type) noexcept {
  return type == ModelType::gpt2 ? "transformer." : "model.";
}

bool is_buffer(ModelType type, std::string_view theirs) noexcept {
  if (type == ModelType::gpt2)
    return theirs.ends_with(".attn.bias") || theirs.ends_with(".attn.masked_bias");
  return theirs.ends_with(".rotary_emb.inv_freq");
}

bool can_convert(StoredType type) noexcept {
  return type == StoredType::float32 || type == StoredType::bfloat16 ||
         type == StoredType::float16 || type == StoredType::float64;
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
  for (std::size_t i = 0; i < in.size(); ++i) {
    const std::uint16_t bits = float_to_bfloat16(in[i]);
    std::memcpy(out.data() + i * sizeof bits, &bits, sizeof bits);
  }
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
