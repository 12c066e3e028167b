#ifndef MEGASCALE_KERNELS_CUDA_GEMM_H_
#define MEGASCALE_KERNELS_CUDA_GEMM_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "megascale/base/dtype.h"
#include "megascale/base/error.h"

struct CUstream_st;

// The three products of a linear layer on a device, by cuBLASLt.
//   forward          y[rows,out]  = x[rows,in] w[out,in]^T + bias[out] + addend[rows,out]
//                    with gelu: sum = that, y = gelu(sum), of what was not rounded
//   input_gradient   dx[rows,in]  = dy[rows,out] w[out,in] + addend[rows,in]
//                    with gelu: dx = (dy w) gelu'(sum[rows,in])
//   weight_gradient  dw[out,in]   = dy[rows,out]^T x[rows,in], or added to dw
// left, right: x and w; dy and w; dy and x.
// Dtypes  float32 throughout (TF32 off), or bfloat16 with float32 sums; dw is always float32.
// Error   float32: per element at most (K + 2) u sum_k |left_k| |right_k|, K the length of the sum,
// u = 2^-24; bfloat16: the same, then one rounding of y or dx.
// Alias   y and dx may be the addend; nothing else overlaps the result.
// Bits    equal for equal configuration, device and library, whatever the timing: of the ways to
// compute a product the library's favourite is taken, or that which the choices name. A product
// that they do not have yet is measured, and which way it gets is chance; from then on it stays.
namespace megascale::kernels::cuda {

class GemmChoices;

enum class GemmKind : std::uint8_t { forward, input_gradient, weight_gradient };

struct GemmConfig {
  GemmKind kind = GemmKind::forward;
  std::size_t rows = 0, in = 0, out = 0;
  DType dtype = DType::float32;  // of left and right
  bool bias = false;             // forward
  bool accumulate = false;       // there is an addend; weight_gradient: dw is added to
  bool gelu = false;             // bfloat16 alone; not with an addend; columns a multiple of 8
  // Left and right are 8-bit floats (quantise.h), laid out with the terms of a sum side by side:
  //   forward x[rows,in], w[out,in]; input_gradient dy[rows,out], w[in,out]; weight_gradient
  //   dy[out,rows], x[in,rows]; dy is e5m2, all else e4m3
  // dtype (bfloat16) is that of bias, addend and y or dx. Sizes are multiples of 16. Not with gelu.
  // Sums of a forward are kept with fewer digits on the way, as matrix units are fastest.
  bool fp8 = false;
};

struct GemmOperands {
  const void* left = nullptr;
  const void* right = nullptr;
  const void* bias = nullptr;
  const void* addend = nullptr;  // not of a weight gradient
  void* sum = nullptr;           // gelu: written by forward, read by input_gradient
  void* result = nullptr;
  // fp8: on the device, what left and right are to be multiplied by.
  const float* left_inverse = nullptr;
  const float* right_inverse = nullptr;
  std::byte* workspace = nullptr;  // kGemmWorkspaceNbytes, aligned to 256; may hold anything
};

// What the fastest products of Hopper ask for, by NVIDIA's recommendation.
inline constexpr std::size_t kGemmWorkspaceNbytes = std::size_t{32} << 20U;

class Gemm {
 public:
  // On the calling thread's device. Without `choices`: the library's favourite. A measurement takes
  // device memory of the size of the operands for a moment; where there is none left the favourite
  // is taken, and nothing kept. Throws Error: unsupported where cuBLASLt has no product for these
  // sizes; io.
  explicit Gemm(const GemmConfig& config, GemmChoices* choices = nullptr);
  ~Gemm();
  Gemm(Gemm&&) noexcept;
  Gemm& operator=(Gemm&&) = delete;

  // Adds the product to the stream. Null, or what was refused.
  const Error* run(const GemmOperands& operands, CUstream_st* stream) const noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace megascale::kernels::cuda

#endif  // MEGASCALE_KERNELS_CUDA_GEMM_H_
