#include "megascale/kernels/cuda/norm.h"

#include <fmt/format.h>

#include <array>

#include "megascale/kernels/cuda/functions/functions.h"

namespace megascale::kernels::cuda {
namespace {

template <bool kCentered>
std::unique_ptr<TaskFunction> prepare_norm(const KernelSpec& spec) {
  const Norm norm{.tokens = spec.size(0, 0),
                  .channels = spec.size(0, 1),
                  .dtype = dtype_of(spec, 0),
                  .eps = static_cast<float>(spec.attributes->real("epsilon"))};
  return function([norm](const TaskArguments& a) {
    Norm bound = norm;
    bound.x = raw(a, 0);
    bound.gamma = raw(a, 1);
    if constexpr (kCentered) {
      bound.beta = raw(a, 2);
      bound.y = raw(a, 3);
      bound.mean = f32(a, 4);
      bound.rstd = f32(a, 5);
    } else {
      bound.y = raw(a, 2);
      bound.rstd = f32(a, 3);
    }
    norm_forward(bound, a.stream);
  });
}

template <bool kCentered>
std::unique_ptr<TaskFunction> prepare_gradient(const KernelSpec& spec) {
  const NormGradient norm{
      .tokens = spec.size(1, 0), .channels = spec.size(1, 1), .dtype = dtype_of(spec, 1)};
  if (norm.channels > kMostNormChannels) {
    throw Error(ErrorCode::unsupported,
                fmt::format("the gradient of a norm on a device has at most {} channels, found {}",
                            kMostNormChannels, norm.channels));
  }
  return function([norm](const TaskArguments& a) {
    NormGradient bound = norm;
    bound.dy = raw(a, 0);
    bound.x = raw(a, 1);
    bound.gamma = raw(a, 2);
    std::size_t next = 3;
    if constexpr (kCentered) bound.mean = f32(a, next++);
    bound.rstd = f32(a, next++);
    bound.addend = raw(a, next++);
    bound.dx = raw(a, next++);
    bound.dgamma = f32(a, next++);
    if constexpr (kCentered) bound.dbeta = f32(a, next++);
    bound.accumulate = !a.first;
    bound.scratch = reinterpret_cast<float*>(scratch(a));
    norm_gradient(bound, a.stream);
  });
}

}  // namespace

std::span<const Prepare> norm_functions() {
  static constexpr std::array kFunctions{Prepare{"layer_norm", prepare_norm<true>},
                                         Prepare{"layer_norm_gradient", prepare_gradient<true>},
                                         Prepare{"rms_norm", prepare_norm<false>},
                                         Prepare{"rms_norm_gradient", prepare_gradient<false>}};
  return kFunctions;
}

}  // namespace megascale::kernels::cuda
