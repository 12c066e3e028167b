#ifndef MEGASCALE_KERNELS_CUDA_ROPE_H_
#define MEGASCALE_KERNELS_CUDA_ROPE_H_

#include <cstddef>
#include <cstdint>

#include "megascale/base/dtype.h"
#include "megascale/graph/rope_scaling.h"
#include "megascale/kernels/cuda/row_count.h"

struct CUstream_st;

// Rotary position embedding on a device. Formulas and table are those of kernels/cpu/rope.h. N
// tokens, head size HS, of which the first R channels (even) are rotated. Storage, alignment,
// failures: see activation.h. The table is float32.
namespace megascale::kernels::cuda {

// Fills table (positions, 2, R/2): for each position the cosines, then the sines, of the angles
// position * base^(-2 i / R), with frequencies that are scaled as `scaling` says, times
// scaling.attention_factor. They are computed
// in float64 and rounded to float32 once.
struct RopeTable {
  std::size_t positions = 0, channels = 0;  // rows of the table; R
  RowCount counted = {};
  double base = 10000;
  graph::RopeScaling scaling = {};
  const std::int32_t* position = nullptr;  // of each row; null: 0 .. positions - 1
  float* table = nullptr;
};
void rope_table(const RopeTable& args, CUstream_st* stream) noexcept;

// Rotates the first `heads` heads of every row of x (N, row); all other elements are copied.
// `inverse` multiplies by the transpose, as the gradient needs.  Alias  y may be x.
// Needs  HS is even, `row` is a multiple of HS; 0 <= position[n] < positions of the table.
struct Rope {
  std::size_t tokens = 0, row = 0, heads = 0, head_size = 0;
  std::size_t rotated = 0;  // R
  RowCount counted = {};
  DType dtype = DType::float32;
  const void* x = nullptr;
  void* y = nullptr;
  const std::int32_t* position = nullptr;  // (N); null: row n of the table is that of token n
  const float* table = nullptr;
  bool inverse = false;
};
void rope(const Rope& args, CUstream_st* stream) noexcept;

}  // namespace megascale::kernels::cuda

#endif  // MEGASCALE_KERNELS_CUDA_ROPE_H_
