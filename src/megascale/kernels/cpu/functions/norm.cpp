// Task functions of the CPU for LayerNorm, RMSNorm and the norm of heads, forward and backward. The
// gradients of gamma and beta are overwritten by the first micro-batch of a step and added to by the
// others.
#include "megascale/kernels/cpu/norm.h"

#include <array>

#include "megascale/kernels/cpu/functions/norm_functions.h"
#include "megascale/kernels/cpu/head_norm.h"

namespace megascale::kernels::cpu {
namespace {

// Returns the bytes of scratch for the partial sums of the gradients of gamma and beta. With
// counted rows it is enough for every possible count.
template <class Operand>
std::uint64_t scratch_gradient(const KernelSpec& spec) {
  const std::size_t rows = spec.size(Operand::input, 0), channels = spec.size(Operand::input, 1);
  return spec.counted.empty() ? norm_backward_scratch_bytes(rows, channels)
                              : most_partial_sum_bytes(rows, channels, 2);
}

// Returns the sizes of a norm of heads; the tokens are set for each task.
HeadNormShape head_norm_shape(const KernelSpec& spec) {
  return {.query_heads = static_cast<std::size_t>(spec.attribute(graph::attribute::heads)),
          .key_heads = static_cast<std::size_t>(spec.attribute(graph::attribute::groups)),
          .head_size = static_cast<std::size_t>(spec.attribute(graph::attribute::head_dim)),
          .whole = spec.attributes->integer(graph::attribute::whole, 0) != 0,
          .gamma_offset = gamma_offset(spec),
          .ranks = static_cast<std::size_t>(spec.attributes->integer(graph::attribute::ranks, 1))};
}

std::unique_ptr<TaskFunction> prepare_head_norm(const KernelSpec& spec) {
  using enum graph::head_norm::Operand;
  return function([shape = head_norm_shape(spec), rows = Rows(spec, input),
                   eps = norm_epsilon(spec)](const TaskArguments& a) {
    HeadNormForward norm{shape};
    norm.tokens = rows(a);
    norm.x = f32(a, input);
    norm.query_gamma = f32(a, query_gamma);
    norm.key_gamma = f32(a, key_gamma);
    norm.y = f32(a, output);
    norm.rstd = f32(a, rstd);
    norm.eps = eps;
    norm.squares = f32(a, squares);
    head_norm_forward(norm);
  });
}

std::unique_ptr<TaskFunction> prepare_head_norm_squares(const KernelSpec& spec) {
  using enum graph::head_norm_squares::Operand;
  return function(
      [shape = head_norm_shape(spec), rows = Rows(spec, input)](const TaskArguments& a) {
        HeadNormShape norms = shape;
        norms.tokens = rows(a);
        head_norm_squares(norms, f32(a, input), f32(a, squares));
      });
}

// Sets the operands that the gradient and its sums over channels have in common.
template <class Operand>
void bind_terms(const TaskArguments& a, HeadNormTerms& norm) {
  norm.dy = f32(a, Operand::gradient);
  norm.x = f32(a, Operand::input);
  norm.query_gamma = f32(a, Operand::query_gamma);
  norm.key_gamma = f32(a, Operand::key_gamma);
  norm.rstd = f32(a, Operand::rstd);
}

std::unique_ptr<TaskFunction> prepare_head_norm_products(const KernelSpec& spec) {
  using enum graph::head_norm_products::Operand;
  return function(
      [shape = head_norm_shape(spec), rows = Rows(spec, input)](const TaskArguments& a) {
        HeadNormProducts norm{{shape}};
        norm.tokens = rows(a);
        bind_terms<graph::head_norm_products::Operand>(a, norm);
        norm.products = f32(a, products);
        head_norm_products(norm);
      });
}

std::unique_ptr<TaskFunction> prepare_head_norm_gradient(const KernelSpec& spec) {
  using enum graph::head_norm_gradient::Operand;
  return function(
      [shape = head_norm_shape(spec), rows = Rows(spec, input)](const TaskArguments& a) {
        HeadNormBackward norm{{shape}};
        norm.tokens = rows(a);
        bind_terms<graph::head_norm_gradient::Operand>(a, norm);
        norm.dx = f32(a, input_gradient);
        norm.dquery_gamma = f32(a, query_gamma_gradient);
        norm.dkey_gamma = f32(a, key_gamma_gradient);
        norm.accumulate = !a.first;
        norm.scratch = scratch(a);
        norm.products = f32(a, products);
        head_norm_backward(norm);
      });
}

std::uint64_t scratch_head_norm_gradient(const KernelSpec& spec) {
  HeadNormShape shape = head_norm_shape(spec);
  shape.tokens = spec.size(graph::head_norm_gradient::input, 0);
  return spec.counted.empty() ? head_norm_backward_scratch_bytes(shape)
                              : most_partial_sum_bytes(
                                    shape.tokens, shape.query_channels() + shape.key_channels(), 1);
}

}  // namespace

std::span<const Kernel> norm_kernels() {
  static constexpr std::array kKernels{
      Kernel{"layer_norm", Device::cpu, prepare_layer_norm<layer_norm_forward>, nullptr,
             kCountedRows},
      Kernel{"layer_norm_gradient", Device::cpu, prepare_layer_norm_gradient<layer_norm_backward>,
             scratch_gradient<graph::layer_norm_gradient::Operand>, kCountedRows},
      Kernel{"rms_norm", Device::cpu, prepare_rms_norm<rms_norm_forward>, nullptr, kCountedRows},
      Kernel{"rms_norm_gradient", Device::cpu, prepare_rms_norm_gradient<rms_norm_backward>,
             scratch_gradient<graph::rms_norm_gradient::Operand>, kCountedRows},
      Kernel{"head_norm", Device::cpu, prepare_head_norm, nullptr, kCountedRows},
      Kernel{"head_norm_gradient", Device::cpu, prepare_head_norm_gradient,
             scratch_head_norm_gradient, kCountedRows},
      Kernel{"head_norm_squares", Device::cpu, prepare_head_norm_squares, nullptr, kCountedRows},
      Kernel{"head_norm_products", Device::cpu, prepare_head_norm_products, nullptr, kCountedRows}};
  return kKernels;
}

}  // namespace megascale::kernels::cpu
