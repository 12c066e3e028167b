#ifndef MEGASCALE_KERNELS_CPU_ROUTER_H_
#define MEGASCALE_KERNELS_CPU_ROUTER_H_

#include <cstddef>
#include <cstdint>

#include "megascale/kernels/router_shape.h"

// The router of a mixture of experts: which experts a token goes to, and with which weight. N
// tokens, E experts, k choices per token. float32 whatever the model's dtype is; choices int32,
// loads int64; all tensors row-major and packed. u = 2^-24.
// Bits do not depend on the number of threads or the vector target.
// Needs   1 <= k <= E <= kMostExperts and, with groups, M <= k <= M E / G: checked when the configuration is
//         read, not here.
// Source  arXiv 2505.11432, 3; arXiv 2401.04088 (softmax); arXiv 2412.19437, 2.1.2 (sigmoid, bias, groups).
namespace megascale::kernels::cpu {

//   score[n,e]  = softmax_e(logits[n,:])  or  1 / (1 + exp(-logits[n,e]))
//   choice[n,:] = the k experts with the highest score[n,e] + bias[e], the highest first
//                 with groups: among those of the M groups whose best floor(k / M) experts have the
//                 highest sum of score + bias
//   weight[n,j] = scale score[n, choice[n,j]]            (the bias chooses, it does not weigh)
//                 / (sum_i score[n, choice[n,i]] + 1e-20)                      with `normalise`
//   loads[e]    = how many choices are e
// Among equal values the lower expert, or group, comes first. NaN counts as less than every number: a token
// with NaN scores goes to valid experts, and its NaN weights show in the result of the layer. One
// NaN or positive infinity among the logits makes all softmax scores of its token NaN. A `fixed`
// choice outside [0, E) has weight 0 and counts in no load.
// Alias   nothing overlaps.
// Cost    about 25 N E flops and N E comparisons; moves N E floats.
// Error   weight: relative, at most (E / 64 + 30 + |x - max x|) u (softmax) or 16 u (sigmoid);
//         twice that plus k u with `normalise`.
struct Route {
  RouterShape shape;
  const float* logits = nullptr;        // (N, E)
  const float* bias = nullptr;          // (E), or null
  const std::int32_t* fixed = nullptr;  // (N, k), or null: these choices are taken, to replay a run
  bool even = false;                    // choices are even_choice(), whatever the scores are
  const std::int32_t* padding =
      nullptr;  // (N), or null: a token with 1 goes to no expert: its choices are
                // E, whatever is fixed
  std::int32_t* choice = nullptr;  // (N, k)
  float* weight = nullptr;         // (N, k)
  float* affinity = nullptr;       // (N, k), or null: the scores of the chosen
  std::int64_t* loads = nullptr;   // (E), or null
};
void route(const Route& args) noexcept;

// dlogits = [addend +] the gradient of the weights with respect to the logits, with the choices
// held fixed. A choice outside [0, E) is left out, and its dweight is not read. If choices were
// dropped after route(), pass those that route() made, with a dweight of 0 for the dropped ones.
// Alias   dlogits may be addend.
// Cost    about 30 N E flops; moves 2 or 3 N E floats.
// Error   absolute, per element of a token: (E / 64 + 40 + |x - max x|) u (G + |addend|), with G =
//         scale sum_j |dweight[n,j]| weight[n,j] (3 G with `normalise`).
struct RouteGradient {
  RouterShape shape;
  const float* logits = nullptr;         // (N, E)
  const std::int32_t* choice = nullptr;  // (N, k)
  const float* dweight = nullptr;        // (N, k)
  const float* addend = nullptr;         // (N, E), or null
  float* dlogits = nullptr;              // (N, E)
};
void route_gradient(const RouteGradient& args) noexcept;

}  // namespace megascale::kernels::cpu

#endif  // MEGASCALE_KERNELS_CPU_ROUTER_H_
