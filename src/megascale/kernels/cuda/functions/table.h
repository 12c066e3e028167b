#ifndef MEGASCALE_KERNELS_CUDA_FUNCTIONS_TABLE_H_
#define MEGASCALE_KERNELS_CUDA_FUNCTIONS_TABLE_H_

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "megascale/kernels/kernel.h"

// The op kinds that a CUDA device executes, and the scratch that they need. Every build has this
// table, so a plan for a device is the same wherever it is made. Only preparing needs a build with
// CUDA.
namespace megascale::kernels::cuda {

// Returns the kernels of CUDA devices; constants.
[[nodiscard]] std::span<const Kernel> kernels();

// Makes the task function of an op that is in the table, on the calling thread's device. Throws
// Error(unsupported) in a build without CUDA or for a case that no kernel serves, and other errors
// of the device, such as out_of_memory.
[[nodiscard]] std::unique_ptr<TaskFunction> prepare(const KernelSpec& spec);
// The kinds that prepare() knows; none in a build without CUDA. For tests.
[[nodiscard]] std::vector<std::string_view> prepared_kinds();

}  // namespace megascale::kernels::cuda

#endif  // MEGASCALE_KERNELS_CUDA_FUNCTIONS_TABLE_H_
