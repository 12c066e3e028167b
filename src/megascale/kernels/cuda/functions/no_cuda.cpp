// Preparing kernels in a build without CUDA.
#include "megascale/cuda/device.h"
#include "megascale/kernels/cuda/functions/table.h"

namespace megascale::kernels::cuda {

std::unique_ptr<TaskFunction> prepare(const KernelSpec&) {
  throw Error(ErrorCode::unsupported, ::megascale::cuda::why_no_device());
}
std::vector<std::string_view> prepared_kinds() { return {}; }

}  // namespace megascale::kernels::cuda
