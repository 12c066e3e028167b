#ifndef MEGASCALE_KERNELS_CPU_FUNCTIONS_ACTIVATION_FUNCTIONS_H_
#define MEGASCALE_KERNELS_CPU_FUNCTIONS_ACTIVATION_FUNCTIONS_H_

#include "megascale/kernels/cpu/activation.h"
#include "megascale/kernels/cpu/functions/functions.h"

// Task functions of activations. `kKernel` is the numeric kernel that they call, fused or plain; it
// takes the operands of activation.h (run_kernel()).
namespace megascale::kernels::cpu {

[[nodiscard]] inline bool is_exact(const KernelSpec& spec) {
  return spec.attributes->integer(graph::attribute::exact, 0) != 0;
}

template <auto kKernel>
std::unique_ptr<TaskFunction> prepare_gelu(const KernelSpec& spec) {
  using enum graph::gelu::Operand;
  return function([rows = Rows(spec, input), channels = spec.size(input, 1),
                   exact = is_exact(spec)](const TaskArguments& a) {
    run_kernel<kKernel>(a, GeluForward{.tokens = rows(a),
                                       .channels = channels,
                                       .x = f32(a, input),
                                       .y = f32(a, output),
                                       .exact = exact});
  });
}

template <auto kKernel>
std::unique_ptr<TaskFunction> prepare_gelu_gradient(const KernelSpec& spec) {
  using enum graph::gelu_gradient::Operand;
  return function([rows = Rows(spec, input), channels = spec.size(input, 1),
                   exact = is_exact(spec)](const TaskArguments& a) {
    run_kernel<kKernel>(a, GeluBackward{.tokens = rows(a),
                                        .channels = channels,
                                        .dy = f32(a, gradient),
                                        .x = f32(a, input),
                                        .dx = f32(a, input_gradient),
                                        .exact = exact});
  });
}

// Activations with a gate: `Forward` and `Backward` are the operands of the numeric kernel, `Operand`
// the op kind's enumeration of operands.
template <class Forward, class Operand, auto kKernel>
std::unique_ptr<TaskFunction> prepare_gated(const KernelSpec& spec) {
  return function([rows = Rows(spec, Operand::output),
                   width = spec.size(Operand::output, 1)](const TaskArguments& a) {
    run_kernel<kKernel>(a, Forward{.tokens = rows(a),
                                   .width = width,
                                   .x = f32(a, Operand::input),
                                   .y = f32(a, Operand::output)});
  });
}

template <class Backward, class Operand, auto kKernel>
std::unique_ptr<TaskFunction> prepare_gated_gradient(const KernelSpec& spec) {
  return function([rows = Rows(spec, Operand::gradient),
                   width = spec.size(Operand::gradient, 1)](const TaskArguments& a) {
    run_kernel<kKernel>(a, Backward{.tokens = rows(a),
                                    .width = width,
                                    .dy = f32(a, Operand::gradient),
                                    .x = f32(a, Operand::input),
                                    .dx = f32(a, Operand::input_gradient)});
  });
}

}  // namespace megascale::kernels::cpu

#endif  // MEGASCALE_KERNELS_CPU_FUNCTIONS_ACTIVATION_FUNCTIONS_H_
