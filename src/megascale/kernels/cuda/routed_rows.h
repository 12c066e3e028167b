#ifndef MEGASCALE_KERNELS_CUDA_ROUTED_ROWS_H_
#define MEGASCALE_KERNELS_CUDA_ROUTED_ROWS_H_

#include <cstddef>
#include <cstdint>

#include "megascale/base/dtype.h"
#include "megascale/kernels/cuda/row_count.h"

struct CUstream_st;

// Moves rows between tokens and experts on a device, by the maps of dispatch_map.h. The formulas, and
// which function is the gradient of which, are those of kernels/cpu/routed_rows.h. N tokens, k choices
// per token, slot n k + j, R rows, C channels. Storage, alignment, failures: see activation.h. Weights of
// choices are float32 in every model. All of these kernels are memory bound, and add in a fixed order.
namespace megascale::kernels::cuda {

// y[i,:] = [weight[source[i]]] x[source[i] / k, :]
struct GatherRows {
  std::size_t rows = 0, per_token = 1, channels = 0;  // R (the bound), k, C
  RowCount counted = {};                              // of y
  DType dtype = DType::float32;
  const void* x = nullptr;               // (N, C)
  const std::int32_t* source = nullptr;  // (R): slots
  const float* weight = nullptr;         // (N k), or null
  void* y = nullptr;                     // (R, C)
};
void gather_rows(const GatherRows& args, CUstream_st* stream) noexcept;

// y[n,:] = sum over j = 0 ... k - 1, in this order, of [weight[n,j]] x[place[n,j], :]. A place of -1 adds
// nothing. The sum is kept in float32 and rounded once.
struct CombineRows {
  std::size_t tokens = 0, per_token = 1, channels = 0;  // N, k, C
  RowCount counted = {};                                // of y, in units of `of_each` rows
  std::size_t of_each = 1;
  DType dtype = DType::float32;
  const void* x = nullptr;              // (R, C)
  const std::int32_t* place = nullptr;  // (N, k): rows
  const float* weight = nullptr;        // (N, k), or null
  void* y = nullptr;                    // (N, C)
};
void combine_rows(const CombineRows& args, CUstream_st* stream) noexcept;

// dweight[n,j] = sum_c dy[n,c] x[place[n,j], c]; 0 for a place of -1
struct CombineWeightGradient {
  std::size_t tokens = 0, per_token = 1, channels = 0;
  RowCount counted = {};  // of dy
  DType dtype = DType::float32;
  const void* dy = nullptr;             // (N, C)
  const void* x = nullptr;              // (R, C)
  const std::int32_t* place = nullptr;  // (N, k)
  float* dweight = nullptr;             // (N, k)
};
void combine_weight_gradient(const CombineWeightGradient& args, CUstream_st* stream) noexcept;

}  // namespace megascale::kernels::cuda

#endif  // MEGASCALE_KERNELS_CUDA_ROUTED_ROWS_H_
