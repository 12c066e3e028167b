// Reads the [kernels] and [train] sections of a configuration.
#include "megascale/job/kernel_choice.h"

#include <algorithm>

namespace megascale::job {

KernelChoice kernel_choice(const Config& config, std::size_t threads) {
  return {.device = config.train.device == DeviceKind::cuda ? kernels::Device::cuda
                                                            : kernels::Device::cpu,
          .set = config.kernels.fused ? kernels::KernelSet::fused : kernels::KernelSet::plain,
          .cudnn = config.kernels.cudnn,
          .cutlass = config.kernels.cutlass,
          .deterministic = config.kernels.deterministic,
          .matrix_unit = config.kernels.matrix_unit,
          .gemm_choices = config.kernels.gemm_choices,
          .graphs = config.kernels.cuda_graphs,
          .threads = threads};
}

std::size_t threads_per_rank(const Config& config, std::uint32_t local_ranks,
                             std::size_t cores) noexcept {
  const auto wanted = static_cast<std::size_t>(config.train.threads_per_rank);
  return wanted > 0 ? wanted : std::max<std::size_t>(cores / local_ranks, 1);
}

}  // namespace megascale::job
