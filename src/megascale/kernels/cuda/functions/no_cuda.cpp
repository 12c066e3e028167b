// Stand-ins for gemm.cpp, prepare.cpp and roofs.cpp in a build without CUDA: they throw Error(unsupported).
#include "megascale/cuda/device.h"
#include "megascale/kernels/cuda/functions/table.h"
#include "megascale/kernels/cuda/gemm.h"
#include "megascale/kernels/cuda/roofs.h"

namespace megascale::kernels::cuda {

std::unique_ptr<TaskFunction> prepare(const KernelSpec&) {
  throw Error(ErrorCode::unsupported, ::megascale::cuda::why_no_device());
}
std::vector<std::string_view> prepared_kinds() { return {}; }

struct Gemm::Impl {};
Gemm::Gemm(const GemmConfig&, GemmChoices*) {
  throw Error(ErrorCode::unsupported, ::megascale::cuda::why_no_device());
}
Gemm::~Gemm() = default;
// Not reached: there is no Gemm.
const Error* Gemm::run(const GemmOperands&, CUstream_st*) const noexcept { return nullptr; }

Roofs measure_roofs(const RoofProducts&, const RoofSizes&) {
  throw Error(ErrorCode::unsupported, ::megascale::cuda::why_no_device());
}

}  // namespace megascale::kernels::cuda
