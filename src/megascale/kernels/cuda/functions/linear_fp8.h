#ifndef MEGASCALE_KERNELS_CUDA_FUNCTIONS_LINEAR_FP8_H_
#define MEGASCALE_KERNELS_CUDA_FUNCTIONS_LINEAR_FP8_H_

#include <memory>

#include "megascale/kernels/cuda/gemm.h"
#include "megascale/kernels/cuda/quantise.h"
#include "megascale/kernels/function.h"

// Linear layers whose products have 8-bit operands (attribute "fp8", model.fp8): every product
// rounds its two operands itself, each by its own largest value, in scratch. Nothing of it lasts
// longer than the task, so that neither checkpoints nor layouts know of it.
namespace megascale::kernels::cuda {

[[nodiscard]] inline bool is_fp8(const KernelSpec& spec) {
  return spec.attributes->integer(graph::attribute::fp8, 0) != 0;
}

// Where things lie in the scratch of such a product, all of it on multiples of 256 bytes.
struct Fp8Scratch {
  explicit constexpr Fp8Scratch(const GemmConfig& c) noexcept {
    const bool is_forward = c.kind == GemmKind::forward;
    const std::size_t left_nbytes = c.rows * (is_forward ? c.in : c.out);
    const std::size_t right_nbytes =
        c.kind == GemmKind::weight_gradient ? c.rows * c.in : c.in * c.out;
    std::size_t at = kGemmWorkspaceNbytes;
    const auto place = [&at](std::size_t wanted) {
      const std::size_t here = at;
      at += (wanted + 255) / 256 * 256;
      return here;
    };
    left = place(left_nbytes);
    right = place(right_nbytes);
    scales = place(2 * sizeof(QuantisedScale));
    parts = place(kQuantiseParts * sizeof(float));
    nbytes = at;
  }
  std::size_t left = 0, right = 0, scales = 0, parts = 0, nbytes = 0;
};

// A product of bfloat16 operands by way of 8-bit ones.
class Fp8Product {
 public:
  // `config`: without fp8. Throws Error: unsupported where a size is no multiple of 16.
  Fp8Product(GemmConfig config, GemmChoices* choices);
  // As Gemm::run(), of operands that are not rounded; `scratch`: Fp8Scratch::nbytes.
  const Error* run(GemmOperands operands, std::byte* scratch, CUstream_st* stream) const noexcept;

 private:
  void round(const GemmOperands& from, std::byte* scratch, CUstream_st* stream) const noexcept;

  GemmConfig config_;
  Fp8Scratch layout_;
  Gemm gemm_;
};

}  // namespace megascale::kernels::cuda

#endif  // MEGASCALE_KERNELS_CUDA_FUNCTIONS_LINEAR_FP8_H_
