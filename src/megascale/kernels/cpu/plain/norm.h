#ifndef MEGASCALE_KERNELS_CPU_PLAIN_NORM_H_
#define MEGASCALE_KERNELS_CPU_PLAIN_NORM_H_

#include "megascale/kernels/cpu/norm.h"

// LayerNorm and RMSNorm as chains of single operations over arrays (array.h): the baseline for the
// fused kernels. Formulas, shapes and operands are those of norm.h. The backward pass normalises x
// again.
// Alias   as in norm.h.
// Cost    LayerNorm moves 12 N C floats forward and 28 backward, RMSNorm 7 and 22; the fused
//         kernels move 2 and 3.
namespace megascale::kernels::cpu::plain {

// `scratch` must hold norm_scratch_bytes().
void layer_norm_forward(const NormForward& args, float* scratch) noexcept;
void rms_norm_forward(const NormForward& args, float* scratch) noexcept;
[[nodiscard]] std::size_t norm_scratch_bytes(std::size_t tokens, std::size_t channels) noexcept;

// args.scratch must hold norm_gradient_scratch_bytes().
void layer_norm_backward(const NormBackward& args) noexcept;
void rms_norm_backward(const NormBackward& args) noexcept;
[[nodiscard]] std::size_t norm_gradient_scratch_bytes(std::size_t tokens,
                                                      std::size_t channels) noexcept;

}  // namespace megascale::kernels::cpu::plain

#endif  // MEGASCALE_KERNELS_CPU_PLAIN_NORM_H_
