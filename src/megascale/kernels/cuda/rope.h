#ifndef MEGASCALE_KERNELS_CUDA_ROPE_H_
#define MEGASCALE_KERNELS_CUDA_ROPE_H_

#include <cstddef>
#include <cstdint>

#include "megascale/base/dtype.h"
#include "megascale/kernels/cuda/row_count.h"

struct CUstream_st;

// Rotary position embedding; formulas and table as in kernels/cpu/rope.h. Storage, alignment,
// failures: see activation.h; the table is float32.
namespace megascale::kernels::cuda {

// table (positions, 2, HS/2): cosines, then sines, of position base^(-2 i / HS). Angles in float64,
// rounded once.
struct RopeTable {
  std::size_t positions = 0, head_size = 0;
  double base = 10000;
  float* table = nullptr;
};
void rope_table(const RopeTable& args, CUstream_st* stream) noexcept;

// Rotates the first `heads` heads of every row of x (N, row); the elements behind them are carried
// over. `inverse`: by the negative angle, the gradient.  Alias  y may be x.
struct Rope {
  std::size_t tokens = 0, row = 0, heads = 0, head_size = 0;
  RowCount counted = {};
  DType dtype = DType::float32;
  const void* x = nullptr;
  void* y = nullptr;
  const std::int32_t* position = nullptr;  // (N)
  const float* table = nullptr;
  bool inverse = false;
};
void rope(const Rope& args, CUstream_st* stream) noexcept;

}  // namespace megascale::kernels::cuda

#endif  // MEGASCALE_KERNELS_CUDA_ROPE_H_
