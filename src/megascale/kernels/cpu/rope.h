#ifndef MEGASCALE_KERNELS_CPU_ROPE_H_
#define MEGASCALE_KERNELS_CPU_ROPE_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "megascale/graph/rope_scaling.h"

// Rotary position embedding in the layout of Llama and Hugging Face: component i of a head is
// paired with component i + R/2. N tokens, NH heads of size HS, of which the first R channels (even)
// are rotated; float32. Bits do not depend on the number of threads or the vector target.
namespace megascale::kernels::cpu {

struct RopeSettings {
  std::size_t positions = 0;  // rows of the table
  std::size_t channels = 0;   // R
  double theta = 10000;       // base of the frequencies
  graph::RopeScaling scaling = {};
  const std::int32_t* position = nullptr;  // of each row; null: 0 .. positions - 1
};

// Fills table (positions, 2, R/2): for each position the cosines, then the sines, of the angles
// position * theta^(-2 i / R), with frequencies that are scaled as `scaling` says, times
// scaling.attention_factor. Angles are
// computed in double; cosines and sines are rounded to float once. (Angles in float would be wrong
// by 1e-3 at position 100,000.)
// Cost    half a sine and half a cosine per element.
void rope_table(const RopeSettings& settings, std::span<float> table) noexcept;
[[nodiscard]] std::size_t rope_table_size(const RopeSettings& settings) noexcept;  // floats

// forward:   y[i]       = x[i] cos[i] - x[i + R/2] sin[i]
//            y[i + R/2] = x[i + R/2] cos[i] + x[i] sin[i];   y[c] = x[c] for c >= R
// backward:  the transpose: the same with -sin (x is dy, y is dx)
// x and y may be the query or key slice of a packed (N, 3 C) row: the heads of a token are
// contiguous, tokens are x_stride or y_stride floats apart.
// Alias   y may be x, with the same stride.
// Cost    3 N NH HS flops; moves 2 N NH HS floats: memory bound.
// Error   per element 4 u sqrt(x[i]^2 + x[i + R/2]^2), u = 2^-24, including the rounding of the
//         table.
// Needs   0 <= position[n] < positions of the table: checked when a batch is made, not here.
// Source  Su et al. 2021 (arXiv 2104.09864).
struct Rope {
  std::size_t tokens = 0, heads = 0, head_size = 0;
  std::size_t rotated = 0;  // R, at most head_size
  const float* x = nullptr;
  std::size_t x_stride = 0;
  float* y = nullptr;
  std::size_t y_stride = 0;
  const std::int32_t* position = nullptr;  // (N); null: row n of the table is that of token n
  const float* table = nullptr;            // filled by rope_table()
};
void rope_forward(const Rope& args) noexcept;
void rope_backward(const Rope& args) noexcept;

}  // namespace megascale::kernels::cpu

#endif  // MEGASCALE_KERNELS_CPU_ROPE_H_
