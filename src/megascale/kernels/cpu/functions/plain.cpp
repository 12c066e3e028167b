// Task functions of the plain kernel set (kernels.fused=false): norms, activations and attention as
// chains of single operations over arrays in memory, as in a framework without fused kernels. The
// fused kernels are measured against them. Each function has the same operands and results as the
// fused function of its op (norm.cpp, elementwise.cpp, attention.cpp), but needs scratch for the
// intermediate arrays. An op that is not in this table has the same kernel in both sets.
#include <array>

#include "megascale/kernels/cpu/functions/attention_operands.h"
#include "megascale/kernels/cpu/functions/functions.h"
#include "megascale/kernels/cpu/plain/activation.h"
#include "megascale/kernels/cpu/plain/attention.h"
#include "megascale/kernels/cpu/plain/norm.h"

namespace megascale::kernels::cpu {
namespace {

float epsilon(const KernelSpec& spec) {
  return static_cast<float>(spec.attributes->real(graph::attribute::epsilon));
}

std::unique_ptr<TaskFunction> prepare_layer_norm(const KernelSpec& spec) {
  using enum graph::layer_norm::Operand;
  return function([rows = Rows(spec, input), channels = spec.size(input, 1),
                   eps = epsilon(spec)](const TaskArguments& a) {
    plain::layer_norm_forward({.tokens = rows(a),
                               .channels = channels,
                               .x = f32(a, input),
                               .gamma = f32(a, gamma),
                               .beta = f32(a, beta),
                               .y = f32(a, output),
                               .mean = f32(a, mean),
                               .rstd = f32(a, rstd),
                               .eps = eps},
                              scratch(a));
  });
}

std::unique_ptr<TaskFunction> prepare_rms_norm(const KernelSpec& spec) {
  using enum graph::rms_norm::Operand;
  return function([rows = Rows(spec, input), channels = spec.size(input, 1),
                   eps = epsilon(spec)](const TaskArguments& a) {
    plain::rms_norm_forward({.tokens = rows(a),
                             .channels = channels,
                             .x = f32(a, input),
                             .gamma = f32(a, gamma),
                             .y = f32(a, output),
                             .rstd = f32(a, rstd),
                             .eps = eps},
                            scratch(a));
  });
}

template <class Operand>
std::uint64_t scratch_norm(const KernelSpec& spec) {
  return plain::norm_scratch_bytes(spec.size(Operand::input, 0), spec.size(Operand::input, 1));
}

std::unique_ptr<TaskFunction> prepare_layer_norm_gradient(const KernelSpec& spec) {
  using enum graph::layer_norm_gradient::Operand;
  return function(
      [rows = Rows(spec, input), channels = spec.size(input, 1)](const TaskArguments& a) {
        plain::layer_norm_backward({.tokens = rows(a),
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

std::unique_ptr<TaskFunction> prepare_rms_norm_gradient(const KernelSpec& spec) {
  using enum graph::rms_norm_gradient::Operand;
  return function(
      [rows = Rows(spec, input), channels = spec.size(input, 1)](const TaskArguments& a) {
        plain::rms_norm_backward({.tokens = rows(a),
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

template <class Operand>
std::uint64_t scratch_norm_gradient(const KernelSpec& spec) {
  return plain::norm_gradient_scratch_bytes(spec.size(Operand::input, 0),
                                            spec.size(Operand::input, 1));
}

std::unique_ptr<TaskFunction> prepare_gelu(const KernelSpec& spec) {
  using enum graph::gelu::Operand;
  return function(
      [rows = Rows(spec, input), channels = spec.size(input, 1)](const TaskArguments& a) {
        plain::gelu_forward(
            {.tokens = rows(a), .channels = channels, .x = f32(a, input), .y = f32(a, output)},
            scratch(a));
      });
}

std::unique_ptr<TaskFunction> prepare_gelu_gradient(const KernelSpec& spec) {
  using enum graph::gelu_gradient::Operand;
  return function(
      [rows = Rows(spec, input), channels = spec.size(input, 1)](const TaskArguments& a) {
        plain::gelu_backward({.tokens = rows(a),
                              .channels = channels,
                              .dy = f32(a, gradient),
                              .x = f32(a, input),
                              .dx = f32(a, input_gradient)},
                             scratch(a));
      });
}

std::unique_ptr<TaskFunction> prepare_swiglu(const KernelSpec& spec) {
  using enum graph::swiglu::Operand;
  return function([rows = Rows(spec, output),
                   width = spec.size(output, 1)](const TaskArguments& a) {
    plain::swiglu_forward(
        {.tokens = rows(a), .width = width, .x = f32(a, input), .y = f32(a, output)}, scratch(a));
  });
}

std::unique_ptr<TaskFunction> prepare_swiglu_gradient(const KernelSpec& spec) {
  using enum graph::swiglu_gradient::Operand;
  return function(
      [rows = Rows(spec, gradient), width = spec.size(gradient, 1)](const TaskArguments& a) {
        plain::swiglu_backward({.tokens = rows(a),
                                .width = width,
                                .dy = f32(a, gradient),
                                .x = f32(a, input),
                                .dx = f32(a, input_gradient)},
                               scratch(a));
      });
}

// Returns the bytes of scratch of an activation: kArrays arrays, each as large as operand kOperand
// (its result in the forward direction, the gradient of its result in the backward direction).
template <std::size_t kOperand, std::size_t kArrays>
std::uint64_t scratch_arrays(const KernelSpec& spec) {
  return kArrays * spec.nbytes[kOperand];
}

using plain::Attention;

// Returns the floats between the rows of two tokens: in the packed tensor of q, k and v, and in the
// output. A row holds all heads of its token.
plain::AttentionStrides strides_of(const AttentionConfig& config) {
  return {.qkv = (config.query_heads + 2 * config.kv_heads) * config.head_size,
          .output = config.query_heads * config.head_size};
}

std::unique_ptr<TaskFunction> prepare_attention(const KernelSpec& spec) {
  using enum graph::attention::Operand;
  const AttentionConfig config = attention_config(spec, qkv);
  return function(
      [config, attention = Attention(config, strides_of(config), Attention::Direction::forward)](
          const TaskArguments& a) {
        attention.forward({.in = attention_inputs(config, f32(a, qkv), i32(a, segments)),
                           .o = attention_output(config, f32(a, output)),
                           .lse = f32(a, logsumexp),
                           .scratch = a.operands.back()});
      });
}

std::unique_ptr<TaskFunction> prepare_attention_gradient(const KernelSpec& spec) {
  using enum graph::attention_gradient::Operand;
  const AttentionConfig config = attention_config(spec, qkv);
  return function(
      [config, attention = Attention(config, strides_of(config), Attention::Direction::backward)](
          const TaskArguments& a) {
        const auto dqkv = packed_rows(config, f32(a, qkv_gradient));
        attention.backward({.in = attention_inputs(config, f32(a, qkv), i32(a, segments)),
                            .o = attention_output<const float>(config, f32(a, output)),
                            .grad_o = attention_output<const float>(config, f32(a, gradient)),
                            .lse = f32(a, logsumexp),
                            .dq = dqkv.q,
                            .dk = dqkv.k,
                            .dv = dqkv.v,
                            .scratch = a.operands.back()});
      });
}

template <std::size_t kQkv, Attention::Direction kDirection>
std::uint64_t scratch_attention(const KernelSpec& spec) {
  const AttentionConfig config = attention_config(spec, kQkv);
  return Attention::scratch_bytes(config, strides_of(config), kDirection);
}

}  // namespace

std::span<const Kernel> plain_kernels() {
  constexpr std::size_t kForward = plain::kForwardArrays, kBackward = plain::kBackwardArrays;
  static constexpr std::array kKernels{
      Kernel{"layer_norm", Device::cpu, prepare_layer_norm,
             scratch_norm<graph::layer_norm::Operand>, kCountedRows},
      Kernel{"layer_norm_gradient", Device::cpu, prepare_layer_norm_gradient,
             scratch_norm_gradient<graph::layer_norm_gradient::Operand>, kCountedRows},
      Kernel{"rms_norm", Device::cpu, prepare_rms_norm, scratch_norm<graph::rms_norm::Operand>,
             kCountedRows},
      Kernel{"rms_norm_gradient", Device::cpu, prepare_rms_norm_gradient,
             scratch_norm_gradient<graph::rms_norm_gradient::Operand>, kCountedRows},
      Kernel{"gelu", Device::cpu, prepare_gelu, scratch_arrays<graph::gelu::output, kForward>,
             kCountedRows},
      Kernel{"gelu_gradient", Device::cpu, prepare_gelu_gradient,
             scratch_arrays<graph::gelu_gradient::gradient, kBackward>, kCountedRows},
      Kernel{"swiglu", Device::cpu, prepare_swiglu, scratch_arrays<graph::swiglu::output, kForward>,
             kCountedRows},
      Kernel{"swiglu_gradient", Device::cpu, prepare_swiglu_gradient,
             scratch_arrays<graph::swiglu_gradient::gradient, kBackward>, kCountedRows},
      Kernel{"attention", Device::cpu, prepare_attention,
             scratch_attention<graph::attention::qkv, Attention::Direction::forward>},
      Kernel{"attention_gradient", Device::cpu, prepare_attention_gradient,
             scratch_attention<graph::attention_gradient::qkv, Attention::Direction::backward>}};
  return kKernels;
}

}  // namespace megascale::kernels::cpu
