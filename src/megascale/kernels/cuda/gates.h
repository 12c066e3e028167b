#ifndef MEGASCALE_KERNELS_CUDA_GATES_H_
#define MEGASCALE_KERNELS_CUDA_GATES_H_

#include <cstddef>

#include "megascale/base/dtype.h"
#include "megascale/kernels/cuda/row_count.h"

struct CUstream_st;

// Activations whose rows are scaled by a number each: SwiGLU with the weight of a choice, and the gate of
// a shared expert. The formulas are those of kernels/cpu/activation.h. Storage, alignment, failures: see
// activation.h. Rows are counted or all valid; all of these kernels are memory bound.
namespace megascale::kernels::cuda {

// y = silu(x[:, 0:F]) x[:, F:2F] weight;  x (N, 2F), y (N, F), weight (N).  Alias  nothing overlaps.
struct GatedSwiglu {
  std::size_t rows = 0, width = 0;  // N, F
  RowCount counted = {};
  DType dtype = DType::float32;
  const void* x = nullptr;
  const float* weight = nullptr;
  void* y = nullptr;
};
void gated_swiglu(const GatedSwiglu& args, CUstream_st* stream) noexcept;

// dy (N, F); x, dx (N, 2F); weight, dweight (N).  Alias  dx may be x.
struct GatedSwigluGradient {
  std::size_t rows = 0, width = 0;
  RowCount counted = {};
  DType dtype = DType::float32;
  const void* dy = nullptr;
  const void* x = nullptr;
  const float* weight = nullptr;
  void* dx = nullptr;
  float* dweight = nullptr;
};
void gated_swiglu_gradient(const GatedSwigluGradient& args, CUstream_st* stream) noexcept;

// y[n] = sigmoid(logits[n]) x[n];  x, y (N, C), logits (N) of `dtype`.  Alias  y may be x.
struct GateRows {
  std::size_t rows = 0, channels = 0;
  RowCount counted = {};
  DType dtype = DType::float32;
  const void* x = nullptr;
  const void* logits = nullptr;
  void* y = nullptr;
};
void gate_rows(const GateRows& args, CUstream_st* stream) noexcept;

// dy, x, dx (N, C); logits, dlogits (N) of `dtype`.  Alias  dx may be dy or x.
struct GateRowsGradient {
  std::size_t rows = 0, channels = 0;
  RowCount counted = {};
  DType dtype = DType::float32;
  const void* dy = nullptr;
  const void* x = nullptr;
  const void* logits = nullptr;
  void* dx = nullptr;
  void* dlogits = nullptr;
};
void gate_rows_gradient(const GateRowsGradient& args, CUstream_st* stream) noexcept;

}  // namespace megascale::kernels::cuda

#endif  // MEGASCALE_KERNELS_CUDA_GATES_H_
