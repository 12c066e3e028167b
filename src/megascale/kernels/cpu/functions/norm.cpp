// Task functions of the CPU for LayerNorm and RMSNorm, forward and backward. The gradients of gamma
// and beta are overwritten by the first micro-batch of a step and added to by the others.
#include "megascale/kernels/cpu/norm.h"

#include <array>

#include "megascale/kernels/cpu/functions/norm_functions.h"

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

}  // namespace

std::span<const Kernel> norm_kernels() {
  static constexpr std::array kKernels{
      Kernel{"layer_norm", Device::cpu, prepare_layer_norm<layer_norm_forward>, nullptr,
             kCountedRows},
      Kernel{"layer_norm_gradient", Device::cpu, prepare_layer_norm_gradient<layer_norm_backward>,
             scratch_gradient<graph::layer_norm_gradient::Operand>, kCountedRows},
      Kernel{"rms_norm", Device::cpu, prepare_rms_norm<rms_norm_forward>, nullptr, kCountedRows},
      Kernel{"rms_norm_gradient", Device::cpu, prepare_rms_norm_gradient<rms_norm_backward>,
             scratch_gradient<graph::rms_norm_gradient::Operand>, kCountedRows}};
  return kKernels;
}

}  // namespace megascale::kernels::cpu
