// Two kernels. With AVX-512, where a vector has 16 rows, weights are read where they lie. With shorter
// vectors a line of weights would be visited too often for that, so they are packed.
#include "megascale/kernels/cpu/few_rows_input_gradient.h"

#include <limits>

#include "megascale/kernels/cpu/cache_sets.h"
#include "megascale/kernels/cpu/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "megascale/kernels/cpu/few_rows_input_gradient.cpp"
#include "hwy/foreach_target.h"
#include "megascale/kernels/cpu/input_gradient_lines-inl.h"
#include "megascale/kernels/cpu/input_gradient_panels-inl.h"

HWY_BEFORE_NAMESPACE();
namespace megascale::kernels::cpu::HWY_NAMESPACE {

std::size_t input_gradient_scratch() { return kInputGradientScratch; }

// Measured: decision 0031.
std::size_t most_rows_of_input_gradient([[maybe_unused]] std::size_t in) {
  if (HWY_TARGET == HWY_AVX3) return shares_sets(in) ? 256 : 128;
  return HWY_TARGET == HWY_AVX2 ? std::numeric_limits<std::size_t>::max() : 0;
}

}  // namespace megascale::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace megascale::kernels::cpu {

HWY_EXPORT(few_rows_input_gradient);
HWY_EXPORT(input_gradient_scratch);
HWY_EXPORT(most_rows_of_input_gradient);

std::size_t few_rows_input_gradient_most_rows(std::size_t in) noexcept {
  return HWY_DYNAMIC_DISPATCH(most_rows_of_input_gradient)(in);
}

std::size_t few_rows_input_gradient_scratch_bytes() noexcept {
  return HWY_DYNAMIC_DISPATCH(input_gradient_scratch)() * sizeof(float);
}

void multiply_few_rows_input_gradient(const FewRowsInputGradient& product, std::size_t first,
                                      std::size_t last, std::byte* scratch) noexcept {
  HWY_DYNAMIC_DISPATCH(few_rows_input_gradient)
  (product, first, last, reinterpret_cast<float*>(scratch));
}

}  // namespace megascale::kernels::cpu
#endif
