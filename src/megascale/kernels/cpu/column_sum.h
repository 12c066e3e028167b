#ifndef MEGASCALE_KERNELS_CPU_COLUMN_SUM_H_
#define MEGASCALE_KERNELS_CPU_COLUMN_SUM_H_

#include <cstddef>

// Sums over the tokens of a batch, such as the gradient of a bias.
namespace megascale::kernels::cpu {

// result[c] = (accumulate ? result[c] : 0) + sum_n x[n,c]
// Shapes  x (N, C), rows `stride` >= C floats apart; result (C).      Alias  nothing overlaps.
// Cost    N C flops; moves N C floats.
// Error   per column at most (B + 65) u sum_n |x[n,c]|, with u = 2^-24 and blocks of
//         B = max(16, N / 64) rows.
// Bits    do not depend on threads or vector target (row_blocks.h).
struct ColumnSum {
  std::size_t tokens = 0, channels = 0, stride = 0;
  const float* x = nullptr;
  float* result = nullptr;
  bool accumulate = false;
  float* scratch = nullptr;  // column_sum_scratch_bytes()
};
void column_sum(const ColumnSum& args) noexcept;
[[nodiscard]] std::size_t column_sum_scratch_bytes(std::size_t tokens,
                                                   std::size_t channels) noexcept;

}  // namespace megascale::kernels::cpu

#endif  // MEGASCALE_KERNELS_CPU_COLUMN_SUM_H_
