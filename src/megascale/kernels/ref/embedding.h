#ifndef MEGASCALE_KERNELS_REF_EMBEDDING_H_
#define MEGASCALE_KERNELS_REF_EMBEDDING_H_

#include <cstdint>

#include "megascale/kernels/ref/reference.h"

// References in double for kernels/cpu/embedding.h.
namespace megascale::kernels::ref {

// Returns y (N, channels): y[n] is row index[n] - start of `table` (count, channels). An index
// outside [start, start + count) gives a row of zeros.
[[nodiscard]] inline Doubles embedding(const std::vector<std::int32_t>& index, const Doubles& table,
                                       std::int64_t start, std::int64_t count,
                                       std::size_t channels) {
  Doubles y(index.size() * channels);
  for (std::size_t n = 0; n < index.size(); ++n) {
    const std::int64_t row = index[n] - start;
    if (row < 0 || row >= count) continue;
    for (std::size_t c = 0; c < channels; ++c)
      y[n * channels + c] = table[static_cast<std::size_t>(row) * channels + c];
  }
  return y;
}

// Adds each row dy[n] of dy (N, channels) to row index[n] - start of `table`. Indices outside
// [start, start + count) are ignored.
inline void embedding_backward(Doubles& table, const std::vector<std::int32_t>& index,
                               const Doubles& dy, std::int64_t start, std::int64_t count,
                               std::size_t channels) {
  for (std::size_t n = 0; n < index.size(); ++n) {
    const std::int64_t row = index[n] - start;
    if (row < 0 || row >= count) continue;
    for (std::size_t c = 0; c < channels; ++c)
      table[static_cast<std::size_t>(row) * channels + c] += dy[n * channels + c];
  }
}

}  // namespace megascale::kernels::ref

#endif  // MEGASCALE_KERNELS_REF_EMBEDDING_H_
