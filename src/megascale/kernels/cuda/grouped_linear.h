#ifndef MEGASCALE_KERNELS_CUDA_GROUPED_LINEAR_H_
#define MEGASCALE_KERNELS_CUDA_GROUPED_LINEAR_H_

#include <cstddef>
#include <cstdint>

#include "megascale/base/dtype.h"
#include "megascale/kernels/cuda/gemm.h"
#include "megascale/kernels/cuda/quantise.h"

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
// fp8    left and right are 8-bit codes, and dtype (bfloat16) is that of y and dx. dy is e5m2, x
//        and w are e4m3. The terms of a sum lie side by side: the input gradient reads
//        w (experts, in, out). Each product is multiplied by the inverse scales of left and of its
//        own w. in and out are multiples of 16. Not for weight gradients: their terms are rows, and
//        a count of rows need not be a multiple of 16. The kernel here multiplies the codes' values
//        in bfloat16, which has all of them, so the error is that of bfloat16.
struct GroupedProduct {
  GemmKind kind = GemmKind::forward;
  std::size_t experts = 0, rows = 0, in = 0, out = 0;  // rows: the bound
  DType dtype = DType::float32;
  bool accumulate = false;  // weight_gradient only
  bool fp8 = false;
  const std::int64_t* counts = nullptr;
  const void* left = nullptr;
  const void* right = nullptr;
  void* result = nullptr;
  const QuantisedScale* left_scale = nullptr;    // fp8: of all rows
  const QuantisedScale* right_scales = nullptr;  // fp8: of each expert's weight
};
void grouped_product(const GroupedProduct& args, CUstream_st* stream) noexcept;

}  // namespace megascale::kernels::cuda

#endif  // MEGASCALE_KERNELS_CUDA_GROUPED_LINEAR_H_
