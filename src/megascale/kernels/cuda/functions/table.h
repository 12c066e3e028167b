#ifndef MEGASCALE_KERNELS_CUDA_FUNCTIONS_TABLE_H_
#define MEGASCALE_KERNELS_CUDA_FUNCTIONS_TABLE_H_

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "megascale/kernels/kernel.h"

// The op kinds that a CUDA device executes, and their scratch. Known in every build, so that a plan
// for a device is the same wherever it is made; preparing needs a build with CUDA.
namespace megascale::kernels::cuda {

[[nodiscard]] std::span<const Kernel> kernels();

// Makes the function of an op. Throws Error: unsupported in a build without CUDA, or for a case
// that no kernel serves.
[[nodiscard]] std::unique_ptr<TaskFunction> prepare(const KernelSpec& spec);
// The kinds that prepare() knows; none in a build without CUDA. For tests.
[[nodiscard]] std::vector<std::string_view> prepared_kinds();

}  // namespace megascale::kernels::cuda

#endif  // MEGASCALE_KERNELS_CUDA_FUNCTIONS_TABLE_H_
