#include <algorithm>
#include <array>

#include "megascale/kernels/cpu/functions/functions.h"
#include "megascale/kernels/cuda/functions/table.h"

namespace megascale::kernels {
namespace {

const Kernel* find_in(std::span<const Kernel> table, std::string_view op, Device device) {
  const auto found = std::find_if(table.begin(), table.end(), [&](const Kernel& kernel) {
    return kernel.op == op && kernel.device == device;
  });
  return found != table.end() ? &*found : nullptr;
}

}  // namespace

const Kernel* find_kernel(std::string_view op, Device device, KernelSet set) {
  if (set == KernelSet::plain && device == Device::cpu) {
    if (const Kernel* kernel = find_in(cpu::plain_kernels(), op, device)) return kernel;
  }
  if (device == Device::cuda) return find_in(cuda::kernels(), op, device);
  for (const auto& table : {cpu::linear_kernels(), cpu::norm_kernels(), cpu::elementwise_kernels(),
                            cpu::attention_kernels(), cpu::loss_kernels(), cpu::optimizer_kernels(),
                            cpu::head_exchange_kernels()}) {
    if (const Kernel* kernel = find_in(table, op, device)) return kernel;
  }
  return nullptr;
}

}  // namespace megascale::kernels
