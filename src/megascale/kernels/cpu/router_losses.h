#ifndef MEGASCALE_KERNELS_CPU_ROUTER_LOSSES_H_
#define MEGASCALE_KERNELS_CPU_ROUTER_LOSSES_H_

#include <cstddef>
#include <cstdint>

#include "megascale/kernels/cpu/router.h"

// Losses that keep the loads of experts even and the logits of the router small, and the update of
// a bias that does so without a loss. N tokens of this rank, E experts, k choices per token, r
// ranks of the micro-batch, D groups of E / D consecutive experts (those of one device). T is the
// number of tokens on all r ranks: the sum of the loads divided by k.
// Losses are defined for a micro-batch over all its ranks. They are means over its T tokens times what the
// loss of the model counts of it (`counted`; T if all tokens count), since the end of a step divides by the
// sum of that over all micro-batches. This rank's value is the share of its N tokens, and the values of
// all ranks add up. So they do not depend on the layout. Only the counts must be exchanged before.
// Bits do not depend on the number of threads or the vector target.
// Source  arXiv 2405.04434, 2.1.3 (expert, device and communication level); arXiv 2202.08906
//         (z-loss); arXiv 2408.15664 (bias).
namespace megascale::kernels::cpu {

// With w = counted / T, and sums over the tokens that are no padding:
//   losses[0] = w sum_n sum_e c_e P[n,e], c_e = expert_coefficient f_e
//                                             + device_coefficient f'_d + communication_coefficient f''_d
//   losses[1] = w z_coefficient sum_n (log sum_e exp logits[n,e])^2
//   P[n,e] = softmax_e(logits[n,:]),  or sigmoid(logits[n,e]) / sum_i sigmoid(logits[n,i])
//   f_e  = E load_e / (k T)           f'_d = mean of f_e over the experts of group d, e's group
//   f''_d = D sent_d / (min(k, D) T), sent_d = tokens with at least one choice in group d
// All f are 1 if the loads are even. They are counts, and so have no gradient. If no token was
// routed, they are 0.
// Error   losses: relative (E / 64 + 40 + spread) u of the sum of absolute terms; the sums over
//         tokens are in double.
// Cost    about 40 N E flops; moves N E floats.
// losses has 2 elements. scratch has router_losses_scratch_bytes().
void router_losses(const RouterLosses& args, double* losses, std::byte* scratch) noexcept;
[[nodiscard]] std::size_t router_losses_scratch_bytes(std::size_t tokens) noexcept;

// dlogits = [addend +] the gradient of losses[0] + losses[1].
// Shapes  addend, dlogits (N, E); addend may be null, and may be dlogits.
// Error   absolute, per element: (E / 64 + 60 + spread) u (max_e c_e + 2 z_coefficient |log sum exp|
//         + |addend|).
void router_losses_gradient(const RouterLosses& args, const float* addend, float* dlogits) noexcept;

// sent[d] = how many tokens have at least one choice in group d. A choice outside [0, E) is in no
// group.
struct GroupLoads {
  std::size_t tokens = 0, experts = 0, top_k = 0, groups = 0;
  const std::int32_t* choice = nullptr;  // (N, k)
  std::int64_t* sent = nullptr;          // (D)
};
void group_loads(const GroupLoads& args) noexcept;

// excess[e] = or += E loads[e] - the sum of all loads: E times the distance to the mean, in integers,
// so that sums below 2^24 have the same bits in every order.
void load_excess(const std::int64_t* loads, std::size_t experts, bool accumulate,
                 float* excess) noexcept;

// bias[i] -= rate sign(excess[i]); a NaN moves nothing.
void update_choice_bias(const float* excess, std::size_t count, float rate, float* bias) noexcept;

}  // namespace megascale::kernels::cpu

#endif  // MEGASCALE_KERNELS_CPU_ROUTER_LOSSES_H_
