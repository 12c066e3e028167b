#ifndef MEGASCALE_KERNELS_CPU_FUNCTIONS_NORM_FUNCTIONS_H_
#define MEGASCALE_KERNELS_CPU_FUNCTIONS_NORM_FUNCTIONS_H_

#include "megascale/kernels/cpu/functions/functions.h"
#include "megascale/kernels/cpu/norm.h"

// Task functions of norms. `kKernel` is the numeric kernel that they call, fused or plain; it takes
// the operands of norm.h (run_kernel()).
namespace megascale::kernels::cpu {

[[nodiscard]] inline float norm_epsilon(const KernelSpec& spec) {
  return static_cast<float>(spec.attributes->real(graph::attribute::epsilon));
}

[[nodiscard]] inline float gamma_offset(const KernelSpec& spec) {
  return static_cast<float>(spec.attributes->real(graph::attribute::gamma_offset, 0));
}

template <auto kKernel>
std::unique_ptr<TaskFunction> prepare_layer_norm(const KernelSpec& spec) {
  using enum graph::layer_norm::Operand;
  return function([rows = Rows(spec, input), channels = spec.size(input, 1),
                   eps = norm_epsilon(spec)](const TaskArguments& a) {
    run_kernel<kKernel>(a, NormForward{.tokens = rows(a),
                                       .channels = channels,
                                       .x = f32(a, input),
                                       .gamma = f32(a, gamma),
                                       .beta = f32(a, beta),
                                       .y = f32(a, output),
                                       .mean = f32(a, mean),
                                       .rstd = f32(a, rstd),
                                       .eps = eps});
  });
}

template <auto kKernel>
std::unique_ptr<TaskFunction> prepare_layer_norm_gradient(const KernelSpec& spec) {
  using enum graph::layer_norm_gradient::Operand;
  return function(
      [rows = Rows(spec, input), channels = spec.size(input, 1)](const TaskArguments& a) {
        run_kernel<kKernel>(a, NormBackward{.tokens = rows(a),
                                            .channels = channels,
                                            .dy = f32(a, gradient),
                                            .x = f32(a, input),
                                            .gamma = f32(a, gamma),
                                            .mean = f32(a, mean),
                                            .rstd = f32(a, rstd),
                                            .addend = f32(a, addend),
                                            .dx = f32(a, input_gradient),
                                            .dgamma = f32(a, gamma_gradient),
                                            .dbeta = f32(a, beta_gradient),
                                            .accumulate = !a.first,
                                            .scratch = scratch(a)});
      });
}

template <auto kKernel>
std::unique_ptr<TaskFunction> prepare_rms_norm(const KernelSpec& spec) {
  using enum graph::rms_norm::Operand;
  return function([rows = Rows(spec, input), channels = spec.size(input, 1),
                   eps = norm_epsilon(spec), offset = gamma_offset(spec)](const TaskArguments& a) {
    run_kernel<kKernel>(a, NormForward{.tokens = rows(a),
                                       .channels = channels,
                                       .x = f32(a, input),
                                       .gamma = f32(a, gamma),
                                       .y = f32(a, output),
                                       .rstd = f32(a, rstd),
                                       .eps = eps,
                                       .gamma_offset = offset});
  });
}

template <auto kKernel>
std::unique_ptr<TaskFunction> prepare_rms_norm_gradient(const KernelSpec& spec) {
  using enum graph::rms_norm_gradient::Operand;
  return function([rows = Rows(spec, input), channels = spec.size(input, 1),
                   offset = gamma_offset(spec)](const TaskArguments& a) {
    run_kernel<kKernel>(a, NormBackward{.tokens = rows(a),
                                        .channels = channels,
                                        .dy = f32(a, gradient),
                                        .x = f32(a, input),
                                        .gamma = f32(a, gamma),
                                        .rstd = f32(a, rstd),
                                        .addend = f32(a, addend),
                                        .dx = f32(a, input_gradient),
                                        .gamma_offset = offset,
                                        .dgamma = f32(a, gamma_gradient),
                                        .accumulate = !a.first,
                                        .scratch = scratch(a)});
  });
}

}  // namespace megascale::kernels::cpu

#endif  // MEGASCALE_KERNELS_CPU_FUNCTIONS_NORM_FUNCTIONS_H_
