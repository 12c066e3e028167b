// Attention in a build without cuDNN and its frontend's headers: our own kernels serve every case.
#include "megascale/kernels/cuda/cudnn_attention.h"

namespace megascale::kernels::cuda {

std::unique_ptr<CudnnAttention> CudnnAttention::make(const AttentionShape&, Direction) {
  return nullptr;
}

}  // namespace megascale::kernels::cuda
