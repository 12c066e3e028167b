#ifndef MEGASCALE_CHECKPOINT_HUGGINGFACE_ADAPTER_MAP_H_
#define MEGASCALE_CHECKPOINT_HUGGINGFACE_ADAPTER_MAP_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "megascale/checkpoint/huggingface/tensor_map.h"

// The table of the adapters of a model, as the library PEFT has them. A linear layer of theirs has an
// adapter if the layer of ours that it is a part of has one. Where ours is several of theirs (query, key
// and value; gate and up), all of these have the same A, and each has its rows of B.
namespace megascale::checkpoint::huggingface {

struct AdapterMapping {
  std::string
      module;  // their linear layer, without the family's prefix: "layers.0.self_attn.q_proj"
  std::string layer;  // ours: "layers.0.attention.qkv"
  TensorMapping weight, a,
      b;  // of the layer and of its adapter; `theirs` of a and b as in PEFT's files
};

// Returns the mappings of all layers that model.lora.targets names, in the order of tensor_map(); none if
// the rank is 0.
[[nodiscard]] std::vector<AdapterMapping> adapter_map(const ModelConfig& model);
// Returns the name by which PEFT's target_modules finds the layer in every block: "q_proj". GPT-2 has two
// layers c_proj in a block; then it is "attn.c_proj" or "mlp.c_proj".
[[nodiscard]] std::string target_module(std::string_view module);

// Adds factor B A to the rows of a weight: weight[rows,I], a[rank,I], b[rows,rank], all row-major.
// Each sum over the rank is float32, in the order of the rank, and is added to the weight once.
void add_product(std::span<float> weight, std::span<const float> a, std::span<const float> b,
                 std::size_t rank, float factor);

}  // namespace megascale::checkpoint::huggingface

#endif  // MEGASCALE_CHECKPOINT_HUGGINGFACE_ADAPTER_MAP_H_
