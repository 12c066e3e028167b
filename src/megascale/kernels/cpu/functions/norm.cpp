#include "megascale/kernels/cpu/norm.h"

#include <array>

#include "megascale/kernels/cpu/functions/functions.h"

namespace megascale::kernels::cpu {
namespace {

float epsilon(const KernelSpec& spec) {
  return static_cast<float>(spec.attributes->real("epsilon"));
}

std::unique_ptr<TaskFunction> prepare_layer_norm(const KernelSpec& spec) {
  return function([rows = Rows(spec, 0), channels = spec.size(0, 1),
                   eps = epsilon(spec)](const TaskArguments& a) {
    layer_norm_forward({.tokens = rows(a),
                        .channels = channels,
                        .x = f32(a, 0),
                        .gamma = f32(a, 1),
                        .beta = f32(a, 2),
                        .y = f32(a, 3),
                        .mean = f32(a, 4),
                        .rstd = f32(a, 5),
                        .eps = eps});
  });
}

std::unique_ptr<TaskFunction> prepare_layer_norm_gradient(const KernelSpec& spec) {
  return function([tokens = spec.size(1, 0), channels = spec.size(1, 1)](const TaskArguments& a) {
    layer_norm_backward({.tokens = tokens,
                         .channels = channels,
                         .dy = f32(a, 0),
                         .x = f32(a, 1),
                         .gamma = f32(a, 2),
                         .mean = f32(a, 3),
                         .rstd = f32(a, 4),
                         .addend = f32(a, 5),
                         .dx = f32(a, 6),
                         .dgamma = f32(a, 7),
                         .dbeta = f32(a, 8),
                         .accumulate = !a.first,
                         .scratch = scratch(a)});
  });
}

std::unique_ptr<TaskFunction> prepare_rms_norm(const KernelSpec& spec) {
  return function([rows = Rows(spec, 0), channels = spec.size(0, 1),
                   eps = epsilon(spec)](const TaskArguments& a) {
    rms_norm_forward({.tokens = rows(a),
                      .channels = channels,
                      .x = f32(a, 0),
                      .gamma = f32(a, 1),
                      .y = f32(a, 2),
                      .rstd = f32(a, 3),
                      .eps = eps});
  });
}

std::unique_ptr<TaskFunction> prepare_rms_norm_gradient(const KernelSpec& spec) {
  return function([tokens = spec.size(1, 0), channels = spec.size(1, 1)](const TaskArguments& a) {
    rms_norm_backward({.tokens = tokens,
                       .channels = channels,
                       .dy = f32(a, 0),
                       .x = f32(a, 1),
                       .gamma = f32(a, 2),
                       .rstd = f32(a, 3),
                       .addend = f32(a, 4),
                       .dx = f32(a, 5),
                       .dgamma = f32(a, 6),
                       .accumulate = !a.first,
                       .scratch = scratch(a)});
  });
}

std::uint64_t scratch_gradient(const KernelSpec& spec) {
  return norm_backward_scratch_bytes(spec.size(1, 0), spec.size(1, 1));
}

}  // namespace

std::span<const Kernel> norm_kernels() {
  static constexpr std::array kKernels{
      Kernel{"layer_norm", Device::cpu, prepare_layer_norm, nullptr},
      Kernel{"layer_norm_gradient", Device::cpu, prepare_layer_norm_gradient, scratch_gradient},
      Kernel{"rms_norm", Device::cpu, prepare_rms_norm, nullptr},
      Kernel{"rms_norm_gradient", Device::cpu, prepare_rms_norm_gradient, scratch_gradient}};
  return kKernels;
}

}  // namespace megascale::kernels::cpu
