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
//   DeepSeek-V2 and V3: as Llama but for attention. The weights of the latent vector and of the
//           rotated part of keys are one tensor of theirs, one below the other. The two channels
//           that are rotated as a pair are side by side there.
//   Phi-3   q, k, v are packed by rows as ours, and so are gate, up.
//   OLMo 2, Gemma 2 and 3: as Llama, with norms behind attention and MLP.
//   GPT-NeoX  q, k, v are packed too, but every head has its three parts side by side.
//   Families with experts: every expert has tensors of its own; ours are stacks of all experts of a
//           layer.
namespace megascale::checkpoint::huggingface {

// Rows of a tensor of a Hugging Face model ("theirs"), mostly all of them, and the rows of our
// tensor that they equal. The mappings of one tensor of theirs follow one another in the order of
// its rows.
struct TensorMapping {
  std::string theirs;  // name without the prefix of the family
  std::string ours;
  Extents shape;         // of our whole tensor, without padding rows
  std::int64_t row = 0;  // theirs are our rows [row, row + rows)
  std::int64_t rows = 0;
  // Theirs begin at their_row of a tensor of their_rows rows. their_rows 0: they are all of it.
  std::int64_t their_row = 0, their_rows = 0;
  bool transposed = false;  // their tensor is [columns, rows]
  // Above 0: their rows are those of head 0 in each of the three parts of ours (query, key, value), then
  // those of head 1, and so on. Ours have the heads of a part side by side.
  std::int64_t interleaved_heads = 0;
  // Above 0: of each head_rows rows the last rotated_rows are channels that are rotated in pairs. The
  // channels of a pair are side by side in theirs. In ours they have the same place in the first and
  // in the second half of these rows.
  std::int64_t rotated_rows = 0, head_rows = 0;
  // Of a stack of experts [experts, rows, columns]: the one whose rows are meant; -1: no stack.
  std::int64_t expert = -1;
  // The values are float32 in files of every type. Biases of choices are: rounded ones choose otherwise.
  bool stays_float32 = false;
  [[nodiscard]] Box box() const;              // the part of our tensor
  [[nodiscard]] Extents their_shape() const;  // of their whole tensor
  // Returns the part of the values or bytes of their whole tensor that is meant.
  template <class T>
  [[nodiscard]] std::span<const T> part_of(std::span<const T> theirs_values) const {
    if (their_rows == 0) return theirs_values;
    const std::size_t row_size = theirs_values.size() / static_cast<std::size_t>(their_rows);
    return theirs_values.subspan(static_cast<std::size_t>(their_row) * row_size,
                                 static_cast<std::size_t>(rows) * row_size);
  }
  [[nodiscard]] bool keeps_order() const noexcept {  // their values are ours as they are
    return !transposed && interleaved_heads == 0 && rotated_rows == 0;
  }
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
// Return the values of a part of theirs in the order of ours, and the reverse.
[[nodiscard]] std::vector<float> to_ours(const TensorMapping& mapping, std::vector<float> theirs);
[[nodiscard]] std::vector<float> to_theirs(const TensorMapping& mapping, std::vector<float> ours);
// out[c, r] = in[r, c]; `in` is rows x columns, row-major. The buffers must not overlap.
void transpose(std::span<const float> in, std::size_t rows, std::size_t columns,
               std::span<float> out) noexcept;

}  // namespace megascale::checkpoint::huggingface

#endif  // MEGASCALE_CHECKPOINT_HUGGINGFACE_TENSOR_MAP_H_
