#ifndef MEGASCALE_CHECKPOINT_HUGGINGFACE_BLOCK_SCALES_H_
#define MEGASCALE_CHECKPOINT_HUGGINGFACE_BLOCK_SCALES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "megascale/checkpoint/box.h"
#include "megascale/checkpoint/huggingface/json_reader.h"

// Weights in 8 bits as DeepSeek-V3 is published: a matrix of type F8_E4M3, and beside it a tensor with
// a scale for every block of it. A weight is the value of its code, times the scale of its block. All
// functions may be called from any thread.
namespace megascale::checkpoint::huggingface {

// The scales of NAME are the tensor NAME_scale_inv.
inline constexpr std::string_view kScalesSuffix = "_scale_inv";

// The key of config.json that says how weights are quantised.
inline constexpr const char* kQuantization = "quantization_config";

// The rows and columns of a block, counted in the file's order. Blocks at the lower and right edge may
// be cut off.
struct ScaleBlocks {
  std::int64_t rows = 0, columns = 0;
  // Returns the shape of the scales of a matrix.
  [[nodiscard]] Extents scales_of(const Extents& matrix) const;
};

// Returns the blocks that kQuantization states; nothing without this key. Throws Error naming file and
// key: unsupported if weights are quantised in another way, bad_input.
[[nodiscard]] std::optional<ScaleBlocks> read_scale_blocks(const JsonReader& json);

// Rows of a matrix in 8 bits, and the scales of the whole matrix.
struct ScaledRows {
  std::span<const std::byte> codes;  // whole rows, row-major
  std::span<const float> scales;     // scales_of(the matrix), row-major
  std::size_t first_row = 0;         // of the matrix
  std::size_t columns = 0;
  ScaleBlocks blocks;
};
// weights[i] = value of codes[i] x its scale: the exact product, rounded once to float32 (to nearest,
// ties to even). Codes of NaN become NaN; products beyond float32 become infinite.
void multiply_scales(const ScaledRows& rows, std::span<float> weights) noexcept;

}  // namespace megascale::checkpoint::huggingface

#endif  // MEGASCALE_CHECKPOINT_HUGGINGFACE_BLOCK_SCALES_H_
