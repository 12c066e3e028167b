// Task functions of the device for LayerNorm, RMSNorm and the norm of heads, forward and backward.
#include "megascale/kernels/cuda/norm.h"

#include <fmt/format.h>

#include <array>

#include "megascale/kernels/cuda/functions/functions.h"
#include "megascale/kernels/cuda/functions/head_norm_shape.h"

namespace megascale::kernels::cuda {
namespace {

// `Operand` is the enumeration of operands of layer_norm, which has a mean and a beta, or of
// rms_norm, which has neither.
template <class Operand>
std::unique_ptr<TaskFunction> prepare_norm(const KernelSpec& spec) {
  const Norm norm{.tokens = spec.size(Operand::input, 0),
                  .channels = spec.size(Operand::input, 1),
                  .dtype = dtype_of(spec, Operand::input),
                  .eps = static_cast<float>(spec.attributes->real(graph::attribute::epsilon)),
                  .gamma_offset = gamma_offset(spec)};
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
                          .dtype = dtype_of(spec, Operand::input),
                          .gamma_offset = gamma_offset(spec)};
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

std::unique_ptr<TaskFunction> prepare_head_norm(const KernelSpec& spec) {
  using enum graph::head_norm::Operand;
  HeadNorm norm{head_norm_shape(spec, input)};
  norm.eps = static_cast<float>(spec.attributes->real(graph::attribute::epsilon));
  return function([norm, rows = Rows(spec)](const TaskArguments& a) {
    HeadNorm bound = norm;
    bound.counted = rows(a);
    bound.x = raw(a, input);
    bound.query_gamma = raw(a, query_gamma);
    bound.key_gamma = raw(a, key_gamma);
    bound.y = raw(a, output);
    bound.rstd = f32(a, rstd);
    bound.squares = f32(a, squares);
    head_norm_forward(bound, a.stream);
  });
}

std::unique_ptr<TaskFunction> prepare_head_norm_squares(const KernelSpec& spec) {
  using enum graph::head_norm_squares::Operand;
  return function(
      [shape = head_norm_shape(spec, input), rows = Rows(spec)](const TaskArguments& a) {
        HeadNormShape norms = shape;
        norms.counted = rows(a);
        head_norm_squares(norms, raw(a, input), f32(a, squares), a.stream);
      });
}

// Sets the operands that the gradient and its sums over channels have in common.
template <class Operand>
void bind_terms(const TaskArguments& a, HeadNormTerms& norm) {
  norm.dy = raw(a, Operand::gradient);
  norm.x = raw(a, Operand::input);
  norm.query_gamma = raw(a, Operand::query_gamma);
  norm.key_gamma = raw(a, Operand::key_gamma);
  norm.rstd = f32(a, Operand::rstd);
}

std::unique_ptr<TaskFunction> prepare_head_norm_products(const KernelSpec& spec) {
  using enum graph::head_norm_products::Operand;
  const HeadNormProducts norm{{head_norm_shape(spec, input)}};
  return function([norm, rows = Rows(spec)](const TaskArguments& a) {
    HeadNormProducts bound = norm;
    bound.counted = rows(a);
    bind_terms<graph::head_norm_products::Operand>(a, bound);
    bound.products = f32(a, products);
    head_norm_products(bound, a.stream);
  });
}

std::unique_ptr<TaskFunction> prepare_head_norm_gradient(const KernelSpec& spec) {
  using enum graph::head_norm_gradient::Operand;
  const HeadNormGradient norm{{head_norm_shape(spec, input)}};
  if (norm.channels() > kMostHeadNormChannels) {
    throw Error(ErrorCode::unsupported,
                fmt::format("the gradient of a norm of heads on a device has at most {} channels "
                            "of queries and keys, found {}",
                            kMostHeadNormChannels, norm.channels()));
  }
  return function([norm, rows = Rows(spec)](const TaskArguments& a) {
    HeadNormGradient bound = norm;
    bound.counted = rows(a);
    bind_terms<graph::head_norm_gradient::Operand>(a, bound);
    bound.dx = raw(a, input_gradient);
    bound.dquery_gamma = f32(a, query_gamma_gradient);
    bound.dkey_gamma = f32(a, key_gamma_gradient);
    bound.accumulate = !a.first;
    bound.scratch = reinterpret_cast<float*>(scratch(a));
    bound.products = f32(a, products);
    head_norm_gradient(bound, a.stream);
  });
}

}  // namespace

std::span<const Prepare> norm_functions() {
  static constexpr std::array kFunctions{
      Prepare{"layer_norm", prepare_norm<graph::layer_norm::Operand>},
      Prepare{"layer_norm_gradient", prepare_gradient<graph::layer_norm_gradient::Operand>},
      Prepare{"rms_norm", prepare_norm<graph::rms_norm::Operand>},
      Prepare{"rms_norm_gradient", prepare_gradient<graph::rms_norm_gradient::Operand>},
      Prepare{"head_norm", prepare_head_norm},
      Prepare{"head_norm_gradient", prepare_head_norm_gradient},
      Prepare{"head_norm_squares", prepare_head_norm_squares},
      Prepare{"head_norm_products", prepare_head_norm_products}};
  return kFunctions;
}

}  // namespace megascale::kernels::cuda
