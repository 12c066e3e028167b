// Stand-in for cutlass_grouped.cu in a build without CUTLASS's headers: it throws.
#include "megascale/kernels/cuda/cutlass_grouped.h"

namespace megascale::kernels::cuda {

std::unique_ptr<CutlassGrouped> CutlassGrouped::make(const GroupedProduct&) {
  throw Error(ErrorCode::unsupported,
              "kernels.cutlass: this binary was built without CUTLASS's headers "
              "(CUTLASS_INCLUDE_DIR); kernels.cutlass = false runs our own grouped products");
}

}  // namespace megascale::kernels::cuda
