#ifndef MEGASCALE_KERNELS_CPU_PLAIN_ACTIVATION_H_
#define MEGASCALE_KERNELS_CPU_PLAIN_ACTIVATION_H_

#include "megascale/kernels/cpu/activation.h"

// GELU and SwiGLU as chains of single operations over arrays (array.h): the baseline for the fused
// kernels. Formulas, shapes and aliases are those of activation.h. GELU is written as in its
// source, 0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))).
// Cost    GELU moves 21 N C floats forward and 40 backward, SwiGLU 8 N F and 23 N F. The fused
//         kernels move 2 and 3 N C, and 3 and 5 N F.
namespace megascale::kernels::cpu::plain {

// Scratch: this many arrays, each of the size of y (forward) or dy (backward).
inline constexpr std::size_t kForwardArrays = 1, kBackwardArrays = 3;

void gelu_forward(const GeluForward& args, float* scratch) noexcept;
void gelu_backward(const GeluBackward& args, float* scratch) noexcept;
void swiglu_forward(const SwigluForward& args, float* scratch) noexcept;
void swiglu_backward(const SwigluBackward& args, float* scratch) noexcept;

}  // namespace megascale::kernels::cpu::plain

#endif  // MEGASCALE_KERNELS_CPU_PLAIN_ACTIVATION_H_
