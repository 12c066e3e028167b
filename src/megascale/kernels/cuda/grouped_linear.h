#ifndef MEGASCALE_KERNELS_CUDA_GROUPED_LINEAR_H_
#define MEGASCALE_KERNELS_CUDA_GROUPED_LINEAR_H_

#include <cstddef>
#include <cstdint>

#include "megascale/base/dtype.h"
#include "megascale/kernels/cuda/gemm.h"

struct CUstream_st;

// Products of the rows of experts with one weight per expert, on a device. counts[e] consecutive rows
// belong to expert e; only the device knows them. One launch serves all experts: blocks walk over tiles of
// the results and read the counts. Storage, alignment, failures: see activation.h. cuBLASLt of CUDA 13.0
// has no products whose sizes lie on the device.
namespace megascale::kernels::cuda {

//   forward          y_e (rows, out)  = x_e w_e^T      left x, right w, result y
//   input_gradient   dx_e (rows, in)  = dy_e w_e       left dy, right w, result dx
//   weight_gradient  dw_e (out, in)   = [dw_e +] dy_e^T x_e,   left dy, right x, result dw in float32
// w (experts, out, in). Rows beyond the sum of the counts are neither read nor written. A count below zero
// counts as zero; counts end at the bound. The weight gradient of an expert without rows is zero, or stays
// as it is.
// Bits   do not depend on timing or the device: each element is one sum, in the order of its terms.
//        bfloat16: products on the matrix units, sums in float32, one rounding of y and dx.
// Error  per element: K u sum |terms|, K terms; u = 2^-24.
// Cost   2 in out flops per row. An expert with few rows costs as much as one with 128 (float32: 64).
struct GroupedProduct {
  GemmKind kind = GemmKind::forward;
  std::size_t experts = 0, rows = 0, in = 0, out = 0;  // rows: the bound
  DType dtype = DType::float32;
  bool accumulate = false;  // weight_gradient only
  const std::int64_t* counts = nullptr;
  const void* left = nullptr;
  const void* right = nullptr;
  void* result = nullptr;
};
void grouped_product(const GroupedProduct& args, CUstream_st* stream) noexcept;

}  // namespace megascale::kernels::cuda

#endif  // MEGASCALE_KERNELS_CUDA_GROUPED_LINEAR_H_
