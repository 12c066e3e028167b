#ifndef MEGASCALE_KERNELS_CPU_ROUTED_ROWS_H_
#define MEGASCALE_KERNELS_CPU_ROUTED_ROWS_H_

#include <cstddef>
#include <cstdint>

// Moves rows between tokens and experts by the maps of dispatch_map.h. float32, row-major, packed;
// indices int32. N tokens, k choices per token, slot n k + j, R rows, C channels. Each function is
// the gradient of the other with the same map:
//
//   use                          forward                backward
//   tokens to experts            gather_rows            combine_rows
//   experts to tokens            combine_rows           gather_rows
//   weights (N, k) to rows (R)   gather_rows            combine_rows     (k = 1, C = 1, N k "tokens")
//   rows to another order        gather_rows            gather_rows with the inverse order   (k = 1)
//
// Sums have a fixed order, so bits do not depend on the number of threads or the vector target.
// Alias   nothing overlaps.
// Needs   indices in range: dispatch_map.h writes only such.
// Source  arXiv 2505.11432, 3.
namespace megascale::kernels::cpu {

// y[i,:] = [weight[source[i]]] x[source[i] / k, :]
// Cost    moves 2 R C floats: memory bound.     Error   exact; 1 u with weights.
struct GatherRows {
  std::size_t rows = 0, per_token = 1, channels = 0;  // R, k, C
  const float* x = nullptr;                           // (N, C)
  const std::int32_t* source = nullptr;               // (R): slots
  const float* weight = nullptr;                      // (N k), or null
  float* y = nullptr;                                 // (R, C)
};
void gather_rows(const GatherRows& args) noexcept;

// y[n,:] = [y[n,:] +] sum over j = 0 ... k - 1, in this order, of [weight[n,j]] x[place[n,j], :]
// A place of -1 adds nothing: a token without rows gets zeros.
// Cost    moves (k + 1) N C floats: memory bound.
// Error   per element at most 2 k u sum |terms|.
struct CombineRows {
  std::size_t tokens = 0, per_token = 1, channels = 0;  // N, k, C
  const float* x = nullptr;                             // (R, C)
  const std::int32_t* place = nullptr;                  // (N, k): rows
  const float* weight = nullptr;                        // (N, k), or null
  float* y = nullptr;                                   // (N, C)
  bool accumulate = false;                              // add to the old content of y
};
void combine_rows(const CombineRows& args) noexcept;

// dweight[n,j] = sum_c dy[n,c] x[place[n,j], c]; 0 for a place of -1. The gradient of the weights
// of combine_rows(); for weights that are applied after the experts' last product.
// Cost    2 k N C flops; moves 2 k N C floats.     Error   (C / 64 + 8) u sum |terms|.
struct CombineWeightGradient {
  std::size_t tokens = 0, per_token = 1, channels = 0;
  const float* dy = nullptr;            // (N, C)
  const float* x = nullptr;             // (R, C)
  const std::int32_t* place = nullptr;  // (N, k)
  float* dweight = nullptr;             // (N, k)
};
void combine_weight_gradient(const CombineWeightGradient& args) noexcept;

}  // namespace megascale::kernels::cpu

#endif  // MEGASCALE_KERNELS_CPU_ROUTED_ROWS_H_
