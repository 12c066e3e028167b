#ifndef MEGASCALE_KERNELS_CUDA_FUNCTIONS_LINEAR_FP8_H_
#define MEGASCALE_KERNELS_CUDA_FUNCTIONS_LINEAR_FP8_H_

#include <memory>

#include "megascale/kernels/cuda/gemm.h"
#include "megascale/kernels/cuda/quantise.h"
#include "megascale/kernels/function.h"

// Linear layers whose products have 8-bit operands (attribute "fp8", model.fp8). The operands of
// the op are bfloat16. Each product first rounds its two operands into scratch, each with a scale
// from its own largest value. No scale is kept after the task, so checkpoints and parallel layouts
// do not depend on 8-bit operands.
namespace megascale::kernels::cuda {

[[nodiscard]] inline bool is_fp8(const KernelSpec& spec) {
  return spec.attributes->integer(graph::attribute::fp8, 0) != 0;
}

// The layout of the scratch: the offsets in bytes of the rounded operands, their scales and the
// partial maxima, each a multiple of 256. cuBLASLt's workspace is first. `nbytes` is the total.
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

// A product of bfloat16 operands, computed with operands that are rounded to 8 bits.
class Fp8Product {
 public:
  // `config` describes the bfloat16 product; config.fp8 is set here. Throws Error(unsupported) if
  // the type is not bfloat16 or a size is no multiple of 16.
  Fp8Product(GemmConfig config, GemmChoices* choices);
  // As Gemm::run(), with bfloat16 operands. `scratch` has Fp8Scratch::nbytes bytes and includes the
  // workspace.
  const Error* run(GemmOperands operands, std::byte* scratch, CUstream_st* stream) const noexcept;

 private:
  void round(const GemmOperands& from, std::byte* scratch, CUstream_st* stream) const noexcept;

  GemmConfig config_;
  Fp8Scratch layout_;
  Gemm gemm_;
};

}  // namespace megascale::kernels::cuda

#endif  // MEGASCALE_KERNELS_CUDA_FUNCTIONS_LINEAR_FP8_H_
