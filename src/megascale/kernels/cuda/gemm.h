#ifndef MEGASCALE_KERNELS_CUDA_GEMM_H_
#define MEGASCALE_KERNELS_CUDA_GEMM_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "megascale/base/dtype.h"
#include "megascale/base/error.h"

struct CUstream_st;

// The three matrix products of a linear layer on a device, by cuBLASLt.
//   forward          y[rows,out]  = x[rows,in] w[out,in]^T + bias[out] + addend[rows,out]
//                    with gelu: sum = x w^T + bias; y = gelu(the sum before it is rounded)
//   input_gradient   dx[rows,in]  = dy[rows,out] w[out,in] + addend[rows,in]
//                    with gelu: dx = (dy w) gelu'(sum[rows,in])
//   weight_gradient  dw[out,in]   = dy[rows,out]^T x[rows,in], or added to dw
//                    with a bias: also db[out] = sum over the rows of dy, which is never added
// The operands `left` and `right` are x and w, dy and w, dy and x. The bias and the addend are
// optional. All matrices are row-major without gaps.
// Dtypes  float32 throughout (TF32 off), or bfloat16 with float32 sums; dw is always float32.
// Error   float32: per element at most (K + 2) u sum_k |left_k| |right_k|, K the length of the sum,
// u = 2^-24; bfloat16: the same, then one rounding of y or dx.
// Alias   y and dx may be the addend; nothing else overlaps the result.
// Bits    cuBLASLt has several algorithms for a product, whose bits differ; the choice is made when
//         a Gemm is built. Without GemmChoices it is the library's first proposal: bits are equal
//         for equal configuration, device and library. With GemmChoices it is the recorded
//         algorithm. If none is recorded yet, the fastest one is measured and recorded; this first
//         choice is not reproducible, but later runs repeat it.
namespace megascale::kernels::cuda {

class GemmChoices;

enum class GemmKind : std::uint8_t { forward, input_gradient, weight_gradient };

struct GemmConfig {
  GemmKind kind = GemmKind::forward;
  std::size_t rows = 0, in = 0, out = 0;
  DType dtype = DType::float32;  // of left and right
  bool bias = false;             // forward; weight_gradient in bfloat16, not with fp8: writes db
  bool accumulate = false;       // weight_gradient: adds to the old dw; else there is an addend
  bool gelu = false;             // bfloat16 only; no addend; columns of the result a multiple of 8
  // Left and right are 8-bit floats (quantise.h). The summed dimension is contiguous in both:
  //   forward         x[rows,in],  w[out,in]
  //   input_gradient  dy[rows,out], w[in,out]
  //   weight_gradient dy[out,rows], x[in,rows]
  // dy is e5m2, x and w are e4m3. dtype (bfloat16) is the type of bias, addend and y or dx. Sizes
  // are multiples of 16. Not with gelu. The forward uses cuBLASLt's fast accumulation: the matrix
  // unit keeps its sums with fewer bits.
  bool fp8 = false;
};

// The device addresses of one run. bias, bias_gradient and sum are multiples of 16: cuBLASLt proposes
// algorithms before it knows these addresses.
struct GemmOperands {
  const void* left = nullptr;
  const void* right = nullptr;
  const void* bias = nullptr;
  float* bias_gradient = nullptr;  // written by a weight gradient with a bias
  const void* addend = nullptr;    // ignored in a weight gradient, which adds to the result
  void* sum = nullptr;             // gelu: written by forward, read by input_gradient
  void* result = nullptr;
  // fp8: the addresses of the factors by which cuBLASLt multiplies left and right (the inverse of
  // their scale), in device memory, aligned to 16.
  const float* left_inverse = nullptr;
  const float* right_inverse = nullptr;
  std::byte* workspace = nullptr;  // kGemmWorkspaceNbytes, aligned to 256; contents never matter
};

// Bytes of workspace: the 32 MiB that NVIDIA recommends for products on Hopper.
inline constexpr std::size_t kGemmWorkspaceNbytes = std::size_t{32} << 20U;

// A prepared product: built once, run many times. One thread at a time may use it.
class Gemm {
 public:
  // Prepares the product for the calling thread's device and chooses its algorithm: without
  // `choices` cuBLASLt's first proposal, else the recorded one. If none is recorded, the proposals
  // are measured and the fastest is recorded. The measurement allocates device memory for all
  // operands and frees it. If there is not enough, the first proposal is used and nothing is
  // recorded. Throws Error(unsupported) if cuBLASLt has no algorithm for these sizes, Error(io) if
  // the choice cannot be written.
  explicit Gemm(const GemmConfig& config, GemmChoices* choices = nullptr);
  ~Gemm();
  Gemm(Gemm&&) noexcept;
  Gemm& operator=(Gemm&&) = delete;

  // Enqueues the product on the stream. Returns null, or cuBLASLt's error, which belongs to this
  // object.
  const Error* run(const GemmOperands& operands, CUstream_st* stream) const noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace megascale::kernels::cuda

#endif  // MEGASCALE_KERNELS_CUDA_GEMM_H_
