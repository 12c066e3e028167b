#ifndef MEGASCALE_JOB_KERNEL_CHOICE_H_
#define MEGASCALE_JOB_KERNEL_CHOICE_H_

#include <cstddef>
#include <string>

#include "megascale/config/config.h"
#include "megascale/kernels/kernel.h"

namespace megascale::job {

// Which kernels a rank runs. A plan's scratch is sized for these, so whoever executes the plan must
// prepare the same ones.
struct KernelChoice {
  kernels::Device device = kernels::Device::cpu;
  kernels::KernelSet set = kernels::KernelSet::fused;
  bool cudnn = true;        // see kernels::KernelSpec
  bool matrix_unit = true;  // likewise
  std::string gemm_choices = {};
  bool graphs = false;      // see runtime::RunnerOptions
  std::size_t threads = 1;  // of a rank's compute lane: the OpenMP team of its kernels
};

// What `config` asks for, with that many threads.
[[nodiscard]] KernelChoice kernel_choice(const Config& config, std::size_t threads);

// train.threads_per_rank where it is set. Otherwise the `local_ranks` ranks of a machine share its
// `cores` evenly, at least one each.
[[nodiscard]] std::size_t threads_per_rank(const Config& config, std::uint32_t local_ranks,
                                           std::size_t cores) noexcept;

}  // namespace megascale::job

#endif  // MEGASCALE_JOB_KERNEL_CHOICE_H_
