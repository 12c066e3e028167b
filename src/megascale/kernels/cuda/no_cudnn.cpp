// Stand-in for cudnn_attention.cpp in a build without the headers of cuDNN's frontend: it throws.
#include "megascale/kernels/cuda/cudnn_attention.h"

namespace megascale::kernels::cuda {

std::unique_ptr<CudnnAttention> CudnnAttention::make(const CudnnCall&) {
  throw Error(
      ErrorCode::unsupported,
      "this binary was built without cudnn-frontend's headers (CUDNN_FRONTEND_INCLUDE_DIR); "
      "kernels.cudnn = false runs our own attention, without matrix units");
}

}  // namespace megascale::kernels::cuda
