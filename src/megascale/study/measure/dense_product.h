#ifndef MEGASCALE_STUDY_MEASURE_DENSE_PRODUCT_H_
#define MEGASCALE_STUDY_MEASURE_DENSE_PRODUCT_H_

#include <cstddef>
#include <optional>
#include <span>

#include "megascale/cuda/memory.h"
#include "megascale/cuda/stopwatch.h"
#include "megascale/kernels/cuda/gemm_choices.h"
#include "megascale/plan/step_plan.h"
#include "megascale/study/statistics.h"

namespace megascale::study {

// Times dense products in the place of grouped ones: all rows meet the weight of the first expert.
// Such a product has as many FLOPs, so it says how fast the grouped one could be.
class DenseProduct {
 public:
  // `choices` are those of the step's products, or null. Throws Error.
  explicit DenseProduct(kernels::cuda::GemmChoices* choices);
  // `op` is a grouped product, and `operands` are its addresses on the device. Its result is
  // overwritten. Returns nothing if there is no such product: 8-bit operands with a number of rows
  // that is no multiple of 16. Throws Error.
  [[nodiscard]] std::optional<Spread> seconds_of(const plan::PlanOp& op,
                                                 std::span<std::byte* const> operands, bool first,
                                                 const cuda::Stopwatch& stopwatch, int runs) const;

 private:
  kernels::cuda::GemmChoices* choices_;
  cuda::DeviceMemory workspace_;
};

}  // namespace megascale::study

#endif  // MEGASCALE_STUDY_MEASURE_DENSE_PRODUCT_H_
