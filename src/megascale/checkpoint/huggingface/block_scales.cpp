// Reads how weights in 8 bits are scaled, and multiplies them by their scales.
#include "megascale/checkpoint/huggingface/block_scales.h"

#include <algorithm>

#include "megascale/base/float8.h"

namespace megascale::checkpoint::huggingface {
namespace {

constexpr std::string_view kOthers =
    "weights that are quantised in another way cannot be imported; use files in bfloat16";

std::int64_t rounded_up_quotient(std::int64_t a, std::int64_t b) {
  return a / b + (a % b != 0 ? 1 : 0);
}

}  // namespace

Extents ScaleBlocks::scales_of(const Extents& matrix) const {
  return {rounded_up_quotient(matrix.at(0), rows), rounded_up_quotient(matrix.at(1), columns)};
}

std::optional<ScaleBlocks> read_scale_blocks(const JsonReader& json) {
  if (!json.has(kQuantization)) return std::nullopt;
  const JsonReader config = json.object(kQuantization);
  constexpr const char *kMethod = "quant_method", *kBlocks = "weight_block_size";
  if (!config.has(kMethod)) throw config.unsupported(kMethod, "\"fp8\"", kOthers);
  config.need(kMethod, "fp8", kOthers);
  config.need("fmt", "e4m3", kOthers);
  // Activations with stored scales would need tensors that no model of ours has.
  config.need("activation_scheme", "dynamic", kOthers);
  const auto sizes = config.counts(kBlocks);
  if (sizes.size() != 2 || std::ranges::min(sizes) == 0)
    throw config.unsupported(kBlocks, "two numbers above 0, rows and columns", kOthers);
  return ScaleBlocks{.rows = sizes[0], .columns = sizes[1]};
}

void multiply_scales(const ScaledRows& rows, std::span<float> weights) noexcept {
  const auto block_rows = static_cast<std::size_t>(rows.blocks.rows),
             block_columns = static_cast<std::size_t>(rows.blocks.columns);
  const auto scales_in_row = static_cast<std::size_t>(
      rounded_up_quotient(static_cast<std::int64_t>(rows.columns), rows.blocks.columns));
  for (std::size_t begin = 0; begin < weights.size(); begin += rows.columns) {
    const std::size_t row = rows.first_row + begin / rows.columns;
    const float* scales = rows.scales.data() + row / block_rows * scales_in_row;
    for (std::size_t first = 0; first < rows.columns; ++scales) {
      const std::size_t end = first + std::min(block_columns, rows.columns - first);
      for (; first < end; ++first) {
        const auto code = static_cast<std::uint8_t>(rows.codes[begin + first]);
        weights[begin + first] = kE4m3Values[code] * *scales;
      }
    }
  }
}

}  // namespace megascale::checkpoint::huggingface
