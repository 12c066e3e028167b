#include <algorithm>
#include <array>

#include "megascale/kernels/cpu/functions/functions.h"

namespace megascale::kernels {

const Kernel* find_kernel(std::string_view op, Device device) {
  const std::array tables{cpu::linear_kernels(),       cpu::norm_kernels(),
                          cpu::elementwise_kernels(),  cpu::attention_kernels(),
                          cpu::loss_kernels(),         cpu::optimizer_kernels(),
                          cpu::head_exchange_kernels()};
  for (const auto& table : tables) {
    const auto found = std::find_if(table.begin(), table.end(), [&](const Kernel& kernel) {
      return kernel.op == op && kernel.device == device;
    });
    if (found != table.end()) return &*found;
  }
  return nullptr;
}

}  // namespace megascale::kernels
