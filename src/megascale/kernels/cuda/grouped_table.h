#ifndef MEGASCALE_KERNELS_CUDA_GROUPED_TABLE_H_
#define MEGASCALE_KERNELS_CUDA_GROUPED_TABLE_H_

#include <cstddef>
#include <cstdint>

#include "megascale/kernels/cuda/grouped_linear.h"

// The products of a grouped product one by one, in device memory: the form in which a library of
// matrix products takes them. A kernel writes the table, since only the device knows the counts.
namespace megascale::kernels::cuda {

// Product e is result (m, n) = left (m, k) right (k, n), or is added to the result. Strides are
// elements between rows of x, dy and w as they lie in memory (grouped_linear.h). With fp8 the
// product is then multiplied by its factor.
struct GroupedTable {
  struct Sizes {
    std::int32_t m, n, k;
  };
  Sizes* sizes = nullptr;  // by expert, like all that follows
  const void** left = nullptr;
  const void** right = nullptr;
  void** result = nullptr;
  std::int64_t* left_stride = nullptr;
  std::int64_t* right_stride = nullptr;
  std::int64_t* result_stride = nullptr;
  float* factors = nullptr;  // fp8: what product e is multiplied by
};

// Bytes of one of its arrays with room for alignment, and of the whole table; multiples of 128.
[[nodiscard]] constexpr std::size_t grouped_array_bytes(std::size_t nbytes) noexcept {
  return (nbytes + 127) / 128 * 128;
}
[[nodiscard]] constexpr std::size_t grouped_table_bytes(std::size_t experts) noexcept {
  return grouped_array_bytes(experts * sizeof(GroupedTable::Sizes)) +
         3 * grouped_array_bytes(experts * sizeof(void*)) +
         3 * grouped_array_bytes(experts * sizeof(std::int64_t)) +
         grouped_array_bytes(experts * sizeof(float));
}
// Places a table in `memory`, which must be a multiple of 128.
[[nodiscard]] GroupedTable place_grouped_table(std::byte* memory, std::size_t experts) noexcept;
// Fills the table by a kernel. An expert without rows gets m = 0. If its weight gradient is not to
// be added, a second kernel sets that to zero. Sizes must be below 2^31. Failures: see
// activation.h.
void write_grouped_table(const GroupedProduct& product, const GroupedTable& table,
                         CUstream_st* stream) noexcept;

}  // namespace megascale::kernels::cuda

#endif  // MEGASCALE_KERNELS_CUDA_GROUPED_TABLE_H_
