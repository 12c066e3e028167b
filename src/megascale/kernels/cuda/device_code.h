#ifndef MEGASCALE_KERNELS_CUDA_DEVICE_CODE_H_
#define MEGASCALE_KERNELS_CUDA_DEVICE_CODE_H_

#include "megascale/cuda/device_code.h"

// Brings the building blocks of cuda/device_code.h into the namespace of the kernels. Only .cu
// files include it.
namespace megascale::kernels::cuda {

using ::megascale::cuda::Bf16;
using ::megascale::cuda::block_max;
using ::megascale::cuda::block_sum;
using ::megascale::cuda::Constant;
using ::megascale::cuda::dynamic_shared;
using ::megascale::cuda::exp_for;
using ::megascale::cuda::fast_exp2;
using ::megascale::cuda::fast_reciprocal;
using ::megascale::cuda::from_float;
using ::megascale::cuda::grid_for;
using ::megascale::cuda::grid_thread;
using ::megascale::cuda::grid_threads;
using ::megascale::cuda::kFullWidth;
using ::megascale::cuda::launch;
using ::megascale::cuda::LaunchShape;
using ::megascale::cuda::Pack;
using ::megascale::cuda::to_float;
using ::megascale::cuda::TwoSums;
using ::megascale::cuda::warp_max;
using ::megascale::cuda::warp_sum;
using ::megascale::cuda::with_storage;
using ::megascale::cuda::with_width;

}  // namespace megascale::kernels::cuda

#endif  // MEGASCALE_KERNELS_CUDA_DEVICE_CODE_H_
