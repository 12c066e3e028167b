#ifndef MEGASCALE_KERNELS_CUDA_COMPLAINT_H_
#define MEGASCALE_KERNELS_CUDA_COMPLAINT_H_

#include <cstdint>

// How a kernel reports wrong values that only the device sees. It writes a number to pinned memory of the
// host and goes on within its bounds. The host reads it when the step is done (TaskFunction::late_error).
// If several threads or tasks complain, one of them is seen.
namespace megascale::kernels::cuda {

struct Complaint {
  std::int64_t count = 0;  // 0: no complaint; what is counted is said by the function that has it
};

}  // namespace megascale::kernels::cuda

#endif  // MEGASCALE_KERNELS_CUDA_COMPLAINT_H_
