#ifndef MEGASCALE_JOB_KERNEL_CHOICE_H_
#define MEGASCALE_JOB_KERNEL_CHOICE_H_

#include <cstddef>
#include <string>

#include "megascale/config/config.h"
#include "megascale/kernels/kernel.h"

namespace megascale::job {

// The kernels that a rank runs. A plan reserves scratch memory for exactly these kernels, so the
// code that executes the plan must prepare the same ones.
struct KernelChoice {
  kernels::Device device = kernels::Device::cpu;
  kernels::KernelSet set = kernels::KernelSet::fused;
  bool cudnn = true;              // see kernels::KernelSpec
  bool cutlass = false;           // see kernels::KernelSpec
  bool deterministic = true;      // see kernels::KernelSpec
  bool matrix_unit = true;        // see kernels::KernelSpec
  std::string gemm_choices = {};  // see kernels::KernelSpec
  bool graphs = false;            // see runtime::RunnerOptions
  std::size_t threads = 1;        // of a rank's compute lane: size of the OpenMP team
};

// Returns the kernels that `config` asks for, with `threads` threads.
[[nodiscard]] KernelChoice kernel_choice(const Config& config, std::size_t threads);

// Returns the threads of a rank: train.threads_per_rank if it is set. Otherwise the `local_ranks`
// (at least 1) ranks of a machine share its `cores` evenly, with at least one thread each.
[[nodiscard]] std::size_t threads_per_rank(const Config& config, std::uint32_t local_ranks,
                                           std::size_t cores) noexcept;

}  // namespace megascale::job

#endif  // MEGASCALE_JOB_KERNEL_CHOICE_H_
