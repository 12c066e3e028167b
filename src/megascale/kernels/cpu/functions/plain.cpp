#include <array>

#include "megascale/kernels/cpu/functions/attention_operands.h"
#include "megascale/kernels/cpu/functions/functions.h"
#include "megascale/kernels/cpu/plain/activation.h"
#include "megascale/kernels/cpu/plain/attention.h"
#include "megascale/kernels/cpu/plain/norm.h"

namespace megascale::kernels::cpu {
namespace {

float epsilon(const KernelSpec& spec) {
  return static_cast<float>(spec.attributes->real("epsilon"));
}

std::unique_ptr<TaskFunction> prepare_layer_norm(const KernelSpec& spec) {
  return function([rows = Rows(spec, 0), channels = spec.size(0, 1),
                   eps = epsilon(spec)](const TaskArguments& a) {
    plain::layer_norm_forward({.tokens = rows(a),
                               .channels = channels,
                               .x = f32(a, 0),
                               .gamma = f32(a, 1),
                               .beta = f32(a, 2),
                               .y = f32(a, 3),
                               .mean = f32(a, 4),
                               .rstd = f32(a, 5),
                               .eps = eps},
                              scratch(a));
  });
}

std::unique_ptr<TaskFunction> prepare_rms_norm(const KernelSpec& spec) {
  return function([rows = Rows(spec, 0), channels = spec.size(0, 1),
                   eps = epsilon(spec)](const TaskArguments& a) {
    plain::rms_norm_forward({.tokens = rows(a),
                             .channels = channels,
                             .x = f32(a, 0),
                             .gamma = f32(a, 1),
                             .y = f32(a, 2),
                             .rstd = f32(a, 3),
                             .eps = eps},
                            scratch(a));
  });
}

std::uint64_t scratch_norm(const KernelSpec& spec) {
  return plain::norm_scratch_bytes(spec.size(0, 0), spec.size(0, 1));
}

std::unique_ptr<TaskFunction> prepare_layer_norm_gradient(const KernelSpec& spec) {
  return function([tokens = spec.size(1, 0), channels = spec.size(1, 1)](const TaskArguments& a) {
    plain::layer_norm_backward({.tokens = tokens,
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

std::unique_ptr<TaskFunction> prepare_rms_norm_gradient(const KernelSpec& spec) {
  return function([tokens = spec.size(1, 0), channels = spec.size(1, 1)](const TaskArguments& a) {
    plain::rms_norm_backward({.tokens = tokens,
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

std::uint64_t scratch_norm_gradient(const KernelSpec& spec) {
  return plain::norm_gradient_scratch_bytes(spec.size(1, 0), spec.size(1, 1));
}

std::unique_ptr<TaskFunction> prepare_gelu(const KernelSpec& spec) {
  return function([rows = Rows(spec, 0), channels = spec.size(0, 1)](const TaskArguments& a) {
    plain::gelu_forward({.tokens = rows(a), .channels = channels, .x = f32(a, 0), .y = f32(a, 1)},
                        scratch(a));
  });
}

std::unique_ptr<TaskFunction> prepare_gelu_gradient(const KernelSpec& spec) {
  return function([tokens = spec.size(1, 0), channels = spec.size(1, 1)](const TaskArguments& a) {
    plain::gelu_backward(
        {.tokens = tokens, .channels = channels, .dy = f32(a, 0), .x = f32(a, 1), .dx = f32(a, 2)},
        scratch(a));
  });
}

std::unique_ptr<TaskFunction> prepare_swiglu(const KernelSpec& spec) {
  return function([rows = Rows(spec, 1), width = spec.size(1, 1)](const TaskArguments& a) {
    plain::swiglu_forward({.tokens = rows(a), .width = width, .x = f32(a, 0), .y = f32(a, 1)},
                          scratch(a));
  });
}

std::unique_ptr<TaskFunction> prepare_swiglu_gradient(const KernelSpec& spec) {
  return function([tokens = spec.size(0, 0), width = spec.size(0, 1)](const TaskArguments& a) {
    plain::swiglu_backward(
        {.tokens = tokens, .width = width, .dy = f32(a, 0), .x = f32(a, 1), .dx = f32(a, 2)},
        scratch(a));
  });
}

// Of activations: `kOperand` has the size of an activation's result or its gradient.
template <std::size_t kOperand, std::size_t kArrays>
std::uint64_t scratch_arrays(const KernelSpec& spec) {
  return kArrays * spec.nbytes[kOperand];
}

using plain::Attention;

plain::AttentionStrides strides_of(const AttentionConfig& config) {
  return {.qkv = (config.query_heads + 2 * config.kv_heads) * config.head_size,
          .output = config.query_heads * config.head_size};
}

std::unique_ptr<TaskFunction> prepare_attention(const KernelSpec& spec) {
  const AttentionConfig config = attention_config(spec, 0);
  return function(
      [config, attention = Attention(config, strides_of(config), Attention::Direction::forward)](
          const TaskArguments& a) {
        attention.forward({.in = attention_inputs(config, f32(a, 0), i32(a, 1)),
                           .o = attention_output(config, f32(a, 2)),
                           .lse = f32(a, 3),
                           .scratch = as<std::byte>(a, 4)});
      });
}

std::unique_ptr<TaskFunction> prepare_attention_gradient(const KernelSpec& spec) {
  const AttentionConfig config = attention_config(spec, 1);
  return function(
      [config, attention = Attention(config, strides_of(config), Attention::Direction::backward)](
          const TaskArguments& a) {
        const auto gradient = packed_rows(config, f32(a, 5));
        attention.backward({.in = attention_inputs(config, f32(a, 1), i32(a, 2)),
                            .o = attention_output<const float>(config, f32(a, 3)),
                            .grad_o = attention_output<const float>(config, f32(a, 0)),
                            .lse = f32(a, 4),
                            .dq = gradient.q,
                            .dk = gradient.k,
                            .dv = gradient.v,
                            .scratch = as<std::byte>(a, 6)});
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
      Kernel{"layer_norm", Device::cpu, prepare_layer_norm, scratch_norm},
      Kernel{"layer_norm_gradient", Device::cpu, prepare_layer_norm_gradient,
             scratch_norm_gradient},
      Kernel{"rms_norm", Device::cpu, prepare_rms_norm, scratch_norm},
      Kernel{"rms_norm_gradient", Device::cpu, prepare_rms_norm_gradient, scratch_norm_gradient},
      Kernel{"gelu", Device::cpu, prepare_gelu, scratch_arrays<1, kForward>},
      Kernel{"gelu_gradient", Device::cpu, prepare_gelu_gradient, scratch_arrays<0, kBackward>},
      Kernel{"swiglu", Device::cpu, prepare_swiglu, scratch_arrays<1, kForward>},
      Kernel{"swiglu_gradient", Device::cpu, prepare_swiglu_gradient, scratch_arrays<0, kBackward>},
      Kernel{"attention", Device::cpu, prepare_attention,
             scratch_attention<0, Attention::Direction::forward>},
      Kernel{"attention_gradient", Device::cpu, prepare_attention_gradient,
             scratch_attention<1, Attention::Direction::backward>}};
  return kKernels;
}

}  // namespace megascale::kernels::cpu
