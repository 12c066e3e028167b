// Task functions of the device for LayerNorm and RMSNorm, forward and backward.
#include "megascale/kernels/cuda/norm.h"

#include <fmt/format.h>

#include <array>

#include "megascale/kernels/cuda/functions/functions.h"

namespace megascale::kernels::cuda {
namespace {

// `Operand` is the enumeration of operands of layer_norm, which has a mean and a beta, or of
// rms_norm, which has neither.
template <class Operand>
std::unique_ptr<TaskFunction> prepare_norm(const KernelSpec& spec) {
  const Norm norm{.tokens = spec.size(Operand::input, 0),
                  .channels = spec.size(Operand::input, 1),
                  .dtype = dtype_of(spec, Operand::input),
                  .eps = static_cast<float>(spec.attributes->real(graph::attribute::epsilon))};
  return function([norm, rows = Rows(spec)](const TaskArguments& a) {
    Norm bound = norm;
    bound.counted = rows(a);
    bound.x = raw(a, Operand::input);
    bound.gamma = raw(a, Operand::gamma);
    bound.y = raw(a, Operand::output);
    bound.rstd = f32(a, Operand::rstd);
    if constexpr (requires { Operand::mean; }) {
      bound.beta = raw(a, Operand::beta);
      bound.mean = f32(a, Operand::mean);
    }
    norm_forward(bound, a.stream);
  });
}

template <class Operand>
std::unique_ptr<TaskFunction> prepare_gradient(const KernelSpec& spec) {
  const NormGradient norm{.tokens = spec.size(Operand::input, 0),
                          .channels = spec.size(Operand::input, 1),
                          .dtype = dtype_of(spec, Operand::input)};
  if (norm.channels > kMostNormChannels) {
    throw Error(ErrorCode::unsupported,
                fmt::format("the gradient of a norm on a device has at most {} channels, found {}",
                            kMostNormChannels, norm.channels));
  }
  return function([norm, rows = Rows(spec)](const TaskArguments& a) {
    NormGradient bound = norm;
    bound.counted = rows(a);
    bound.dy = raw(a, Operand::gradient);
    bound.x = raw(a, Operand::input);
    bound.gamma = raw(a, Operand::gamma);
    bound.rstd = f32(a, Operand::rstd);
    bound.addend = raw(a, Operand::addend);
    bound.dx = raw(a, Operand::input_gradient);
    bound.dgamma = f32(a, Operand::gamma_gradient);
    if constexpr (requires { Operand::mean; }) {
      bound.mean = f32(a, Operand::mean);
      bound.dbeta = f32(a, Operand::beta_gradient);
    }
    bound.accumulate = !a.first;
    bound.scratch = reinterpret_cast<float*>(scratch(a));
    norm_gradient(bound, a.stream);
  });
}

}  // namespace

std::span<const Prepare> norm_functions() {
  static constexpr std::array kFunctions{
      Prepare{"layer_norm", prepare_norm<graph::layer_norm::Operand>},
      Prepare{"layer_norm_gradient", prepare_gradient<graph::layer_norm_gradient::Operand>},
      Prepare{"rms_norm", prepare_norm<graph::rms_norm::Operand>},
      Prepare{"rms_norm_gradient", prepare_gradient<graph::rms_norm_gradient::Operand>}};
  return kFunctions;
}

}  // namespace megascale::kernels::cuda
