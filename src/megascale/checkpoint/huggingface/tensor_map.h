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

// The table that says which part of which of our tensors a Hugging Face tensor is, and the
// conversion of elements. Export and import share it. All functions are pure and may be called from
// any thread.
//   GPT-2   Linear weights ("Conv1D") are [inputs, outputs], the transpose of ours. The outputs
//           of c_attn are q | k | v, the order of our packed rows.
//   Llama   and Mistral, Qwen2, Qwen3: q, k, v, and gate, up are separate tensors. Ours are packed
//           by rows: (query heads | key groups | value groups) and (gate | up).
//           Both sides split rotary vectors into halves, so no rows are permuted.
//   Phi-3   q, k, v are packed by rows as ours, and so are gate, up.
//   OLMo 2, Gemma 2 and 3: as Llama, with norms behind attention and MLP.
//   GPT-NeoX  q, k, v are packed too, but every head has its three parts side by side.
//   Families with experts: every expert has tensors of its own; ours are stacks of all experts of a
//           layer.
namespace megascale::checkpoint::huggingface {

// One tensor of a Hugging Face model ("theirs") and the rows of our tensor that it equals.
struct TensorMapping {
  std::string theirs;  // name without the prefix of the family
  std::string ours;
  Extents shape;         // of our whole tensor, without padding rows
  std::int64_t row = 0;  // their tensor is our rows [row, row + rows)
  std::int64_t rows = 0;
  bool transposed = false;  // their tensor is [columns, rows]
  // Above 0: their rows are those of head 0 in each of the three parts of ours (query, key, value), then
  // those of head 1, and so on. Ours have the heads of a part side by side.
  std::int64_t interleaved_heads = 0;
  // Of a stack of experts [experts, rows, columns]: the one whose rows are meant; -1: no stack.
  std::int64_t expert = -1;
  // The values are float32 in files of every type. Biases of choices are: rounded ones choose otherwise.
  bool stays_float32 = false;
  [[nodiscard]] Box box() const;  // the part of our tensor
  [[nodiscard]] Extents their_shape() const;
};

// Returns the mappings of all tensors of `model`, in the order of the layers. check_exportable()
// must accept the model.
[[nodiscard]] std::vector<TensorMapping> tensor_map(const ModelConfig& model);
// Returns the prefix of tensor names: "transformer.", "gpt_neox." or "model.". The head has no prefix.
[[nodiscard]] std::string_view prefix_of(ModelType type) noexcept;
// Returns the name of the weight of the head: "lm_head.weight" or "embed_out.weight".
[[nodiscard]] std::string_view head_name(ModelType type) noexcept;
// Returns whether a tensor is a buffer that holds no weights: a causal mask, rotary frequencies.
[[nodiscard]] bool is_buffer(ModelType type, std::string_view theirs) noexcept;

// Conversion of elements. To float32: from float32, bfloat16 and float16 (exact) and float64
// (rounds). From float32: to float32, bfloat16 and float16 (to nearest, ties to even; NaN stays
// NaN). `in` and `out` must have the same number of elements.
[[nodiscard]] bool can_convert(StoredType type) noexcept;  // to float32
[[nodiscard]] bool can_write(StoredType type) noexcept;    // from float32
void to_float32(StoredType from, std::span<const std::byte> in, std::span<float> out) noexcept;
void from_float32(StoredType to, std::span<const float> in, std::span<std::byte> out) noexcept;
// Return the values of a tensor of theirs in the order of ours, and the reverse.
[[nodiscard]] std::vector<float> to_ours(const TensorMapping& mapping, std::vector<float> theirs);
[[nodiscard]] std::vector<float> to_theirs(const TensorMapping& mapping, std::vector<float> ours);
// out[c, r] = in[r, c]; `in` is rows x columns, row-major. The buffers must not overlap.
void transpose(std::span<const float> in, std::size_t rows, std::size_t columns,
               std::span<float> out) noexcept;

}  // namespace megascale::checkpoint::huggingface

#endif  // MEGASCALE_CHECKPOINT_HUGGINGFACE_TENSOR_MAP_H_
