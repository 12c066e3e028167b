#ifndef MEGASCALE_KERNELS_CUDA_ROUTER_LOSSES_H_
#define MEGASCALE_KERNELS_CUDA_ROUTER_LOSSES_H_

#include <cstddef>
#include <cstdint>

#include "megascale/kernels/cuda/router.h"

// Losses that balance the loads of experts, the bias that does so without a loss, and the record of a
// step. The formulas are those of kernels/cpu/router_losses.h. N tokens of this rank, E experts, r ranks of
// the micro-batch, D groups of experts. Failures: see activation.h.
namespace megascale::kernels::cuda {

// losses[0]: the balancing losses, losses[1]: the z-loss, both sums over tokens.
// Bits   kLossBlocks blocks add their tokens in double, and are then added in order.
inline constexpr std::size_t kLossBlocks = 64;
[[nodiscard]] constexpr std::size_t router_losses_scratch_bytes(std::size_t experts) noexcept {
  return kLossBlocks * 2 * sizeof(double) + (experts + 1) * sizeof(float);
}
void router_losses(const RouterLosses& args, double* losses, std::byte* scratch,
                   CUstream_st* stream) noexcept;
// dlogits = [addend +] the gradient of losses[0] + losses[1].  Alias  dlogits may be addend.
// `scratch`: E + 1 floats.
void router_losses_gradient(const RouterLosses& args, const float* addend, float* dlogits,
                            std::byte* scratch, CUstream_st* stream) noexcept;

// excess[e] = or += E loads[e] - the sum of all loads
void load_excess(const std::int64_t* loads, std::size_t experts, bool accumulate, float* excess,
                 CUstream_st* stream) noexcept;

// bias[i] -= rate sign(excess[i]), unless *skip is not 0; a NaN moves nothing.
void update_choice_bias(const float* excess, std::size_t count, float rate,
                        const std::int64_t* skip, float* bias, CUstream_st* stream) noexcept;

// score[i] += bias[choice[i]]; a choice from `experts` on is none and changes nothing.
void add_choice_bias(const std::int32_t* choice, std::size_t slots, std::size_t experts,
                     const float* bias, float* score, CUstream_st* stream) noexcept;

// record[0 ... E - 1] = or += loads, record[E] the dropped choices, record[E + 1 ... E + 2] the losses.
// `dropped` and `losses` may be null: they count 0.
struct RecordRouting {
  std::size_t experts = 0;
  bool accumulate = false;
  const std::int64_t* loads = nullptr;
  const std::int64_t* dropped = nullptr;
  const double* losses = nullptr;
  double* record = nullptr;
};
void record_routing(const RecordRouting& args, CUstream_st* stream) noexcept;

// sums[i] = own[from[i]], or 0 if from[i] is below 0; for `count` elements
void collect_records(std::size_t count, const std::int32_t* from, const double* own, double* sums,
                     CUstream_st* stream) noexcept;

}  // namespace megascale::kernels::cuda

#endif  // MEGASCALE_KERNELS_CUDA_ROUTER_LOSSES_H_
