#ifndef MEGASCALE_KERNELS_CUDA_ROUTER_H_
#define MEGASCALE_KERNELS_CUDA_ROUTER_H_

#include <cstddef>
#include <cstdint>

#include "megascale/kernels/cuda/row_count.h"
#include "megascale/kernels/router_shape.h"

struct CUstream_st;

// The router of a mixture of experts on a device. The formulas, and what becomes of ties and of NaN, are
// those of kernels/cpu/router.h. N tokens, E experts, k choices per token. Everything is float32 but
// choices (int32) and loads (int64); all tensors row-major and packed. Failures: see activation.h.
// Needs  1 <= k <= E <= kMostExperts and, with groups, M <= k <= M E / G: checked when the configuration is read.
namespace megascale::kernels::cuda {

// Chooses experts for every token, and counts the choices of each expert.
// Bits   loads are sums of integers by atomic additions: their order does not matter.
// Error  weights: as on the CPU, plus 4 u for the device's exp.
struct Route {
  RouterShape shape;  // tokens: the bound
  RowCount counted = {};
  const float* logits = nullptr;        // (N, E)
  const float* bias = nullptr;          // (E), or null
  const std::int32_t* fixed = nullptr;  // (N, k), or null: these choices are taken, to replay a run
  bool even = false;                    // choices are even_choice(), whatever the scores are
  const std::int32_t* padding = nullptr;  // (N), or null: 1: the token goes to no expert
  std::int32_t* choice = nullptr;         // (N, k)
  float* weight = nullptr;                // (N, k)
  float* affinity = nullptr;              // (N, k), or null: the scores of the chosen
  std::int64_t* loads = nullptr;          // (E)
  std::int64_t* complaint = nullptr;  // TaskArguments::complaint: 1 if a fixed choice is below 0
};
void route(const Route& args, CUstream_st* stream) noexcept;

// dlogits = [addend +] the gradient of the weights with respect to the logits, with the choices held
// fixed.  Alias  dlogits may be addend.
struct RouteGradient {
  RouterShape shape;  // tokens: the bound
  RowCount counted = {};
  const float* logits = nullptr;         // (N, E)
  const std::int32_t* choice = nullptr;  // (N, k)
  const float* dweight = nullptr;        // (N, k)
  const float* addend = nullptr;         // (N, E), or null
  float* dlogits = nullptr;              // (N, E)
};
void route_gradient(const RouteGradient& args, CUstream_st* stream) noexcept;

// sent[d] = how many tokens have at least one choice in group d of E / D experts, or how many choices are
// in it. A choice outside [0, E) is in no group.
struct GroupLoads {
  std::size_t tokens = 0, experts = 0, top_k = 0, groups = 0;  // N (the bound), E, k, D
  RowCount counted = {};
  bool of_choices = false;               // count every choice, not every token once
  const std::int32_t* choice = nullptr;  // (N, k)
  std::int64_t* sent = nullptr;          // (D)
};
void group_loads(const GroupLoads& args, CUstream_st* stream) noexcept;

}  // namespace megascale::kernels::cuda

#endif  // MEGASCALE_KERNELS_CUDA_ROUTER_H_
