#ifndef MEGASCALE_CHECKPOINT_HUGGINGFACE_TENSOR_MAP_H_
#define MEGASCALE_CHECKPOINT_HUGGINGFACE_TENSOR_MAP_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "megascale/checkpoint/box.h"
#include "megascale/checkpoint/safetensors.h"
#include "megascale/config/config.h"

// Which tensor of a Hugging Face model is which part of ours: the one table that export and import
// share. Pure functions.
//   GPT-2   linear weights are input-major ("Conv1D"): the transpose of ours. c_attn's outputs are
//   q | k | v, as our packed rows. Llama   q, k, v, and gate, up stand apart; ours are packed rows
//   (query heads | key groups | value groups) and (gate | up).
//           Rotary halves are split on both sides: no rows are permuted.
namespace megascale::checkpoint::huggingface {

struct TensorMapping {
  std::string theirs;  // without the prefix of the family
  std::string ours;
  Extents shape;         // of our whole tensor, without padding rows
  std::int64_t row = 0;  // theirs are our rows [row, row + rows)
  std::int64_t rows = 0;
  bool transposed = false;        // theirs is [columns, rows]
  [[nodiscard]] Box box() const;  // in our tensor
  [[nodiscard]] Extents their_shape() const;
};

// In the order of the layers. `model` as check_exportable() accepts it.
[[nodiscard]] std::vector<TensorMapping> tensor_map(const ModelConfig& model);
// "transformer." or "model."; lm_head.weight stands outside of it.
[[nodiscard]] std::string_view prefix_of(ModelType type) noexcept;
// Buffers that hold no weights: causal masks, rotary frequencies.
[[nodiscard]] bool is_buffer(ModelType type, std::string_view theirs) noexcept;

// Element conversions. To float32 from float32, bfloat16, float16 and float64 (the first three
// exact, float64 rounds); from float32 to float32 and bfloat16 (to nearest, ties to even; NaN stays
// NaN). Sizes agree.
[[nodiscard]] bool can_convert(StoredType type) noexcept;
void to_float32(StoredType from, std::span<const std::byte> in, std::span<float> out) noexcept;
void from_float32(StoredType to, std::span<const float> in, std::span<std::byte> out) noexcept;
// out[c, r] = in[r, c]
void transpose(std::span<const float> in, std::size_t rows, std::size_t columns,
               std::span<float> out) noexcept;

}  // namespace megascale::checkpoint::huggingface

#endif  // MEGASCALE_CHECKPOINT_HUGGINGFACE_TENSOR_MAP_H_
