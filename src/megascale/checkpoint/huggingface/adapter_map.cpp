#include "megascale/checkpoint/huggingface/adapter_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "megascale/config/adapter_targets.h"
#include "megascale/config/derived.h"

namespace megascale::checkpoint::huggingface {

std::vector<AdapterMapping> adapter_map(const ModelConfig& model) {
  constexpr std::string_view kWeight = ".weight";
  std::vector<AdapterMapping> adapters;
  for (TensorMapping& weight : tensor_map(model)) {
    if (!weight.ours.ends_with(kWeight)) continue;
    const std::string layer = weight.ours.substr(0, weight.ours.size() - kWeight.size()),
                      module = weight.theirs.substr(0, weight.theirs.size() - kWeight.size());
    if (!has_adapter(model, adapter_target(layer))) continue;
    const std::int64_t rank = model.lora.rank;
    const auto theirs = [&](const char* part) {
      return fmt::format("base_model.model.{}{}.{}.weight", prefix_of(model.type), module, part);
    };
    // The last two extents are those of a matrix; a stack has the experts before them.
    Extents shape_of_a = weight.shape, shape_of_b = weight.shape;
    shape_of_a.rbegin()[1] = rank;
    shape_of_b.back() = rank;
    TensorMapping a{.theirs = theirs("lora_A"),
                    .ours = adapter_input_name(layer),
                    .shape = std::move(shape_of_a),
                    .rows = rank,
                    .expert = weight.expert};
    TensorMapping b = weight;  // its rows are those of the weight
    b.theirs = theirs("lora_B");
    b.ours = adapter_output_name(layer);
    b.shape = std::move(shape_of_b);
    b.transposed = false;
    adapters.push_back({module, layer, std::move(weight), std::move(a), std::move(b)});
  }
  return adapters;
}

std::string target_module(std::string_view module) {
  const std::size_t dot = module.rfind('.');
  const std::string_view last = module.substr(dot + 1);
  if (last != "c_proj") return std::string(last);
  return std::string(module.substr(module.rfind('.', dot - 1) + 1));
}

void add_product(std::span<float> weight, std::span<const float> a, std::span<const float> b,
                 std::size_t rank, float factor) {
  const std::size_t inputs = a.size() / rank, rows = b.size() / rank;
  std::vector<float> sum(inputs);
  for (std::size_t n = 0; n < rows; ++n) {
    std::fill(sum.begin(), sum.end(), 0.0F);
    for (std::size_t k = 0; k < rank; ++k) {
      const float of_row = b[n * rank + k];
      for (std::size_t i = 0; i < inputs; ++i) sum[i] += of_row * a[k * inputs + i];
    }
    for (std::size_t i = 0; i < inputs; ++i) weight[n * inputs + i] += factor * sum[i];
  }
}

}  // namespace megascale::checkpoint::huggingface
