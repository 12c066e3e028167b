#ifndef MEGASCALE_KERNELS_CPU_FUNCTIONS_ACTIVATION_FUNCTIONS_H_
#define MEGASCALE_KERNELS_CPU_FUNCTIONS_ACTIVATION_FUNCTIONS_H_

#include "megascale/kernels/cpu/activation.h"
#include "megascale/kernels/cpu/functions/functions.h"

// Task functions of activations. `kKernel` is the numeric kernel that they call, fused or plain; it
// takes the operands of activation.h (run_kernel()).
namespace megascale::kernels::cpu {

template <auto kKernel>
std::unique_ptr<TaskFunction> prepare_gelu(const KernelSpec& spec) {
  using enum graph::gelu::Operand;
  return function([rows = Rows(spec, input),
                   channels = spec.size(input, 1)](const TaskArguments& a) {
    run_kernel<kKernel>(
        a, GeluForward{
               .tokens = rows(a), .channels = channels, .x = f32(a, input), .y = f32(a, output)});
  });
}

template <auto kKernel>
std::unique_ptr<TaskFunction> prepare_gelu_gradient(const KernelSpec& spec) {
  using enum graph::gelu_gradient::Operand;
  return function(
      [rows = Rows(spec, input), channels = spec.size(input, 1)](const TaskArguments& a) {
        run_kernel<kKernel>(a, GeluBackward{.tokens = rows(a),
                                            .channels = channels,
                                            .dy = f32(a, gradient),
                                            .x = f32(a, input),
                                            .dx = f32(a, input_gradient)});
      });
}

template <auto kKernel>
std::unique_ptr<TaskFunction> prepare_swiglu(const KernelSpec& spec) {
  using enum graph::swiglu::Operand;
  return function([rows = Rows(spec, output),
                   width = spec.size(output, 1)](const TaskArguments& a) {
    run_kernel<kKernel>(
        a,
        SwigluForward{.tokens = rows(a), .width = width, .x = f32(a, input), .y = f32(a, output)});
  });
}

template <auto kKernel>
std::unique_ptr<TaskFunction> prepare_swiglu_gradient(const KernelSpec& spec) {
  using enum graph::swiglu_gradient::Operand;
  return function(
      [rows = Rows(spec, gradient), width = spec.size(gradient, 1)](const TaskArguments& a) {
        run_kernel<kKernel>(a, SwigluBackward{.tokens = rows(a),
                                              .width = width,
                                              .dy = f32(a, gradient),
                                              .x = f32(a, input),
                                              .dx = f32(a, input_gradient)});
      });
}

}  // namespace megascale::kernels::cpu

#endif  // MEGASCALE_KERNELS_CPU_FUNCTIONS_ACTIVATION_FUNCTIONS_H_
