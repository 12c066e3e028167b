#ifndef MEGASCALE_KERNELS_CUDA_ACTIVATION_H_
#define MEGASCALE_KERNELS_CUDA_ACTIVATION_H_

#include <cstddef>
#include <cstdint>

#include "megascale/base/dtype.h"
#include "megascale/kernels/cuda/row_count.h"

struct CUstream_st;

// GELU, gated activations and soft caps on a device; the formulas are those of
// kernels/cpu/activation.h. All of these kernels are memory bound.
//
// These rules hold for all headers of this folder that refer to this one:
// Storage    device memory, row-major, packed, float32 or bfloat16 (`dtype`). Arithmetic: float32.
// Alignment  addresses are multiples of 16 bytes.
// Failures   a function only enqueues its work on the stream. cuda::take_error() reports a failed
//            launch. Functions that wait for the work report errors of the running work.
// Bits       do not depend on timing.
namespace megascale::kernels::cuda {

// y = gelu(x), in the tanh form or, if `exact`, by the error function; count elements in rows of
// `channels`.  Alias  y may be x.  Moves 2 count elements.
// Error  as on the CPU, plus 4 u for the device's exp, then one rounding to dtype; u = 2^-24.
struct Gelu {
  std::size_t count = 0, channels = 1;
  RowCount counted = {};
  DType dtype = DType::float32;
  bool exact = false;
  const void* x = nullptr;
  void* y = nullptr;
};
void gelu_forward(const Gelu& args, CUstream_st* stream) noexcept;

// dx = dy gelu'(x).  Alias  dx may be dy or x.  Moves 3 count elements.
struct GeluGradient {
  std::size_t count = 0, channels = 1;
  RowCount counted = {};
  DType dtype = DType::float32;
  bool exact = false;
  const void* dy = nullptr;
  const void* x = nullptr;
  void* dx = nullptr;
};
void gelu_gradient(const GeluGradient& args, CUstream_st* stream) noexcept;

// y = f(x[:, 0:F]) x[:, F:2F];  x (N, 2F), y (N, F).  Alias  nothing overlaps.  Moves 3 N F
// elements. f is SiLU (SwiGLU) or the tanh form of GELU (GeGLU).
enum class GateForm : std::uint8_t { silu, gelu };
struct GatedUnit {
  std::size_t tokens = 0, width = 0;  // N, F
  GateForm form = GateForm::silu;
  RowCount counted = {};
  DType dtype = DType::float32;
  const void* x = nullptr;
  void* y = nullptr;
};
void gated_forward(const GatedUnit& args, CUstream_st* stream) noexcept;

// dy (N, F); x, dx (N, 2F).  Alias  dx may be x.  Moves 5 N F elements.
struct GatedUnitGradient {
  std::size_t tokens = 0, width = 0;
  GateForm form = GateForm::silu;
  RowCount counted = {};
  DType dtype = DType::float32;
  const void* dy = nullptr;
  const void* x = nullptr;
  void* dx = nullptr;
};
void gated_gradient(const GatedUnitGradient& args, CUstream_st* stream) noexcept;

// y = c tanh(x / c), count elements in rows of `channels`.  Alias  y may be x.  Moves 2 count
// elements.
struct SoftCap {
  std::size_t count = 0, channels = 1;
  RowCount counted = {};
  DType dtype = DType::float32;
  float cap = 1;  // c
  const void* x = nullptr;
  void* y = nullptr;
};
void soft_cap_forward(const SoftCap& args, CUstream_st* stream) noexcept;

// dx = dy (1 - (y / c)^2).  Alias  dx may be dy or y.  Moves 3 count elements.
struct SoftCapGradient {
  std::size_t count = 0, channels = 1;
  RowCount counted = {};
  DType dtype = DType::float32;
  float cap = 1;
  const void* dy = nullptr;
  const void* y = nullptr;
  void* dx = nullptr;
};
void soft_cap_gradient(const SoftCapGradient& args, CUstream_st* stream) noexcept;

}  // namespace megascale::kernels::cuda

#endif  // MEGASCALE_KERNELS_CUDA_ACTIVATION_H_
