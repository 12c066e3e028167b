#ifndef MEGASCALE_CONFIG_ADAPTER_TARGETS_H_
#define MEGASCALE_CONFIG_ADAPTER_TARGETS_H_

#include <string>
#include <string_view>

// Names that have to do with adapters ([lora]). All functions are pure; any thread may call them.
namespace megascale {

// Returns the target (kAdapterTargets in derived.h) of a linear layer of the model, by the name that its
// parameters begin with, "layers.3.attention.qkv"; an empty text if it can have no adapter.
[[nodiscard]] std::string_view adapter_target(std::string_view layer) noexcept;
// Return the names of the parameters A[rank,I] and B[O,rank] of a layer's adapter.
[[nodiscard]] inline std::string adapter_input_name(std::string_view layer) {
  return std::string(layer) + ".lora_A.weight";
}
[[nodiscard]] inline std::string adapter_output_name(std::string_view layer) {
  return std::string(layer) + ".lora_B.weight";
}

// Returns whether a parameter of this name belongs to an adapter.
[[nodiscard]] inline bool is_adapter_name(std::string_view parameter) noexcept {
  return parameter.ends_with(".lora_A.weight") || parameter.ends_with(".lora_B.weight");
}

}  // namespace megascale

#endif  // MEGASCALE_CONFIG_ADAPTER_TARGETS_H_
