// Stand-ins for prepare.cpp and roofs.cpp in a build without CUDA: they throw Error(unsupported).
#include "megascale/cuda/device.h"
#include "megascale/kernels/cuda/functions/table.h"
#include "megascale/kernels/cuda/roofs.h"

namespace megascale::kernels::cuda {

std::unique_ptr<TaskFunction> prepare(const KernelSpec&) {
  throw Error(ErrorCode::unsupported, ::megascale::cuda::why_no_device());
}
std::vector<std::string_view> prepared_kinds() { return {}; }

Roofs measure_roofs(const RoofProducts&, const RoofSizes&) {
  throw Error(ErrorCode::unsupported, ::megascale::cuda::why_no_device());
}

}  // namespace megascale::kernels::cuda
