// Task functions of the plain kernel set (kernels.fused=false): norms, activations and attention as
// chains of single operations over arrays in memory, as in a framework without fused kernels. The
// fused kernels are measured against them. The task functions are those of the fused set
// (norm_functions.h, activation_functions.h, attention_functions.h); only the kernels that they call
// differ, and the scratch for the intermediate arrays. An op that is not in this table has the same
// kernel in both sets.
#include <array>

#include "megascale/kernels/cpu/functions/activation_functions.h"
#include "megascale/kernels/cpu/functions/attention_functions.h"
#include "megascale/kernels/cpu/functions/functions.h"
#include "megascale/kernels/cpu/functions/norm_functions.h"
#include "megascale/kernels/cpu/plain/activation.h"
#include "megascale/kernels/cpu/plain/attention.h"
#include "megascale/kernels/cpu/plain/norm.h"

namespace megascale::kernels::cpu {
namespace {

template <class Operand>
std::uint64_t scratch_norm(const KernelSpec& spec) {
  return plain::norm_scratch_bytes(spec.size(Operand::input, 0), spec.size(Operand::input, 1));
}

template <class Operand>
std::uint64_t scratch_norm_gradient(const KernelSpec& spec) {
  return plain::norm_gradient_scratch_bytes(spec.size(Operand::input, 0),
                                            spec.size(Operand::input, 1));
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
  return {.qkv = packed_columns(config), .output = output_columns(config)};
}

std::unique_ptr<TaskFunction> prepare_attention(const KernelSpec& spec) {
  const AttentionConfig config = attention_config(spec, graph::attention::qkv);
  return attention_function(
      config, AttentionDropout(),
      [attention = Attention(config, strides_of(config), Attention::Direction::forward)](
          const AttentionForward& run) { attention.forward(run); });
}

std::unique_ptr<TaskFunction> prepare_attention_gradient(const KernelSpec& spec) {
  const AttentionConfig config = attention_config(spec, graph::attention_gradient::qkv);
  return attention_gradient_function(
      config, AttentionDropout(),
      [attention = Attention(config, strides_of(config), Attention::Direction::backward)](
          const AttentionBackward& run) { attention.backward(run); });
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
      Kernel{"layer_norm", Device::cpu, prepare_layer_norm<plain::layer_norm_forward>,
             scratch_norm<graph::layer_norm::Operand>, kCountedRows},
      Kernel{"layer_norm_gradient", Device::cpu,
             prepare_layer_norm_gradient<plain::layer_norm_backward>,
             scratch_norm_gradient<graph::layer_norm_gradient::Operand>, kCountedRows},
      Kernel{"rms_norm", Device::cpu, prepare_rms_norm<plain::rms_norm_forward>,
             scratch_norm<graph::rms_norm::Operand>, kCountedRows},
      Kernel{"rms_norm_gradient", Device::cpu, prepare_rms_norm_gradient<plain::rms_norm_backward>,
             scratch_norm_gradient<graph::rms_norm_gradient::Operand>, kCountedRows},
      Kernel{"gelu", Device::cpu, prepare_gelu<plain::gelu_forward>,
             scratch_arrays<graph::gelu::output, kForward>, kCountedRows},
      Kernel{"gelu_gradient", Device::cpu, prepare_gelu_gradient<plain::gelu_backward>,
             scratch_arrays<graph::gelu_gradient::gradient, kBackward>, kCountedRows},
      Kernel{"swiglu", Device::cpu,
             prepare_gated<SwigluForward, graph::swiglu::Operand, plain::swiglu_forward>,
             scratch_arrays<graph::swiglu::output, kForward>, kCountedRows},
      Kernel{"swiglu_gradient", Device::cpu,
             prepare_gated_gradient<SwigluBackward, graph::swiglu_gradient::Operand,
                                    plain::swiglu_backward>,
             scratch_arrays<graph::swiglu_gradient::gradient, kBackward>, kCountedRows},
      Kernel{"attention", Device::cpu, prepare_attention,
             scratch_attention<graph::attention::qkv, Attention::Direction::forward>},
      Kernel{"attention_gradient", Device::cpu, prepare_attention_gradient,
             scratch_attention<graph::attention_gradient::qkv, Attention::Direction::backward>}};
  return kKernels;
}

}  // namespace megascale::kernels::cpu
