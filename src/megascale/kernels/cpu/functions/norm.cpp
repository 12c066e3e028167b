// Task functions of the CPU for LayerNorm and RMSNorm, forward and backward. The gradients of gamma
// and beta are overwritten by the first micro-batch of a step and added to by the others.
#include "megascale/kernels/cpu/norm.h"

#include <array>

#include "megascale/kernels/cpu/functions/functions.h"

namespace megascale::kernels::cpu {
namespace {

float epsilon(const KernelSpec& spec) {
  return static_cast<float>(spec.attributes->real(graph::attribute::epsilon));
}

std::unique_ptr<TaskFunction> prepare_layer_norm(const KernelSpec& spec) {
  using enum graph::layer_norm::Operand;
  return function([rows = Rows(spec, input), channels = spec.size(input, 1),
                   eps = epsilon(spec)](const TaskArguments& a) {
    layer_norm_forward({.tokens = rows(a),
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

std::unique_ptr<TaskFunction> prepare_layer_norm_gradient(const KernelSpec& spec) {
  using enum graph::layer_norm_gradient::Operand;
  return function(
      [rows = Rows(spec, input), channels = spec.size(input, 1)](const TaskArguments& a) {
        layer_norm_backward({.tokens = rows(a),
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

std::unique_ptr<TaskFunction> prepare_rms_norm(const KernelSpec& spec) {
  using enum graph::rms_norm::Operand;
  return function([rows = Rows(spec, input), channels = spec.size(input, 1),
                   eps = epsilon(spec)](const TaskArguments& a) {
    rms_norm_forward({.tokens = rows(a),
                      .channels = channels,
                      .x = f32(a, input),
                      .gamma = f32(a, gamma),
                      .y = f32(a, output),
                      .rstd = f32(a, rstd),
                      .eps = eps});
  });
}

std::unique_ptr<TaskFunction> prepare_rms_norm_gradient(const KernelSpec& spec) {
  using enum graph::rms_norm_gradient::Operand;
  return function(
      [rows = Rows(spec, input), channels = spec.size(input, 1)](const TaskArguments& a) {
        rms_norm_backward({.tokens = rows(a),
                           .channels = channels,
                           .dy = f32(a, gradient),
                           .x = f32(a, input),
                           .gamma = f32(a, gamma),
                           .rstd = f32(a, rstd),
                           .addend = f32(a, addend),
                           .dx = f32(a, input_gradient),
                           .dgamma = f32(a, gamma_gradient),
                           .accumulate = !a.first,
                           .scratch = scratch(a)});
      });
}

// Returns the bytes of scratch for the partial sums of the gradients of gamma and beta. With
// counted rows it is enough for every possible count.
template <class Operand>
std::uint64_t scratch_gradient(const KernelSpec& spec) {
  const std::size_t rows = spec.size(Operand::input, 0), channels = spec.size(Operand::input, 1);
  return spec.counted.empty() ? norm_backward_scratch_bytes(rows, channels)
                              : most_partial_sum_bytes(rows, channels, 2);
}

}  // namespace

std::span<const Kernel> norm_kernels() {
  static constexpr std::array kKernels{
      Kernel{"layer_norm", Device::cpu, prepare_layer_norm, nullptr, kCountedRows},
      Kernel{"layer_norm_gradient", Device::cpu, prepare_layer_norm_gradient,
             scratch_gradient<graph::layer_norm_gradient::Operand>, kCountedRows},
      Kernel{"rms_norm", Device::cpu, prepare_rms_norm, nullptr, kCountedRows},
      Kernel{"rms_norm_gradient", Device::cpu, prepare_rms_norm_gradient,
             scratch_gradient<graph::rms_norm_gradient::Operand>, kCountedRows}};
  return kKernels;
}

}  // namespace megascale::kernels::cpu
